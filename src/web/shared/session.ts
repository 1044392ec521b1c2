import { Client, formOf } from '../../client/index.js';

/*
 * The login of a browser: a cookie that no script reads, so the page holds nothing that opens the account elsewhere, and
 * all its tabs and later visits have the same login. The server tells the page that there is one by a token, which says
 * where a browser does not that a page of the server asks.
 */
const TOKEN = 'parley-session';

const clientOf = (csrfToken: string): Client => new Client(location.origin, { csrfToken });

/** Null for a visitor. */
export function savedClient(): Client | null {
  const token = document.querySelector<HTMLMetaElement>(`meta[name="${TOKEN}"]`)?.content;
  return token === undefined ? null : clientOf(token);
}

/** @throws ParleyError where the server refuses */
export async function logIn(
  username: string,
  password: string,
  twoFactorCode?: string,
): Promise<Client> {
  const visitor = clientOf('');
  const params = { username, password, two_factor_code: twoFactorCode };
  const response = await visitor.request('/json/sessions', {
    method: 'POST',
    body: formOf(params),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  const { csrf_token } = await visitor.read<{ csrf_token: string }>(response);
  return clientOf(csrf_token);
}

/** Ends the login and shows the page of a visitor. */
export async function logOut(): Promise<void> {
  // Where it has ended already, or the server is away, the page of the server tells what there is.
  await savedClient()
    ?.request('/json/logout', { method: 'POST' })
    .catch(() => undefined);
  location.reload();
}
