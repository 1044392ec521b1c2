import { BouncerClient, BouncerError, type BouncerSettings } from './bouncer-client.js';
import { EncryptedBouncer } from './encrypted-bouncer.js';
import type { JsonReply } from '../json-request.js';
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

/** Kinds of tokens in its requests. */
const KIND = { apns: 1, fcm: 2 } as const;
/** Registrations that are remembered; above it all are made again, which changes nothing. */
const MAX_KNOWN = 100_000;

type User = PushNotice['user'];

/**
 * Sends through a push bouncer. It has to know a device before it sends to it: each is registered before the first
 * notice of this process, which changes nothing where it was.
 */
export class BouncerTransport implements PushTransport {
  readonly description: string;
  readonly encrypted: EncryptedBouncer;
  private readonly known = new Set<number>();
  private readonly client: BouncerClient;

  constructor(settings: BouncerSettings) {
    this.client = new BouncerClient(settings);
    this.encrypted = new EncryptedBouncer(this.client);
    this.description = `push bouncer at ${new URL(settings.url).host}`;
  }

  async send(
    notice: PushNotice,
    targets: readonly PushTarget[],
  ): Promise<ReadonlyMap<number, PushOutcome>> {
    try {
      for (const target of targets) await this.register(notice, target);
      const reply = await this.client.postJson('notify', requestOf(notice, targets));
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
      await this.client.postForm('unregister', fields);
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
    await this.client.postForm('register', fields);
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.add(id);
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
