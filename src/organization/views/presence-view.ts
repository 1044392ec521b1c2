import type {
  LegacyPresence,
  ModernPresence,
  PresenceDocument,
} from '../../../schemas/presence/presence.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  PRESENCE_HISTORY_LIMIT_DAYS,
  PRESENCE_OFFLINE_THRESHOLD_SECONDS,
} from '../../../schemas/limits.js';
import {
  LEGACY_CLIENT,
  legacyEntry,
  type PresenceEventData,
  type PresenceTimes,
} from '../../journal/renderers/presence.js';
import { guestsWithoutAccess, seenBy } from '../access/user-access.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { apiEmail, placeholderEmail } from './user-view.js';

/** Seconds of a day. */
export const DAY_SECONDS = 86_400;

/** Who was last there so long ago is offline, also for clients whose clocks differ by up to two minutes. Seconds. */
export const GONE_SECONDS = PRESENCE_OFFLINE_THRESHOLD_SECONDS + 120;

/**
 * Stored times, with the join date where one is missing (events-people.md#people). Who reported and never was active was
 * active so long before the report that no client shows it: an account of today would be by its join date.
 */
export function presenceTimes(user: UserDocument, stored: PresenceDocument): PresenceTimes {
  const joined = Math.floor(user.date_joined / 1000);
  const idle = stored.idle_timestamp;
  const never = idle === null ? joined : Math.min(joined, idle - GONE_SECONDS);
  return {
    active_timestamp: stored.active_timestamp ?? never,
    idle_timestamp: idle ?? joined,
  };
}

/**
 * Emits a user's presence: to all, or, as the server is configured, to those who see the user
 * (events-people.md#people).
 */
export function emitPresence(tx: Transaction, user: UserDocument, stored: PresenceDocument): void {
  const { org } = tx;
  const blind = guestsWithoutAccess(org, user);
  const data = presenceData(tx, user, stored);
  if (blind.length === 0) tx.emit('presence', { to: 'all' }, data);
  else if (limitsPresence(org)) tx.emit('presence', { to: 'all', except: blind }, data);
  else {
    const unknown_to = { users: blind, email: placeholderEmail(org, user.user_id) };
    tx.emit('presence', { to: 'all' }, { ...data, unknown_to });
  }
}

/** Emits a user's presence to viewers who see the user from now on, if viewers have it of users whom they see alone. */
export function emitPresenceTo(
  tx: Transaction,
  user: UserDocument,
  viewerIds: readonly number[],
): void {
  const { org } = tx;
  const stored = org.presences.get(user.user_id);
  if (!stored || !limitsPresence(org) || org.realm.current.presence_disabled) return;
  tx.emit('presence', { to: 'users', users: viewerIds }, presenceData(tx, user, stored));
}

/** The data of a `presence` event. */
function presenceData(
  tx: Transaction,
  user: UserDocument,
  stored: PresenceDocument,
): PresenceEventData {
  return {
    user_id: user.user_id,
    email: apiEmail(tx.org, user),
    server_timestamp: tx.now / 1000,
    ...presenceTimes(user, stored),
  };
}

/**
 * Whether guests who do not see a user do not learn their presence either
 * (`CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE`).
 */
export function limitsPresence(org: Organization): boolean {
  return org.site.limitsPresence !== false;
}

/** Parameters of a request for presence. */
interface PresenceQuery {
  /** Who asks; absent: somebody who sees everybody. */
  readonly viewer?: UserDocument;
  /** Modern form by user id; otherwise legacy form by e-mail. */
  readonly slim: boolean;
  /** Age limit of the data without `lastUpdateId`, days; 0 gives none. */
  readonly historyDays: number;
  /** Above 0: only changes after this update. Otherwise all presence. */
  readonly lastUpdateId?: number;
}

/** Presence data and the cursor for the next request (register-structures.md#presences). */
export interface PresenceReply<P = ModernPresence | LegacyPresence> {
  readonly presences: Readonly<Record<string, P>>;
  readonly presence_last_update_id: number;
  /** UNIX seconds with a fraction. */
  readonly server_timestamp: number;
}

/** Presence of active humans whom the viewer may know of; with `lastUpdateId` it costs only the changes. */
export function presenceReply(org: Organization, query: PresenceQuery): PresenceReply {
  return query.slim
    ? collected(org, query, (user, times) => [String(user.user_id), times])
    : collected(org, query, (user, times, isSeen) => [
        isSeen ? apiEmail(org, user) : placeholderEmail(org, user.user_id),
        legacyForm(times),
      ]);
}

function collected<P>(
  org: Organization,
  query: Omit<PresenceQuery, 'slim'>,
  shown: (user: UserDocument, times: PresenceTimes, isSeen: boolean) => [name: string, presence: P],
): PresenceReply<P> {
  const found = org.realm.current.presence_disabled ? [] : changesAsked(org, query);
  const seen = found.length > 0 && query.viewer ? seenBy(org, query.viewer) : null;
  const presences: Record<string, P> = {};
  let newest = Math.max(query.lastUpdateId ?? -1, org.history.earlierPresence);
  for (const stored of found) {
    const user = org.users.get(stored.user_id);
    if (!user || !showsPresence(user)) continue;
    newest = Math.max(newest, stored.update_id);
    const isSeen = seen?.has(user.user_id) ?? true;
    if (!isSeen && limitsPresence(org)) continue;
    const [name, presence] = shown(user, presenceTimes(user, stored), isSeen);
    presences[name] = presence;
  }
  return { presences, presence_last_update_id: newest, server_timestamp: org.now() / 1000 };
}

/** Whether the account has presence: active humans do. */
export function showsPresence(user: UserDocument): boolean {
  return user.is_active && !user.is_bot;
}

function changesAsked(org: Organization, query: Omit<PresenceQuery, 'slim'>): PresenceDocument[] {
  const { lastUpdateId = -1 } = query;
  let { historyDays } = query;
  if (lastUpdateId > 0) {
    if (lastUpdateId >= org.history.earlierPresence) return org.presences.since(lastUpdateId);
    // A cursor of another history: the client gets everything that it may be missing.
    historyDays ||= PRESENCE_HISTORY_LIMIT_DAYS;
  }
  if (historyDays === 0) return [];
  const from = org.now() / 1000 - historyDays * DAY_SECONDS;
  return org.presences.since(-1).filter((stored) => (stored.idle_timestamp ?? 0) >= from);
}

/** Presence of one user as `presences` shows it in the legacy form. */
export function legacyForm(times: PresenceTimes): LegacyPresence {
  const entry = legacyEntry(times);
  return { aggregated: entry, [LEGACY_CLIENT]: { ...entry, pushable: false } };
}

/**
 * Presence of one user in the modern form and the legacy one: `aggregated` says `offline` where the last report is
 * older than the offline threshold, `website` what it said (endpoints-users.md#presence-and-status).
 */
export function bothForms(times: PresenceTimes, now: number) {
  const { status, timestamp } = legacyEntry(times);
  const isOffline = now - timestamp > PRESENCE_OFFLINE_THRESHOLD_SECONDS;
  return {
    ...times,
    website: { status, timestamp },
    aggregated: { status: isOffline ? ('offline' as const) : status, timestamp },
  };
}
