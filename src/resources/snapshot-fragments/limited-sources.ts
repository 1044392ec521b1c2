import type { GroupDocument } from '../../../schemas/groups/user-group.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { SeenUsers } from '../../organization/access/user-access.js';
import type { Organization } from '../../organization/state/organization.js';
import { limitsPresence } from '../../organization/views/presence-view.js';
import { unknownUser } from '../../organization/views/unknown-user.js';
import type { UserViewOptions } from '../../organization/views/user-view.js';
import type { TextSource } from './fragment-cache.js';
import {
  isListed,
  personText,
  presencesIn,
  statusesIn,
  usersIn,
  type PeopleList,
  type PresenceTextOptions,
} from './fragment-sources.js';

/** A viewer who sees only some of the users. */
export interface LimitedViewer {
  readonly user: UserDocument;
  readonly seen: SeenUsers;
}

/** Options of a list of users for such a viewer. */
interface LimitedViewOptions extends UserViewOptions {
  /** Whether the others are left out, not listed as unknown users. */
  readonly leavesOut: boolean;
}

/** A list of users as one viewer sees it: the others are unknown users, who count as active, or left out. */
export function limitedPeopleText(
  org: Organization,
  { user: viewer, seen }: LimitedViewer,
  list: Exclude<PeopleList, 'cross_realm_bots'>,
  options: LimitedViewOptions,
): TextSource {
  const showsUnknown = list !== 'realm_non_active_users' && !options.leavesOut;
  return {
    key: `${list} of one`,
    isPrivate: true,
    stamp: (range) =>
      org.users.changes.of(range) +
      org.settings.changes.of(range) +
      org.profiles.changes.of(range) +
      org.profileFields.version +
      seen.stamp(range),
    encode: (range) => {
      let text = '';
      for (const user of usersIn(org, range)) {
        const { user_id } = user;
        if (seen.has(user_id)) {
          const isSelf = user_id === viewer.user_id;
          if (!isListed(list, user)) continue;
          text += personText(org, user, viewer.role, options, isSelf || undefined);
        } else if (showsUnknown) {
          text += `,${JSON.stringify(unknownUser(org, user_id, options.withProfile))}`;
        }
      }
      return { text };
    },
  };
}

/** The members of `user_status` whom one viewer sees. */
export function limitedStatusText(org: Organization, { seen }: LimitedViewer): TextSource {
  return {
    key: 'statuses of one',
    isPrivate: true,
    stamp: (range) =>
      org.users.changes.of(range) +
      org.settings.changes.of(range) +
      org.statuses.changes.of(range) +
      seen.stamp(range),
    encode: (range) => statusesIn(org, range, (user) => seen.has(user.user_id)),
  };
}

/** The members of `presences` that one viewer may know of; of others without their address. */
export function limitedPresenceText(
  org: Organization,
  { seen }: LimitedViewer,
  options: PresenceTextOptions,
): TextSource {
  return {
    key: 'presences of one',
    isPrivate: true,
    stamp: (range) =>
      org.users.changes.of(range) +
      org.settings.changes.of(range) +
      org.presences.changes.of(range) +
      seen.stamp(range),
    encode: (range) =>
      presencesIn(org, range, options, (user) => {
        if (seen.has(user.user_id)) return 'seen';
        return limitsPresence(org) ? null : 'unknown';
      }),
  };
}

/** Ids of the direct members of a system group whom one viewer sees. */
export function limitedSystemGroupText(
  org: Organization,
  { seen }: LimitedViewer,
  group: GroupDocument,
): TextSource {
  return {
    key: `members of ${group.name} for one`,
    isPrivate: true,
    stamp: (range) => org.users.changes.of(range) + seen.stamp(range),
    encode: (range) => {
      let text = '';
      for (const user of usersIn(org, range)) {
        if (!seen.has(user.user_id)) continue;
        if (org.groups.isDirectMember(group, user, org.isFullMember)) text += `,${user.user_id}`;
      }
      return { text };
    },
  };
}
