import type { SessionDocument } from '../../../schemas/accounts/sessions.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  isLive,
  LONGEST_SESSION_MS,
  passwordDigest,
  SESSION_MS,
  USE_EXACT_MS,
} from '../../organization/accounts/sessions.js';
import type { Organization } from '../../organization/state/organization.js';
import { cookieIn, cookieLine } from '../../services/auth/cookies.js';
import type { SealedState } from '../../services/auth/sealed-state.js';

const SESSION = 'session';
const DEVICE = 'device';
/** How long a browser is remembered as one that a person uses, milliseconds: as long as browsers keep a cookie. */
const DEVICE_MS = 400 * 86_400_000;
/** A page may stay open for longer than a session's cookie, which other tabs renew. */
const TOKEN_MS = 400 * 86_400_000;
/** People of one browser that are remembered. */
const MAX_PEOPLE = 8;

/** What a session's cookie holds, sealed. */
interface Sealed {
  readonly id: number;
  readonly user: number;
  /** When it was sealed, milliseconds since 1970. */
  readonly at: number;
}

/** What is sealed for each purpose. */
export interface SessionSeals {
  readonly session: SealedState;
  readonly device: SealedState;
  readonly token: SealedState;
}

/** A session that a request named, and the cookie with which its browser keeps it for longer, where it is time. */
export interface FoundSession {
  readonly session: SessionDocument;
  readonly user: UserDocument;
  readonly renewal: readonly string[] | null;
}

/**
 * SessionCookies reads and writes what a browser keeps of a session (authentication.md#sessions). A cookie is sealed
 * under the secret that all nodes share and names a document that all of them have, so any node accepts what another
 * wrote, and a session that was ended is over everywhere.
 */
export class SessionCookies {
  constructor(
    private readonly org: Organization,
    private readonly seals: SessionSeals,
  ) {}

  /**
   * The session in a request's `Cookie` header; null for none, or one that has ended. Over HTTPS it counts together with
   * the other cookie of its login: the native layer drops bytes beyond ASCII from the beginning of a header, so the first
   * cookie in it may be one that a neighbour under the domain has set, with such bytes before its name.
   */
  find(cookies: string): FoundSession | null {
    const sealed = this.sealedIn(cookies);
    if (!sealed) return null;
    const now = this.org.now();
    const session = this.org.sessions.get(sealed.id);
    if (session?.user_id !== sealed.user || this.org.realm.isDeactivated) return null;
    const user = this.org.users.get(session.user_id);
    if (!isLive(session, user, now)) return null;
    if (this.org.site.url.startsWith('https:') && !this.isKnownDevice(user, cookies)) return null;
    const isDue = now - sealed.at > USE_EXACT_MS;
    return { session, user, renewal: isDue ? this.begun(session, cookies) : null };
  }

  /** Whether it names a session that is not in memory: it has ended, or another node has just begun it. */
  isUnknown(cookies: string): boolean {
    const sealed = this.sealedIn(cookies);
    return sealed !== null && !this.org.sessions.has(sealed.id);
  }

  /** The cookies with which a browser keeps a session from now on. @param cookies those that it sent */
  begun(session: SessionDocument, cookies: string): string[] {
    const { url } = this.org.site;
    const user = this.org.users.get(session.user_id)!;
    const people = [markOf(user), ...this.peopleOf(cookies)].filter(isFirst).slice(0, MAX_PEOPLE);
    const device = this.seals.device.seal({ people }, this.org.now() + DEVICE_MS);
    return [this.cookie(session), cookieLine(url, this.name(DEVICE), device, DEVICE_MS / 1000)];
  }

  /** The cookie that ends a session in the browser. */
  ended(): string {
    return cookieLine(this.org.site.url, this.name(SESSION), '', 0);
  }

  /** Whether a person logged in with this browser before, with the password that they have now. */
  isKnownDevice(user: UserDocument, cookies: string): boolean {
    return this.peopleOf(cookies).includes(markOf(user));
  }

  /** What a page of ours says with a request, where the browser does not say from where it comes. */
  token({ id }: SessionDocument): string {
    return this.seals.token.seal({ id }, this.org.now() + TOKEN_MS);
  }

  /** Whether a token is one of a session. */
  isTokenOf({ id }: SessionDocument, token: string): boolean {
    const opened = this.seals.token.open(token, this.org.now()) as { id?: number } | null;
    return opened?.id === id;
  }

  /**
   * Cookies do not tell ports of a host apart, as loopback addresses have them: without a mark of the organization, two
   * servers on one machine would log each other's users out.
   */
  private name(kind: string): string {
    const { url } = this.org.site;
    return url.startsWith('https:') ? kind : `${kind}-${this.org.realm.current.uuid.slice(0, 8)}`;
  }

  private cookie({ id, user_id, created_at }: SessionDocument): string {
    const now = this.org.now();
    const sealed: Sealed = { id, user: user_id, at: now };
    const lasts = Math.max(0, Math.min(SESSION_MS, created_at + LONGEST_SESSION_MS - now));
    const value = this.seals.session.seal(sealed, now + lasts);
    return cookieLine(this.org.site.url, this.name(SESSION), value, Math.floor(lasts / 1000));
  }

  private sealedIn(cookies: string): Sealed | null {
    const value = cookieIn(cookies, this.org.site.url, this.name(SESSION));
    return value === null || value === ''
      ? null
      : (this.seals.session.open(value, this.org.now()) as Sealed | null);
  }

  private peopleOf(cookies: string): readonly string[] {
    const value = cookieIn(cookies, this.org.site.url, this.name(DEVICE));
    const opened = value === null ? null : this.seals.device.open(value, this.org.now());
    return (opened as { people: readonly string[] } | null)?.people ?? [];
  }
}

/** A person and their password: whoever had learnt a former one is told apart from them. */
function markOf(user: UserDocument): string {
  return `${user.user_id} ${passwordDigest(user)}`;
}

function isFirst(one: string, index: number, all: readonly string[]): boolean {
  const person = one.split(' ')[0];
  return all.findIndex((other) => other.split(' ')[0] === person) === index;
}
