import { createHash } from 'node:crypto';
import type { SessionDocument } from '../../../schemas/accounts/sessions.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { RECORD_EVERY_SECONDS } from '../state/collections/presences.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** A session ends when it was not used for so long: as long as a holiday, milliseconds. */
export const SESSION_MS = 14 * 86_400_000;
/** It ends so long after the login, however much it is used: NIST SP 800-63B, 4.1.3. Milliseconds. */
export const LONGEST_SESSION_MS = 30 * 86_400_000;
/** How exact its last use is known, milliseconds. */
export const USE_EXACT_MS = RECORD_EVERY_SECONDS * 1000;
/** Sessions of one person: more than anybody has browsers. Another one ends the one that was used longest ago. */
const MAX_SESSIONS = 30;
/** Characters of a device's name. */
const MAX_DEVICE = 60;

/** Whether a session of a user began and was used lately, and they have the password that they had. */
export function isLive(
  { used_at, created_at, password }: SessionDocument,
  user: UserDocument | undefined,
  now: number,
): user is UserDocument {
  if (user?.is_active !== true || used_at + SESSION_MS + USE_EXACT_MS <= now) return false;
  return created_at + LONGEST_SESSION_MS > now && password === passwordDigest(user);
}

/** Tells the passwords of a user apart. */
export function passwordDigest({ user_id, password_hash }: UserDocument): string {
  const text = `${user_id} ${password_hash ?? ''}`;
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** The sessions of a user, the one that was used last first. */
export function sessionsOf(org: Organization, userId: number): SessionDocument[] {
  const now = org.now();
  const user = org.users.get(userId);
  return org.sessions
    .of(userId)
    .filter((one) => isLive(one, user, now))
    .sort((a, b) => b.used_at - a.used_at || b.id - a.id);
}

/** Begins a session; those that have ended, or are too many, are deleted. */
export function beginSession(tx: Transaction, userId: number, device: string): SessionDocument {
  const { org, now } = tx;
  const kept = new Set(sessionsOf(org, userId).slice(0, MAX_SESSIONS - 1));
  for (const one of org.sessions.of(userId)) if (!kept.has(one)) org.sessions.delete(one.id);
  return org.sessions.insert({
    ...{ id: org.counters.next('session'), user_id: userId, device: device.slice(0, MAX_DEVICE) },
    ...{ password: passwordDigest(org.users.get(userId)!), created_at: now, used_at: now },
  });
}

/** Ends a session of a user. @returns false where there is none of that number */
export function endSession(tx: Transaction, userId: number, id: number): boolean {
  const { sessions } = tx.org;
  if (sessions.get(id)?.user_id !== userId) return false;
  sessions.delete(id);
  return true;
}

/** Ends all sessions of a user: after a deactivation, a change of the password, or because they want it. */
export function endSessions(tx: Transaction, userId: number): void {
  for (const { id } of tx.org.sessions.of(userId)) tx.org.sessions.delete(id);
}

const BROWSERS: readonly [mark: RegExp, name: string][] = [
  [/\bZulipElectron\//, 'Zulip desktop app'],
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly [mark: RegExp, name: string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** What a `User-Agent` header says, as people know it: `Firefox on Linux`. */
export function deviceName(userAgent: string): string {
  const named = (list: typeof BROWSERS): string | undefined =>
    list.find(([mark]) => mark.test(userAgent))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  const name = browser ?? (/^[\w.-]{1,40}/.exec(userAgent)?.[0] || 'Unknown browser');
  return system === undefined ? name : `${name} on ${system}`;
}
