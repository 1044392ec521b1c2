import { ROLE, type Role, type UserDocument } from '../../../schemas/users/user-document.js';
import { RANGE_SIZE } from '../../organization/state/user-collections.js';
import type { Organization } from '../../organization/state/organization.js';
import {
  DAY_SECONDS,
  legacyForm,
  presenceTimes,
  showsPresence,
} from '../../organization/views/presence-view.js';
import {
  apiEmail,
  placeholderEmail,
  roleSeesEmail,
  userFields,
  type UserViewOptions,
  statusObject,
} from '../../organization/views/user-view.js';
import type { Encoded, TextSource } from './fragment-cache.js';
import { PARTIAL_SUBSCRIBERS_THRESHOLD } from '../../../schemas/limits.js';
import { activeSubscriberCount } from '../../organization/views/channel-view.js';
import {
  latestActivity,
  isListedAlways,
  PARTIAL_ACTIVITY_SECONDS,
} from '../../organization/views/subscription-view.js';

/** The users of a range, by id. */
export function* usersIn(org: Organization, range: number): Generator<UserDocument> {
  for (let id = range * RANGE_SIZE; id < (range + 1) * RANGE_SIZE; id++) {
    const user = org.users.get(id);
    if (user) yield user;
  }
}

/** Lists of users: the three of the snapshot (register-structures.md#users), and that of `GET /users`. */
const LISTS = {
  members: (user: UserDocument) => !user.is_system_bot,
  realm_users: (user: UserDocument) => !user.is_system_bot && user.is_active,
  realm_non_active_users: (user: UserDocument) => !user.is_system_bot && !user.is_active,
  cross_realm_bots: (user: UserDocument) => user.is_system_bot,
};
/** Name of one of the lists. */
export type PeopleList = keyof typeof LISTS;
/** Whether a user is in one of the lists. */
export function isListed(list: PeopleList, user: UserDocument): boolean {
  return LISTS[list](user);
}

/** Names of the lists in the snapshot, in its order. */
export const PEOPLE_LISTS = [
  'realm_users',
  'realm_non_active_users',
  'cross_realm_bots',
] as const satisfies readonly PeopleList[];

/** Roles that see different addresses. Any other role sees the same as the next larger number here. */
const ADDRESS_ROLES: readonly Role[] = [
  ROLE.administrator,
  ROLE.moderator,
  ROLE.member,
  ROLE.guest,
];

type PeopleSource = TextSource & Required<Pick<TextSource, 'shared'>>;

/** A list of users as viewers of a role see it. The viewer's own address is treated like any other. */
export function peopleText(
  org: Organization,
  list: PeopleList,
  role: Role,
  options: UserViewOptions,
): PeopleSource {
  const viewerRole = ADDRESS_ROLES.find((one) => role <= one) ?? ROLE.guest;
  const variant = `${list} ${options.clientGravatar} ${options.withProfile}`;
  const stamp = (range: number): number =>
    org.users.changes.of(range) +
    org.settings.changes.of(range) +
    org.profiles.changes.of(range) +
    org.profileFields.version;
  const encode = (range: number) => {
    let text = '';
    for (const user of usersIn(org, range)) {
      if (LISTS[list](user)) text += personText(org, user, viewerRole, options);
    }
    return { text };
  };
  const open = { key: `${variant} all`, stamp, encode };
  const own = { key: `${variant} ${viewerRole}`, stamp, encode };
  const shared = (range: number): TextSource => {
    if (list === 'members' && !org.users.hasInactive(range)) {
      return peopleText(org, 'realm_users', role, options).shared(range);
    }
    return org.settings.hidesAddresses(range) ? own : open;
  };
  return { ...own, shared };
}

/** A range of a list as one of them sees it, their own address included; never shared. */
export function peopleTextFor(
  org: Organization,
  viewer: UserDocument,
  list: PeopleList,
  options: UserViewOptions,
  range: number,
): Buffer {
  let text = '';
  for (const user of usersIn(org, range)) {
    if (!LISTS[list](user)) continue;
    const isSelf = user.user_id === viewer.user_id;
    text += personText(org, user, viewer.role, options, isSelf || undefined);
  }
  return Buffer.from(text);
}

/**
 * One element of such a list, after a comma.
 * @param emailVisible default: whether the role sees the address
 */
export function personText(
  org: Organization,
  user: UserDocument,
  role: Role,
  options: UserViewOptions,
  emailVisible = roleSeesEmail(org, role, user),
): string {
  return `,${JSON.stringify(userFields(org, user, emailVisible, options))}`;
}

/** The members of `user_status`, by user id. */
export function statusText(org: Organization): TextSource {
  return {
    key: 'statuses',
    stamp: (range) =>
      org.users.changes.of(range) + org.settings.changes.of(range) + org.statuses.changes.of(range),
    encode: (range) => statusesIn(org, range, () => true),
  };
}

/** The statuses of the users of a range whom `admits` admits. */
export function statusesIn(
  org: Organization,
  range: number,
  admits: (user: UserDocument) => boolean,
): Encoded {
  let text = '';
  for (const user of usersIn(org, range)) {
    if (!org.users.active.has(user.user_id) || !admits(user)) continue;
    const status = JSON.stringify(statusObject(org, user));
    if (status !== '{}') text += `,"${user.user_id}":${status}`;
  }
  return { text };
}

/** Format and extent of presence data. */
export interface PresenceTextOptions {
  readonly slim: boolean;
  /** Positive. */
  readonly historyDays: number;
}

/** The members of `presences`; `newest` is the largest `update_id` among them. */
export function presenceText(org: Organization, options: PresenceTextOptions): TextSource {
  return {
    key: `presences ${options.slim} ${options.historyDays}`,
    stamp: (range) =>
      org.users.changes.of(range) +
      org.settings.changes.of(range) +
      org.presences.changes.of(range),
    encode: (range) => presencesIn(org, range, options, () => 'seen'),
  };
}

/** The presences of the users of a range. @param knownAs how the viewer knows a user; null: not at all */
export function presencesIn(
  org: Organization,
  range: number,
  { slim, historyDays }: PresenceTextOptions,
  knownAs: (user: UserDocument) => 'seen' | 'unknown' | null,
): Encoded {
  const kept = historyDays * DAY_SECONDS;
  const from = org.now() / 1000 - kept;
  let text = '';
  let [until, newest] = [Infinity, -1];
  for (const user of usersIn(org, range)) {
    const { user_id } = user;
    const stored = org.presences.get(user_id);
    if (!stored || !showsPresence(user)) continue;
    const seen = stored.idle_timestamp ?? 0;
    if (seen < from) continue;
    until = Math.min(until, (seen + kept) * 1000);
    newest = Math.max(newest, stored.update_id);
    const known = knownAs(user);
    if (known === null) continue;
    const times = presenceTimes(user, stored);
    const email = () => (known === 'seen' ? apiEmail(org, user) : placeholderEmail(org, user_id));
    const name = slim ? `"${user_id}"` : JSON.stringify(email());
    text += `,${name}:${JSON.stringify(slim ? times : legacyForm(times))}`;
  }
  return { text, until, newest };
}

/** Ids of the direct members of a system group, which follow from roles. */
export function systemGroupText(org: Organization, groupId: number): TextSource {
  const group = org.groups.get(groupId)!;
  const days = org.realm.current.waiting_period_threshold;
  // Before the first update of full members, the present time decides.
  const counted = days === 0 ? 'always' : `${days} ${org.waitingPeriod.countedUntil ?? org.now()}`;
  return {
    key: `members of ${group.name}${group.name === 'role:fullmembers' ? ` ${counted}` : ''}`,
    stamp: (range) => org.users.changes.of(range),
    encode: (range) => {
      let text = '';
      for (const user of usersIn(org, range)) {
        if (org.groups.isDirectMember(group, user, org.isFullMember)) text += `,${user.user_id}`;
      }
      return { text };
    },
  };
}

/** With fewer subscribers per range, encoding a list costs less than checking its ranges for changes. */
const SUBSCRIBERS_PER_RANGE = 4;

/** Subscribers of a channel as text: all, or the `partial_subscribers` of a large channel. */
export interface SubscriberText {
  readonly field: 'subscribers' | 'partial_subscribers';
  readonly source: TextSource;
}

/** The text of a channel's subscribers; null where they are too few to be worth caching. */
export function subscriberText(
  org: Organization,
  streamId: number,
  include: true | 'partial',
): SubscriberText | null {
  const count = activeSubscriberCount(org, streamId);
  if (count < SUBSCRIBERS_PER_RANGE * org.users.ranges) return null;
  const isWhole = include === true || count < PARTIAL_SUBSCRIBERS_THRESHOLD;
  return isWhole
    ? { field: 'subscribers', source: allSubscribers(org, streamId) }
    : { field: 'partial_subscribers', source: someSubscribers(org, streamId) };
}

function allSubscribers(org: Organization, streamId: number): TextSource {
  const changes = org.subscriptions.changesOf(streamId);
  return {
    key: `subscribers ${streamId}`,
    stamp: (range) => changes.of(range) + org.users.changes.of(range),
    encode: (range) => {
      let text = '';
      for (const id of subscribersIn(org, streamId, range)) text += `,${id}`;
      return { text };
    },
  };
}

function someSubscribers(org: Organization, streamId: number): TextSource {
  const changes = org.subscriptions.changesOf(streamId);
  return {
    key: `partial subscribers ${streamId}`,
    stamp: (range) =>
      changes.of(range) +
      org.users.changes.of(range) +
      org.presences.returns.of(range) +
      org.activities.changes.of(range),
    encode: (range) => {
      const since = Math.floor(org.now() / 1000) - PARTIAL_ACTIVITY_SECONDS;
      let text = '';
      let until = Infinity;
      for (const id of subscribersIn(org, streamId, range)) {
        if (!isListedAlways(org, id, since)) continue;
        text += `,${id}`;
        if (org.users.get(id)!.is_bot) continue;
        const seen = latestActivity(org, id);
        until = Math.min(until, (seen + PARTIAL_ACTIVITY_SECONDS + 1) * 1000 - 1);
      }
      return { text, until };
    },
  };
}

function* subscribersIn(org: Organization, streamId: number, range: number): Generator<number> {
  for (let id = range * RANGE_SIZE; id < (range + 1) * RANGE_SIZE; id++) {
    if (org.users.active.has(id) && org.subscriptions.isSubscribed(id, streamId)) yield id;
  }
}
