import type { UserDocument } from '../../../schemas/users/user-document.js';
import { directGroups } from '../access/group-members.js';
import {
  captureVisibility,
  emitVisibilityDiff,
  type ChannelVisibility,
} from '../channels/channel-visibility.js';
import { emitGroupMembers } from '../views/group-events.js';
import type { Organization } from '../state/organization.js';
import { takePlaces, vacatePlaces } from './permission-places.js';
import type { Transaction } from '../state/transaction.js';

/** Groups and visible channels of an account at one moment. */
interface MembershipSnapshot {
  readonly user: UserDocument;
  /** Groups with the account as a direct member: the group of its role, full members, then others by id. */
  readonly groupIds: readonly number[];
  readonly visibility: ChannelVisibility;
}

/** Captures an account before its role or active state changes; see {@link emitMembershipDiff}. */
export function captureMembership(org: Organization, userId: number): MembershipSnapshot {
  const user = org.users.get(userId)!;
  const visibility = captureVisibility(org, [userId], [...org.channels.values()]);
  return { user, groupIds: directGroups(org, user).map(({ id }) => id), visibility };
}

/**
 * Emits the effects of a change of an account's role or active state (events.md#order, "change role",
 * "deactivate user", "reactivate user"): `user_group` remove_members and add_members of the groups that
 * lost and gained it; permission values without a deactivated account, and with one that is active again; then the
 * channels it gained or lost access to.
 */
export function emitMembershipDiff(tx: Transaction, former: MembershipSnapshot): void {
  const { org } = tx;
  const user = org.users.get(former.user.user_id)!;
  const groupIds = directGroups(org, user).map(({ id }) => id);
  const emitMembers = (op: 'add_members' | 'remove_members', ids: readonly number[]) => {
    for (const id of ids) emitGroupMembers(tx, op, org.groups.get(id)!, [user.user_id]);
  };
  const lost = former.groupIds.filter((id) => !groupIds.includes(id));
  const gained = groupIds.filter((id) => !former.groupIds.includes(id));
  const full = org.groups.system('role:fullmembers').id;
  // The group of the role first, full membership second.
  for (const isFull of [false, true]) {
    const part = (ids: readonly number[]) => ids.filter((id) => (id === full) === isFull);
    emitMembers('remove_members', part(lost));
    emitMembers('add_members', part(gained));
  }
  if (user.is_active !== former.user.is_active) {
    if (user.is_active) takePlaces(tx, user.user_id);
    else vacatePlaces(tx, user.user_id);
  }
  emitVisibilityDiff(tx, former.visibility);
}
