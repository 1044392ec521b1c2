import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { SessionCookies } from '../accounts/session-cookies.js';
import { logInBrowser } from '../accounts/sessions.js';
import type { Shown, WebPageRequest } from './page.js';

/**
 * Logs the browser in, that has just set a password. Only where a page of this server sent it: another's would log its
 * visitor in to an account of its choice.
 * @returns its cookies, and where it goes on
 */
export function loggedIn(
  tx: Transaction,
  sessions: SessionCookies,
  user: UserDocument,
  { isFromOwnPage = false, cookies: sent = '', userAgent }: WebPageRequest,
): Pick<Shown, 'cookies' | 'leadsTo'> {
  if (!isFromOwnPage) return {};
  const cookies: string[] = [];
  logInBrowser(tx, sessions, user, {
    header: () => sent,
    userAgent,
    setCookies: (lines) => cookies.push(...lines),
  });
  return { cookies, leadsTo: '/' };
}
