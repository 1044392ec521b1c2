import type { GroupSettingValue } from '../../../schemas/groups/group-document.js';
import type { Organization } from '../state/organization.js';

type Holder<K extends string> = Readonly<Record<K, GroupSettingValue>>;

/** Names of the settings that name the group. */
export function naming<K extends string>(
  holder: Holder<K>,
  settings: readonly K[],
  groupId: number,
): K[] {
  return settings.filter((name) => groupsIn(holder[name]).includes(groupId));
}

/** Names of the settings that name deactivated groups. @param own a group that does not count */
export function namingDeactivated<K extends string>(
  org: Organization,
  holder: Holder<K>,
  settings: readonly K[],
  own?: number,
): K[] {
  return settings.filter((name) =>
    groupsIn(holder[name]).some((id) => id !== own && org.groups.get(id)?.deactivated === true),
  );
}

function groupsIn(value: GroupSettingValue): readonly number[] {
  return typeof value === 'number' ? [value] : value.direct_subgroups;
}
