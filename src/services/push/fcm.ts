import { importPKCS8, SignJWT } from 'jose';
import { wallTime } from '../../platform/time.js';
import { post, type JsonReply } from '../json-request.js';
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

/** What Google gives out for a service account, as far as it is used. */
export interface FcmSettings {
  readonly project_id: string;
  readonly client_email: string;
  /** PKCS #8 as PEM. */
  readonly private_key: string;
  readonly token_uri: string;
  /** Where messages go; default: Google's. */
  readonly url?: string;
}

const GOOGLE = 'https://fcm.googleapis.com';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
/** A token is renewed so long before its end, milliseconds. */
const EARLY_MS = 60_000;

/** Sends through Firebase Cloud Messaging, version 1. */
export class FcmTransport implements PushTransport {
  readonly description: string;
  private access: { readonly token: string; readonly until: number } | null = null;
  private renewing: Promise<string> | null = null;

  constructor(
    private readonly settings: FcmSettings,
    private readonly now: () => number = wallTime,
  ) {
    this.description = `FCM for ${settings.project_id}`;
  }

  send(
    notice: PushNotice,
    targets: readonly PushTarget[],
  ): Promise<ReadonlyMap<number, PushOutcome>> {
    return eachOf(targets, (target) => this.sendOne(notice, target));
  }

  async forget(): Promise<void> {
    // A token that is not used any more is of no use to Google either.
  }

  close(): void {
    // Holds nothing open.
  }

  private async sendOne(notice: PushNotice, { token }: PushTarget): Promise<PushOutcome> {
    const { project_id, url = GOOGLE } = this.settings;
    const message = {
      token,
      data: asTexts(notice.fcm),
      android: {
        priority: notice.isUrgent ? 'HIGH' : 'NORMAL',
        ...(notice.collapse === null ? {} : { collapse_key: notice.collapse }),
      },
    };
    try {
      const headers = {
        Authorization: `Bearer ${await this.accessToken()}`,
        'Content-Type': 'application/json',
      };
      const address = `${url}/v1/projects/${encodeURIComponent(project_id)}/messages:send`;
      return this.judged(await post(address, headers, JSON.stringify({ message })));
    } catch (error) {
      return failed(error);
    }
  }

  private judged({ status, body }: JsonReply): PushOutcome {
    if (status === 200) return SENT;
    const code = codeIn(body);
    if (code === 'UNREGISTERED' || code === 'SENDER_ID_MISMATCH' || status === 404) return GONE;
    if (status === 400 && isAboutToken(body)) return GONE;
    if (status === 401) this.access = null;
    const error = `FCM answered ${status} ${code}`;
    if (status === 401 || status === 403 || status === 429 || status >= 500) {
      return failed(new Error(error));
    }
    return refused(error);
  }

  private async accessToken(): Promise<string> {
    if (this.access && this.now() < this.access.until) return this.access.token;
    this.renewing ??= this.renew().finally(() => (this.renewing = null));
    return this.renewing;
  }

  private async renew(): Promise<string> {
    const { client_email, private_key, token_uri } = this.settings;
    const seconds = Math.floor(this.now() / 1000);
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(client_email)
      .setAudience(token_uri)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 3600)
      .sign(await importPKCS8(private_key, 'RS256'));
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const form = new URLSearchParams({ grant_type: grant, assertion });
    const { status, body } = await post(token_uri, FORM, form.toString());
    const { access_token: token, expires_in: lasts } = body;
    if (status !== 200 || typeof token !== 'string') {
      throw new Error(`${new URL(token_uri).host} gave no access: ${status}`);
    }
    const until = this.now() + Number(lasts ?? 3600) * 1000 - EARLY_MS;
    this.access = { token, until };
    return token;
  }
}

/** FCM takes texts only. */
function asTexts(data: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

interface FcmError {
  readonly status?: string;
  readonly message?: string;
  readonly details?: readonly { readonly errorCode?: string }[];
}

function errorIn(body: JsonReply['body']): FcmError {
  const error: FcmError | undefined = body['error'] ?? undefined;
  return error ?? {};
}

function codeIn(body: JsonReply['body']): string {
  const { status = '', details = [] } = errorIn(body);
  return details.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? status;
}

function isAboutToken(body: JsonReply['body']): boolean {
  return /registration token/i.test(errorIn(body).message ?? '');
}
