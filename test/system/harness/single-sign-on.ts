import { createDecipheriv } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import {
  Browser,
  CLIENT_ID,
  CLIENT_SECRET,
  startOpenIdServer,
  type Claims,
  type OpenIdServer,
} from '../../src/services/fixtures/openid-server.js';
import { ApiClient, exchange, type Body } from './client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from './server.js';

/** The public address: what leads there, tests ask of the node they choose. */
export const SITE = 'https://chat.example.org';
export const BEGIN = '/accounts/login/social/corp';

export const verified = (email: string, more: Claims = {}): Claims => ({
  email,
  email_verified: true,
  name: 'Hamlet Prince',
  ...more,
});

/** A provider, and a server that uses it. */
export interface SingleSignOnWorld {
  readonly provider: OpenIdServer;
  readonly server: RunningServer;
  readonly owner: ApiClient;
  readonly args: readonly string[];
}

/** Writes the settings file of a server that uses a provider. @returns its path */
export function openIdFile(folder: string, issuer: string, settings: Body = {}): string {
  const file = join(folder, 'oidc.json');
  const corp = {
    name: 'corp',
    display_name: 'Corp',
    issuer,
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    ...settings,
  };
  writeFileSync(file, JSON.stringify({ providers: [corp] }), { mode: 0o600 });
  return file;
}

/** A server whose accounts log in at a provider of the test. */
export async function startSingleSignOn(t: Test, settings: Body = {}): Promise<SingleSignOnWorld> {
  const provider = await startOpenIdServer(t, [`${SITE}/complete/corp/`]);
  const folder = storeFolder(t);
  const args = ['--url', SITE, '--oidc', openIdFile(folder, provider.issuer, settings)];
  const server = await RunningServer.serve(t, join(folder, 'data'), { args });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await owner.call('PATCH', '/realm', { invite_required: false });
  return { provider, server, owner, args };
}

/** Goes from the button to where the provider leads back. @returns that address at another node */
export async function comeBack(
  browser: Browser,
  from: string,
  to: string = from,
  query = '',
): Promise<string> {
  const address = await browser.follow(`${from}${BEGIN}${query}`, (next) => next.startsWith(SITE));
  return address.replace(SITE, to);
}

/** The end of a login as a program sees it. */
export async function finish(
  browser: Browser,
  address: string,
): Promise<{ status: number; body: Body }> {
  const response = await browser.get(address, { Accept: 'application/json' });
  return { status: response.status, body: (await response.json()) as Body };
}

export async function logIn(
  { provider, server }: SingleSignOnWorld,
  sub: string,
  claims: Claims,
): Promise<{ status: number; body: Body }> {
  provider.visitor = { sub, claims };
  const browser = new Browser();
  return finish(browser, await comeBack(browser, server.url));
}

const basic = ({ email, api_key }: Body): string =>
  `Basic ${Buffer.from(`${String(email)}:${String(api_key)}`).toString('base64')}`;

export async function me(server: RunningServer, login: Body): Promise<Body> {
  const { body } = await exchange(server.url, 'GET', '/api/v1/users/me', {
    headers: { Authorization: basic(login) },
  });
  return body;
}

/** What a browser shows that a desktop app with this key opened, once its user has logged in. */
export async function shownToken({ url }: RunningServer, key: string): Promise<string> {
  const browser = new Browser();
  const back = await comeBack(browser, url, url, `?desktop_flow_otp=${key}`);
  const text = await (await browser.get(back)).text();
  if (text.includes('data-key')) throw new Error('The browser itself is logged in');
  return /id="token" value="([0-9a-f]+)"/.exec(text)![1]!;
}

/** What such a browser shows, decrypted as the app does. */
export async function carriedToken(server: RunningServer, key: Buffer): Promise<string> {
  const bytes = Buffer.from(await shownToken(server, key.toString('hex')), 'hex');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
}
