import * as descriptors from '../../../schemas/accounts/sessions.js';
import type { SessionDocument } from '../../../schemas/accounts/sessions.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { recordLogin } from '../../organization/accounts/accounts.js';
import {
  beginSession,
  deviceName,
  endSession,
  endSessions,
  sessionsOf,
} from '../../organization/accounts/sessions.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { HandlerParts } from '../handler-parts.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { passwordLogin, provePassword, type LoginParts } from './fetch-api-key.js';
import { tokenLogin } from './jwt-login.js';
import type { SessionCookies } from './session-cookies.js';

/** What a login tells of the browser that makes it. */
export interface BrowserRequest {
  readonly header?: (name: string) => string;
  readonly userAgent?: string;
  setCookies?(lines: readonly string[]): void;
}

/** Begins a session of a browser, in place of the one that it had. @returns its token, for the page */
export function logInBrowser(
  tx: Transaction,
  cookies: SessionCookies,
  user: UserDocument,
  request: BrowserRequest,
): string {
  const sent = request.header?.('cookie') ?? '';
  const former = cookies.find(sent)?.session;
  if (former) endSession(tx, former.user_id, former.id);
  const session = beginSession(tx, user.user_id, deviceName(request.userAgent ?? ''));
  request.setCookies?.(cookies.begun(session, sent));
  return cookies.token(session);
}

/** What is shown of a session. */
export function sessionRow({ id, device, created_at, used_at }: SessionDocument) {
  const seconds = (at: number): number => Math.floor(at / 1000);
  return { id, device, created_at: seconds(created_at), last_used_at: seconds(used_at) };
}

/** The list of one's sessions, and their end (authentication.md#sessions). */
export function sessionListHandlers({ queues }: Pick<SessionParts, 'queues'>): AnyHandler[] {
  const ended = (tx: Transaction, userId: number): void =>
    tx.onceDurable(() => queues.renewPushOf(userId));
  return [
    handle(descriptors.getSessions, ({ org }, { user, sessionId }) => ({
      sessions: sessionsOf(org, user.user_id).map((session) => ({
        ...sessionRow(session),
        is_current: session.id === sessionId,
      })),
    })),
    handle(descriptors.endOneSession, (tx, { user, params }) => {
      if (!endSession(tx, user.user_id, params.session_id)) {
        throw badRequest('No such session', 404);
      }
      ended(tx, user.user_id);
      return {};
    }),
    handle(descriptors.endAllSessions, (tx, { user }) => {
      endSessions(tx, user.user_id);
      ended(tx, user.user_id);
      return {};
    }),
  ];
}

interface SessionParts
  extends Omit<LoginParts, 'closeSockets'>, Pick<HandlerParts, 'sessions' | 'webTokens'> {
  readonly queues: Pick<HandlerParts['queues'], 'renewPushOf' | 'closeSocketsOf'>;
}

/** What browsers alone call, below `/json`: logins, the logout, and the key for those who know the password. */
export function sessionHandlers(parts: SessionParts): AnyHandler[] {
  const { sessions, queues, keys, webTokens } = parts;
  const closeSockets = (userId: number): void => queues.closeSocketsOf(userId);
  const login = { ...parts, closeSockets };
  const { logIn, logInByToken, logOut, fetchOwnApiKey } = descriptors.BY_SESSION;
  const begin = (tx: Transaction, user: UserDocument, request: BrowserRequest) => {
    recordLogin(tx, user, sessions.isKnownDevice(user, request.header?.('cookie') ?? ''));
    const csrf_token = logInBrowser(tx, sessions, user, request);
    return { email: user.email, user_id: user.user_id, csrf_token };
  };
  return [
    passwordLogin(logIn, login, begin),
    tokenLogin(logInByToken, { keys, tokens: webTokens, closeSockets }, begin),
    handle(logOut, (tx, request) => {
      const { user_id } = request.user;
      endSession(tx, user_id, request.sessionId!);
      tx.onceDurable(() => queues.renewPushOf(user_id));
      request.setCookies?.([sessions.ended()]);
      return {};
    }),
    handlePrepared(
      fetchOwnApiKey,
      async (org, { user, params, remoteAddress }) => {
        await provePassword(org, login, { user, password: params.password, remoteAddress });
      },
      (_tx, { user }) => {
        const api_key = keys.derive(user.user_id, user.key_version);
        return { api_key, email: user.email, user_id: user.user_id };
      },
    ),
  ];
}
