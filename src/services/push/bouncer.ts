import { post, type JsonReply } from './json-request.js';
import {
  allOf,
  failed,
  GONE,
  refused,
  SENT,
  type PushNotice,
  type PushOutcome,
  type PushTarget,
  type PushTransport,
} from './push-service.js';

/** A service that has the keys of the apps, and to which servers hand their notices. */
export interface BouncerSettings {
  readonly url: string;
  /** What the service knows the server by. */
  readonly id: string;
  readonly key: string;
}

/** Kinds of tokens in its requests. */
const KIND = { apns: 1, fcm: 2 } as const;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Registrations that are remembered; above it all are made again, which changes nothing. */
const MAX_KNOWN = 100_000;

type User = PushNotice['user'];

/** The service refused: with a status, and the code of its error. */
class BouncerError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`The push bouncer answered ${status} ${code}`.trimEnd());
    this.name = 'BouncerError';
  }
}

/**
 * Sends through a push bouncer. It has to know a device before it sends to it: each is registered before the first
 * notice of this process, which changes nothing where it was.
 */
export class BouncerTransport implements PushTransport {
  readonly description: string;
  private readonly known = new Set<number>();

  constructor(private readonly settings: BouncerSettings) {
    this.description = `push bouncer at ${new URL(settings.url).host}`;
  }

  async send(
    notice: PushNotice,
    targets: readonly PushTarget[],
  ): Promise<ReadonlyMap<number, PushOutcome>> {
    try {
      for (const target of targets) await this.register(notice, target);
      const reply = await this.request(
        'notify',
        JSON_TYPE,
        JSON.stringify(requestOf(notice, targets)),
      );
      return outcomesOf(targets, reply);
    } catch (error) {
      // What is wrong with the request stays so; what is wrong with the account may be put right.
      const isFinal = error instanceof BouncerError && error.status === 400 && error.code === '';
      return allOf(targets, isFinal ? refused(error.message) : failed(error));
    }
  }

  async forget(target: Omit<PushTarget, 'id'>, user: User, realmUuid: string): Promise<void> {
    const { token, service } = target;
    const fields = { ...identityOf(user, realmUuid), token, token_kind: String(KIND[service]) };
    try {
      await this.request('unregister', FORM, new URLSearchParams(fields).toString());
    } catch (error) {
      // It does not know the device.
      if (!(error instanceof BouncerError) || error.status !== 400) throw error;
    }
  }

  close(): void {
    // Holds nothing open.
  }

  private async register({ user, realmUuid }: PushNotice, target: PushTarget): Promise<void> {
    const { id, token, service, appid } = target;
    if (this.known.has(id)) return;
    const fields = {
      ...identityOf(user, realmUuid),
      token,
      token_kind: String(KIND[service]),
      ...(appid === null ? {} : { ios_app_id: appid }),
    };
    await this.request('register', FORM, new URLSearchParams(fields).toString());
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.add(id);
  }

  private async request(
    what: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<JsonReply['body']> {
    const { url, id, key } = this.settings;
    const authorization = `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`;
    const address = `${url.replace(/\/$/, '')}/api/v1/remotes/push/${what}`;
    const reply = await post(address, { ...headers, Authorization: authorization }, body);
    if (reply.status === 200) return reply.body;
    const { code } = reply.body;
    const named = typeof code === 'string' && code !== 'BAD_REQUEST' ? code : '';
    throw new BouncerError(reply.status, named);
  }
}

function identityOf(user: User, realmUuid: string): Record<string, string> {
  return { user_id: String(user.id), user_uuid: user.uuid, realm_uuid: realmUuid };
}

function requestOf(notice: PushNotice, targets: readonly PushTarget[]): object {
  const tokensOf = (service: PushTarget['service']): string[] =>
    targets.filter((one) => one.service === service).map(({ token }) => token);
  const { user, realmUuid, apns, fcm, isUrgent } = notice;
  return {
    user_id: user.id,
    user_uuid: user.uuid,
    realm_uuid: realmUuid,
    apns_payload: { badge: 0, ...apns },
    gcm_payload: fcm,
    gcm_options: { priority: isUrgent ? 'high' : 'normal' },
    apple_devices: tokensOf('apns'),
    android_devices: tokensOf('fcm'),
  };
}

/** The service names the devices that it does not have any more. */
function outcomesOf(
  targets: readonly PushTarget[],
  { deleted_devices: deleted }: JsonReply['body'],
): ReadonlyMap<number, PushOutcome> {
  const { apple_devices = [], android_devices = [] } = (deleted ?? {}) as {
    apple_devices?: readonly string[];
    android_devices?: readonly string[];
  };
  const gone = { apns: new Set(apple_devices), fcm: new Set(android_devices) };
  return new Map(
    targets.map(({ id, service, token }) => [id, gone[service].has(token) ? GONE : SENT]),
  );
}
