import { csrfFailed, unauthorized } from '../../errors/index.js';
import type { Caller } from '../../resources/kernel/route.js';
import type { FoundSession, SessionCookies } from '../../resources/accounts/session-cookies.js';
import type { ActivityTracker } from '../../organization/presence/activity-tracker.js';
import type { Exchange } from '../reply/exchange.js';
import { isSameOrigin } from './cross-site.js';

/** Headers that decide about a request with a session, also at the leader, where another node sends it. */
export const SESSION_HEADERS: readonly string[] = ['cookie', 'x-csrftoken'];

/**
 * SessionGate finds the caller by the cookie of their session (authentication.md#sessions). A browser sends it along
 * with whatever any page makes it request, so the request must show that a page of this server made it: by what the
 * browser says, which no page can change, or by the session's token where the browser says nothing.
 */
export class SessionGate {
  constructor(
    readonly sessions: SessionCookies,
    /** Told who makes requests, and with which session. */
    private readonly activity: Pick<ActivityTracker, 'checked' | 'record' | 'recordSession'>,
    /** Origin of the public base URL. */
    private readonly own: () => string,
  ) {}

  /** The caller of a request for `/json`, whatever its method. @throws ApiError `UNAUTHORIZED`, `CSRF_FAILED` */
  caller(exchange: Exchange): Caller {
    const found = this.find(exchange);
    if (!found) throw unauthorized('Not logged in: API authentication or user session required');
    if (isSameOrigin(exchange, this.own()) ?? this.hasToken(exchange, found)) {
      return this.accept(exchange, found);
    }
    throw csrfFailed();
  }

  /**
   * The caller of a request for a file or a picture, or of an upload; null without a session. What only reads may be
   * followed from anywhere, because a page of another site gets nothing of it; as a part of such a page it is refused.
   * @throws ApiError `CSRF_FAILED`
   */
  callerOutside(exchange: Exchange): Caller | null {
    const found = this.find(exchange);
    if (!found) return null;
    if (!exchange.isReading) return this.caller(exchange);
    const isOpened =
      exchange.header('sec-fetch-mode') === 'navigate' &&
      exchange.header('sec-fetch-dest') === 'document';
    if (!isOpened && isSameOrigin(exchange, this.own()) === false) throw csrfFailed();
    return this.accept(exchange, found);
  }

  /** Whether the session of a request is not in memory: another node may have begun it. */
  isUnknown(exchange: Exchange): boolean {
    return this.sessions.isUnknown(exchange.header('cookie'));
  }

  /** A login must come from a page of this server: another's would log its visitor in to an account of its choice. */
  assertOwnPage(exchange: Exchange): void {
    if (isSameOrigin(exchange, this.own()) !== true) throw csrfFailed();
  }

  private find(exchange: Exchange): FoundSession | null {
    return this.sessions.find(exchange.header('cookie'));
  }

  private hasToken(exchange: Exchange, { session }: FoundSession): boolean {
    const token = exchange.header('x-csrftoken');
    return token !== '' && this.sessions.isTokenOf(session, token);
  }

  private accept(exchange: Exchange, { session, user, renewal }: FoundSession): Caller {
    if (renewal !== null) exchange.setCookies = renewal;
    const { activity } = this;
    if (!activity.checked.has(user.user_id)) activity.record(user.user_id);
    activity.recordSession(session);
    return { user, sessionId: session.id };
  }
}
