import { createHash } from 'node:crypto';
import { constants, type ClientHttp2Session } from 'node:http2';
import { importPKCS8, SignJWT, type CryptoKey } from 'jose';
import { connectHttp2 } from '../../platform/network.js';
import { wallTime } from '../../platform/time.js';
import {
  eachOf,
  failed,
  GONE,
  refused,
  SENT,
  type PushNotice,
  type PushOutcome,
  type PushTarget,
  type PushTransport,
} from './push-service.js';

/** How Apple's service is reached. */
export interface ApnsSettings {
  readonly team_id: string;
  readonly key_id: string;
  /** Private key, PKCS #8 as PEM. */
  readonly key: string;
  /** App of devices that named none. */
  readonly topic: string;
  readonly url?: string;
}

const APPLE = 'https://api.push.apple.com';
/** Apple refuses tokens older than an hour, and ones renewed within 20 minutes. Milliseconds. */
const TOKEN_MS = 40 * 60_000;
const TIMEOUT_MS = 20_000;
/** A connection without requests ends after so long, milliseconds. */
const IDLE_MS = 5 * 60_000;
/** How long Apple keeps a notice for a device that is off, seconds. */
const KEEP_SECONDS = 24 * 3600;
const HEX = /^(?:[0-9a-f]{2})+$/i;
/** Apple's reasons for which a token is dead. */
const DEAD: ReadonlySet<string> = new Set([
  'BadDeviceToken',
  'DeviceTokenNotForTopic',
  'Unregistered',
]);
/** Answers are a reason and a time; more is none. */
const MAX_REPLY = 8192;

/** Sends to Apple's devices, over one connection of HTTP/2, with a token that the server signs. */
export class ApnsTransport implements PushTransport {
  readonly description: string;
  private session: ClientHttp2Session | null = null;
  private token: { readonly text: Promise<string>; readonly at: number } | null = null;
  private key: Promise<CryptoKey> | null = null;

  constructor(
    private readonly settings: ApnsSettings,
    private readonly now: () => number = wallTime,
  ) {
    this.description = `APNs at ${this.url}`;
  }

  send(
    notice: PushNotice,
    targets: readonly PushTarget[],
  ): Promise<ReadonlyMap<number, PushOutcome>> {
    return eachOf(targets, (target) => this.sendOne(notice, target));
  }

  async forget(): Promise<void> {
    // Apple keeps no list.
  }

  close(): void {
    this.session?.close();
    this.session = null;
  }

  private get url(): string {
    return this.settings.url ?? APPLE;
  }

  private async sendOne(notice: PushNotice, target: PushTarget): Promise<PushOutcome> {
    try {
      const { status, reason } = await this.request(notice, target);
      if (status === 200) return SENT;
      if (status === 410 || DEAD.has(reason)) return GONE;
      // The clock, or the key: somebody may put it right.
      if (status === 403) this.token = null;
      if (status === 403 || status === 429 || status >= 500) {
        return failed(new Error(`APNs answered ${status} ${reason}`));
      }
      return refused(`APNs answered ${status} ${reason}`);
    } catch (error) {
      return failed(error);
    }
  }

  private async request(
    notice: PushNotice,
    { id, token, appid }: PushTarget,
  ): Promise<{ status: number; reason: string }> {
    const { alert, sound, custom } = notice.apns;
    const aps = alert ? { alert, ...(sound ? { sound } : {}) } : { 'content-available': 1 };
    const body = JSON.stringify({ ...custom, aps });
    const authorization = `bearer ${await this.providerToken()}`;
    const session = this.connection();
    return new Promise((resolve, reject) => {
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: `/3/device/${hexOf(token)}`,
        authorization,
        'content-type': 'application/json',
        'apns-topic': appid ?? this.settings.topic,
        'apns-push-type': alert ? 'alert' : 'background',
        'apns-priority': notice.isUrgent ? '10' : '5',
        'apns-expiration': String(Math.floor(this.now() / 1000) + KEEP_SECONDS),
        'apns-id': idFor(notice.id, id),
        ...(notice.collapse === null ? {} : { 'apns-collapse-id': notice.collapse }),
      });
      let status = 0;
      let text = '';
      stream.setTimeout(TIMEOUT_MS, () => stream.destroy(new Error('APNs does not answer')));
      stream.on('response', (headers) => (status = Number(headers[':status'])));
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => {
        if (text.length < MAX_REPLY) text += chunk;
      });
      stream.on('error', reject);
      stream.on('close', () => {
        if (status === 0) reject(new Error('APNs ended the request'));
        else resolve({ status, reason: reasonIn(text) });
      });
      stream.end(body);
    });
  }

  private connection(): ClientHttp2Session {
    const known = this.session;
    if (known && !known.closed && !known.destroyed) return known;
    const session = connectHttp2(this.url);
    const drop = (): void => {
      if (this.session === session) this.session = null;
    };
    session.on('error', drop);
    session.on('goaway', drop);
    session.on('close', drop);
    session.setTimeout(IDLE_MS, () => session.close());
    session.unref();
    this.session = session;
    return session;
  }

  private providerToken(): Promise<string> {
    const at = this.now();
    if (!this.token || at - this.token.at >= TOKEN_MS) this.token = { text: this.signed(at), at };
    return this.token.text;
  }

  private async signed(at: number): Promise<string> {
    const { team_id, key_id, key } = this.settings;
    this.key ??= importPKCS8(key, 'ES256');
    return new SignJWT({ iss: team_id, iat: Math.floor(at / 1000) })
      .setProtectedHeader({ alg: 'ES256', kid: key_id })
      .sign(await this.key);
  }
}

/** Apps register tokens as hexadecimal or base64; Apple wants the former. */
function hexOf(token: string): string {
  return HEX.test(token) ? token.toLowerCase() : Buffer.from(token, 'base64').toString('hex');
}

/** The UUID of a notice for one device. */
export function idFor(noticeId: string, targetId: number): string {
  const digest = createHash('sha256').update(`${noticeId}:${targetId}`).digest('hex');
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `a${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}

function reasonIn(text: string): string {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown };
    return typeof reason === 'string' ? reason : '';
  } catch {
    return '';
  }
}
