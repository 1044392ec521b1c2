import { Client, ParleyError } from '../../client/index.js';
import { inLanguage } from './refusals.js';
import { say } from './say.js';

/*
 * The login of a browser: a cookie that no script reads, so the page holds nothing that opens the account elsewhere, and
 * all its tabs and later visits have the same login. The server tells the page that there is one by a token, which says
 * where a browser does not that a page of the server asks.
 */
const TOKEN = 'parley-session';

/** A client whose errors say in the language of the page what happened. */
class PageClient extends Client {
  override async request(path: string, init?: RequestInit): Promise<Response> {
    try {
      return await super.request(path, init);
    } catch (error) {
      // What was cancelled is no TypeError.
      throw error instanceof TypeError ? new TypeError(say('error.no-connection')) : error;
    }
  }

  override async read<T extends object>(response: Response): Promise<T> {
    try {
      return await super.read<T>(response);
    } catch (error) {
      throw error instanceof ParleyError ? await inLanguage(error) : error;
    }
  }
}

/** Who is logged in here. */
let current: Client | null = null;

/** Null for a visitor. */
export function savedClient(): Client | null {
  const token = document.querySelector<HTMLMetaElement>(`meta[name="${TOKEN}"]`)?.content;
  if (token !== undefined) current = new PageClient(location.origin, { csrfToken: token });
  return current;
}

/** @throws ParleyError where the server refuses */
export async function logIn(
  username: string,
  password: string,
  twoFactorCode?: string,
): Promise<Client> {
  current = await PageClient.logInBrowser(location.origin, username, password, { twoFactorCode });
  return current;
}

/** Ends the login and shows the page of a visitor. */
export function logOut(): void {
  const show = (): void => location.reload();
  if (!current) return show();
  // Where it has ended already, or the server is away, the page of the server tells what there is.
  current.logOutBrowser().then(show, show);
}
