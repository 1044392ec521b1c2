import { isUtf8 } from 'node:buffer';
import { unauthorized } from '../../errors.js';
import type { Authenticator, Caller, Session } from '../../resources/kernel/route.js';
import { RecentlyUsed } from '../../services/lru.js';

/**
 * Accepted headers remembered, some 200 bytes each, and at most twice as many. Those unused for longest are
 * forgotten; their next request costs a login, 15 µs.
 */
const REMEMBERED_SESSIONS = 50_000;

/** Longer headers are checked each time: e-mail addresses end at 320 characters, keys have 32. */
const MAX_CACHED_HEADER = 600;

/** An e-mail address and API key, as sent. */
interface Credentials {
  readonly email: string;
  readonly key: string;
}

/**
 * BasicAuthentication implements HTTP Basic authentication (authentication.md#basic). It remembers accepted
 * headers, so that a poll costs one lookup. The session behind a header is checked again on every request,
 * so that deactivation, a new key or another address takes effect at once. Refused headers are never
 * remembered.
 */
export class BasicAuthentication {
  private readonly sessions = new RecentlyUsed<Session>(REMEMBERED_SESSIONS);

  constructor(private readonly authenticator: Authenticator) {}

  /**
   * The caller of a header that was accepted before; undefined where it must be checked.
   * @throws ApiError `UNAUTHORIZED` when the user or organization was deactivated
   */
  known(header: string): Caller | undefined {
    const session = this.sessions.get(header);
    if (!session) return undefined;
    try {
      const caller = this.authenticator.caller(session);
      if (!caller) this.sessions.delete(header);
      return caller;
    } catch (error) {
      this.sessions.delete(header);
      throw error;
    }
  }

  /** The caller of an API key alone. @throws ApiError `UNAUTHORIZED` */
  byKey(key: string): Caller {
    return this.authenticator.byKey(key);
  }

  /**
   * Checks a header that is not remembered.
   * @throws ApiError `UNAUTHORIZED`
   */
  login(header: string): Caller {
    const { email, key } = parseBasic(header);
    const session = this.authenticator.login(email, key);
    const caller = this.authenticator.caller(session);
    if (!caller) throw unauthorized('Invalid API key');
    if (header.length <= MAX_CACHED_HEADER) this.sessions.set(header, session);
    return caller;
  }
}

/**
 * Reads an Authorization header. White space around its parts is ignored, the scheme is
 * case-insensitive.
 * @throws ApiError `UNAUTHORIZED`, one text per row of authentication.md#basic
 */
export function parseBasic(header: string): Credentials {
  const parts = header.split(/\s+/).filter((part) => part !== '');
  if (parts.length === 0) {
    throw unauthorized('Not logged in: API authentication or user session required');
  }
  const [scheme, encoded] = parts;
  if (parts.length !== 2 || scheme === undefined || encoded === undefined) throw malformed();
  if (scheme.toLowerCase() !== 'basic') {
    throw unauthorized('This endpoint requires HTTP basic authentication.');
  }
  const text = decodeBase64(encoded);
  const colon = text.indexOf(':');
  if (colon === -1) throw malformed();
  const key = text.slice(colon + 1).trim();
  if (!/^[A-Za-z0-9]{32}$/.test(key)) throw unauthorized('Malformed API key');
  return { email: text.slice(0, colon).trim(), key };
}

function decodeBase64(encoded: string): string {
  const wellFormed = encoded.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  const bytes = Buffer.from(wellFormed ? encoded : '', 'base64');
  if (bytes.length === 0 || !isUtf8(bytes)) throw malformed();
  return bytes.toString('utf8');
}

function malformed() {
  return unauthorized('Invalid authorization header for basic auth');
}
