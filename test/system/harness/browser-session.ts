import { exchange, form, type Parameters, type Reply } from './client.js';
import type { RunningServer } from './server.js';

/** How a browser says that a page of the server itself asks. */
export const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** A browser's cookies for one host, and how it calls `/json`. */
export class BrowserSession {
  readonly cookies = new Map<string, string>();
  /** What the last login gave to the page. */
  token = '';

  constructor(public url: string) {}

  /** Logs in by password. */
  async logIn(username: string, password: string, more: Parameters = {}): Promise<Reply> {
    const reply = await this.call('POST', '/sessions', { username, password, ...more });
    if (reply.status === 200) this.token = String(reply.body.csrf_token);
    return reply;
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** A copy of the browser, as a thief of its cookies has it. */
  copied(url = this.url): BrowserSession {
    const copy = new BrowserSession(url);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    copy.token = this.token;
    return copy;
  }

  /** A call below `/json`, by a page of the server unless `headers` say something else. */
  call(
    method: string,
    path: string,
    parameters: Parameters = {},
    headers: Readonly<Record<string, string>> = OWN_PAGE,
  ): Promise<Reply> {
    return this.send(method, `/json${path}`, parameters, headers);
  }

  /** A request anywhere on the host. */
  async send(
    method: string,
    path: string,
    parameters: Parameters = {},
    headers: Readonly<Record<string, string>> = OWN_PAGE,
  ): Promise<Reply> {
    const text = form(parameters);
    const inQuery = method === 'GET' && text !== '';
    const sent = { ...headers, ...(this.cookie === '' ? {} : { Cookie: this.cookie }) };
    const reply = await exchange(this.url, method, `${path}${inQuery ? `?${text}` : ''}`, {
      headers: inQuery || text === '' ? sent : { ...sent, ...FORM },
      body: inQuery ? '' : text,
    });
    this.take(reply);
    return reply;
  }

  private take({ headers }: Reply): void {
    for (const line of headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === '' || line.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/** A browser in which somebody is logged in. */
export async function loggedIn(
  server: Pick<RunningServer, 'url'>,
  username: string,
  password: string,
): Promise<BrowserSession> {
  const browser = new BrowserSession(server.url);
  const { status, text } = await browser.logIn(username, password);
  if (status !== 200) throw new Error(`login failed: ${text}`);
  return browser;
}
