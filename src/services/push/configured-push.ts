import Type, { type Static } from 'typebox';
import { readSettingsFile } from '../settings-file.js';
import { ApnsTransport } from './apns.js';
import { BouncerTransport } from './bouncer.js';
import { FcmTransport } from './fcm.js';
import type { PushService } from '../../../schemas/personal/push.js';
import {
  allOf,
  type EncryptedPush,
  refused,
  type PushNotice,
  type PushOutcome,
  type PushTarget,
  type PushTransport,
} from './push-service.js';

const Text = Type.String({ minLength: 1 });
const closed = { additionalProperties: false } as const;

/** What the file named by `PARLEY_PUSH` says. */
const PushSettings = Type.Object(
  {
    /** Serves the services that have no settings of their own. */
    bouncer: Type.Optional(Type.Object({ url: Text, id: Text, key: Text }, closed)),
    apns: Type.Optional(
      Type.Object(
        { team_id: Text, key_id: Text, key: Text, topic: Text, url: Type.Optional(Text) },
        closed,
      ),
    ),
    /** A service account's file has further members, which are not looked at. */
    fcm: Type.Optional(
      Type.Object({
        project_id: Text,
        client_email: Text,
        private_key: Text,
        token_uri: Text,
        url: Type.Optional(Text),
      }),
    ),
  },
  closed,
);
export type PushSettings = Static<typeof PushSettings>;

/** Local services in tests; credentials go over nothing else in the clear. */
const LOCAL = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::|\/|$)/;

/** Hands each device's notice to the service that the operator configured for it. */
export class ConfiguredPush implements PushTransport {
  readonly description: string;

  private constructor(
    private readonly routes: ReadonlyMap<PushService, PushTransport>,
    readonly encrypted: EncryptedPush | undefined,
  ) {
    this.description = [...new Set(routes.values())].map((one) => one.description).join(', ');
  }

  /** @throws Error when the file cannot be used */
  static async load(path: string): Promise<ConfiguredPush> {
    return ConfiguredPush.of(await readSettingsFile(path, PushSettings), path);
  }

  /** @throws Error when settings make no sense; `where` begins its message */
  static of({ bouncer, apns, fcm }: PushSettings, where: string): ConfiguredPush {
    if (!bouncer && !apns && !fcm) throw new Error(`${where}: give bouncer, apns or fcm`);
    const urls = [bouncer?.url, apns?.url, fcm?.url, fcm?.token_uri];
    for (const url of urls) if (url !== undefined) requireUrl(url, where);
    const other = bouncer ? new BouncerTransport(bouncer) : undefined;
    const routes = new Map<PushService, PushTransport>();
    const apple = apns ? new ApnsTransport(apns) : other;
    const google = fcm ? new FcmTransport(fcm) : other;
    if (apple) routes.set('apns', apple);
    if (google) routes.set('fcm', google);
    return new ConfiguredPush(routes, other?.encrypted);
  }

  async send(
    notice: PushNotice,
    targets: readonly PushTarget[],
  ): Promise<ReadonlyMap<number, PushOutcome>> {
    const byRoute = new Map<PushTransport | undefined, PushTarget[]>();
    for (const target of targets) {
      const route = this.routes.get(target.service);
      const known = byRoute.get(route);
      if (known) known.push(target);
      else byRoute.set(route, [target]);
    }
    const outcomes = await Promise.all(
      [...byRoute].map(async ([route, some]) =>
        route
          ? route.send(notice, some)
          : allOf(some, refused('No service is configured for devices of this kind')),
      ),
    );
    return new Map(outcomes.flatMap((some) => [...some]));
  }

  async forget(
    target: Omit<PushTarget, 'id'>,
    user: PushNotice['user'],
    realmUuid: string,
  ): Promise<void> {
    await this.routes.get(target.service)?.forget(target, user, realmUuid);
  }

  close(): void {
    for (const route of this.routes.values()) route.close();
  }
}

/** @throws Error for an address that is not of HTTPS */
function requireUrl(url: string, where: string): void {
  if (!URL.canParse(url)) throw new Error(`${where}: not a URL: ${url}`);
  if (!url.startsWith('https://') && !LOCAL.test(url)) {
    throw new Error(`${where}: ${new URL(url).host} is not reached by https`);
  }
}
