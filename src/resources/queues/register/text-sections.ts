import { ownFields, shownGroups } from '../../../organization/users/people-snapshot.js';
import { groupView } from '../../../organization/access/group-members.js';
import type { UserViewOptions } from '../../../organization/views/user-view.js';
import type { JsonParts } from '../../snapshot-fragments/json-parts.js';
import { seenBy } from '../../../organization/access/user-access.js';
import {
  limitedPeopleText,
  limitedPresenceText,
  limitedStatusText,
  limitedSystemGroupText,
  type LimitedViewer,
} from '../../snapshot-fragments/limited-sources.js';
import type { GroupDocument } from '../../../../schemas/groups/user-group.js';
import type { Organization } from '../../../organization/state/organization.js';
import {
  PEOPLE_LISTS,
  type PeopleList,
  peopleText,
  presenceText,
  statusText,
  systemGroupText,
} from '../../snapshot-fragments/fragment-sources.js';
import { withOwnAddress } from '../../snapshot-fragments/shared-texts.js';
import type { SnapshotFragments, TextSource } from '../../snapshot-fragments/fragment-cache.js';
import type { SnapshotRequest } from './queue-request.js';

/** Input of a section before the transaction. */
export type TextRequest = Omit<SnapshotRequest, 'schedule'>;

/**
 * A section that grows with the number of users, so it is joined from cached texts, which are encoded
 * before the transaction.
 */
interface TextSection {
  sources(request: TextRequest): readonly TextSource[];
  /** Adds its fields. */
  write(request: TextRequest, texts: SnapshotFragments, out: JsonParts): void;
}

/** Sections that are joined from cached texts, by the name that fetches them. */
export const TEXT_SECTIONS: Readonly<Record<string, TextSection>> = {
  presence: {
    sources: (request) =>
      hasPresences(request) ? [presences(request, limitedViewer(request))] : [],
    write(request, texts, out) {
      out.text(',"presences":{');
      const newest = hasPresences(request)
        ? out.ranges(texts, presences(request, limitedViewer(request)), request.org.users.ranges)
        : -1;
      out.text('}');
      const { earlierPresence } = request.org.history;
      out.field('presence_last_update_id', Math.max(newest, earlierPresence));
      out.field('server_timestamp', request.org.now() / 1000);
    },
  },
  realm_user_groups: {
    sources(request) {
      const { org, params } = request;
      const viewer = limitedViewer(request);
      return shownGroups(org, includesDeactivated(params))
        .filter((group) => group.is_system_group)
        .map((group) => systemMembers(org, viewer, group));
    },
    write(request, texts, out) {
      const { org, params } = request;
      const viewer = limitedViewer(request);
      out.text(',"realm_user_groups":[');
      shownGroups(org, includesDeactivated(params)).forEach((group, index) => {
        if (index > 0) out.text(',');
        if (!group.is_system_group) {
          out.text(JSON.stringify(groupView(org, group, viewer?.seen)));
          return;
        }
        const { members: _members, ...shown } = group;
        out.text(`${JSON.stringify(shown).slice(0, -1)},"members":[`);
        out.ranges(texts, systemMembers(org, viewer, group), org.users.ranges);
        out.text(']}');
      });
      out.text(']');
    },
  },
  realm_user: {
    sources: (request) => PEOPLE_LISTS.map((list) => people(request, limitedViewer(request), list)),
    write(request, texts, out) {
      const { org, user } = request;
      const viewer = limitedViewer(request);
      for (const list of PEOPLE_LISTS) {
        out.text(`,"${list}":[`);
        out.ranges(
          list === 'realm_users' && !viewer
            ? withOwnAddress(org, user, list, viewOptions(request), texts)
            : texts,
          people(request, viewer, list),
          org.users.ranges,
        );
        out.text(']');
      }
      const own = ownFields(org, user);
      for (const name in own) out.field(name, own[name]);
    },
  },
  subscription: {
    sources: ({ channels }) => channels.sources(),
    write: ({ channels, user }, texts, out) => channels.writeSubscriptions(user, texts, out),
  },
  stream: {
    sources: () => [],
    write: ({ channels, user }, _texts, out) => channels.writeChannels(user, out),
  },
  user_status: {
    sources: (request) => [statuses(request)],
    write(request, texts, out) {
      out.text(',"user_status":{');
      out.ranges(texts, statuses(request), request.org.users.ranges);
      out.text('}');
    },
  },
};

function hasPresences({ org, params }: TextRequest): boolean {
  return !org.realm.current.presence_disabled && params.presence_history_limit_days !== 0;
}

/**
 * The viewer with those whom they see, where these are not all. Computed at each call, because it may change in
 * between.
 */
function limitedViewer({ org, user }: TextRequest): LimitedViewer | null {
  const seen = seenBy(org, user);
  return seen && { user, seen };
}

function presences({ org, params }: TextRequest, viewer: LimitedViewer | null): TextSource {
  const options = {
    slim: params.slim_presence,
    historyDays: params.presence_history_limit_days,
  };
  return viewer ? limitedPresenceText(org, viewer, options) : presenceText(org, options);
}

function systemMembers(
  org: Organization,
  viewer: LimitedViewer | null,
  group: GroupDocument,
): TextSource {
  return viewer ? limitedSystemGroupText(org, viewer, group) : systemGroupText(org, group.id);
}

function people(request: TextRequest, viewer: LimitedViewer | null, list: PeopleList): TextSource {
  const { org, user, params } = request;
  const options = viewOptions(request);
  // Everybody sees the bots that post notices.
  if (!viewer || list === 'cross_realm_bots') return peopleText(org, list, user.role, options);
  const leavesOut = params.client_capabilities.user_list_incomplete ?? false;
  return limitedPeopleText(org, viewer, list, { ...options, leavesOut });
}

function statuses(request: TextRequest): TextSource {
  const viewer = limitedViewer(request);
  return viewer ? limitedStatusText(request.org, viewer) : statusText(request.org);
}

function includesDeactivated({ client_capabilities }: TextRequest['params']): boolean {
  return client_capabilities.include_deactivated_groups ?? false;
}

function viewOptions({ params, wants }: Pick<TextRequest, 'params' | 'wants'>): UserViewOptions {
  return { clientGravatar: params.client_gravatar, withProfile: wants('custom_profile_fields') };
}
