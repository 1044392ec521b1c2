import { Client, type Credentials } from '../../client/index.js';

/*
 * The login of one tab. The server has no sessions of its own: the API key is the login, as for every other client. It
 * stays in sessionStorage, so it ends with the tab, no other site's request carries it (a cookie would be sent along,
 * and need a guard against that), and no other program of the machine finds it in the browser's files.
 */
const KEY = 'parley-login';

export function savedClient(): Client | null {
  const text = sessionStorage.getItem(KEY);
  return text === null ? null : new Client(location.origin, JSON.parse(text) as Credentials);
}

/** The login that the page behind another service hands over. It is taken from the page, and kept as any login. */
export function handedClient(): Client | null {
  const place = document.getElementById('credentials');
  const { email, key } = place?.dataset ?? {};
  if (email === undefined || key === undefined) return null;
  place!.remove();
  const client = new Client(location.origin, { email, apiKey: key });
  sessionStorage.setItem(KEY, JSON.stringify(client.credentials));
  return client;
}

/** @throws ParleyError where the server refuses */
export async function logIn(
  username: string,
  password: string,
  twoFactorCode?: string,
): Promise<Client> {
  const client = await Client.login(location.origin, username, password, { twoFactorCode });
  sessionStorage.setItem(KEY, JSON.stringify(client.credentials));
  return client;
}

/** Forgets the login and shows the page of a visitor. */
export function logOut(): void {
  sessionStorage.removeItem(KEY);
  location.reload();
}
