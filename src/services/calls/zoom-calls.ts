import { wallTime } from '../../platform/time.js';
import { post, type JsonReply } from '../json-request.js';
import type { ZoomSettings } from './call-settings.js';

/** Longest wait for an answer: somebody waits for the call. Milliseconds. */
const TIMEOUT_MS = 10_000;
/** A token is renewed so long before it ends, so that it does not end on its way. Milliseconds. */
const EARLY_MS = 4 * 60_000;
/** Zoom's code of "User does not exist". */
const UNKNOWN_USER = 1001;

/** Why there is no call: `unknown_user`, where Zoom knows nobody by the address. */
export class ZoomError extends Error {
  constructor(
    readonly reason: 'unknown_user' | 'failed',
    message: string,
  ) {
    super(message);
    this.name = 'ZoomError';
  }
}

/** ZoomCalls makes meetings of the people of one Zoom account, whom Zoom knows by their addresses. */
export class ZoomCalls {
  private token: { readonly text: string; readonly until: number } | null = null;

  constructor(
    private readonly settings: ZoomSettings,
    private readonly now: () => number = () => wallTime(),
  ) {}

  /**
   * Makes a meeting whose host has this address.
   * @param video whether cameras are on at the beginning
   * @returns the address by which to join
   * @throws ZoomError
   */
  async create(email: string, video: boolean): Promise<string> {
    const url = `${this.settings.api_url}/v2/users/${encodeURIComponent(email)}/meetings`;
    const token = await this.accessToken();
    const meeting = {
      settings: { host_video: video, participant_video: video },
      // Else Zoom may put everybody in a waiting room.
      default_password: true,
    };
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const { status, body } = await ask(url, headers, JSON.stringify(meeting));
    if (status === 201 && typeof body.join_url === 'string') return body.join_url;
    if (status === 401) this.token = null;
    if (body.code === UNKNOWN_USER) throw new ZoomError('unknown_user', 'no such user');
    throw new ZoomError('failed', `status ${status}`);
  }

  private async accessToken(): Promise<string> {
    if (this.token && this.token.until > this.now()) return this.token.text;
    const { account_id, client_id, client_secret, oauth_url } = this.settings;
    const credentials = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
    const headers = {
      Authorization: `Basic ${credentials}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    const form = new URLSearchParams({ grant_type: 'account_credentials', account_id }).toString();
    const { status, body } = await ask(`${oauth_url}/oauth/token`, headers, form);
    const { access_token, expires_in } = body;
    if (status !== 200 || typeof access_token !== 'string') {
      throw new ZoomError('failed', `no access token: status ${status}`);
    }
    const seconds = typeof expires_in === 'number' ? expires_in : 0;
    this.token = { text: access_token, until: this.now() + seconds * 1000 - EARLY_MS };
    return access_token;
  }
}

async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<JsonReply> {
  try {
    return await post(url, headers, body, TIMEOUT_MS);
  } catch (error) {
    throw new ZoomError('failed', (error as Error).message);
  }
}
