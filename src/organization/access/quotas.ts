/** What the operator lets an organization have: refusals of errors.md for what would be more. */
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../state/organization.js';

/** @throws ApiError where one more person would be too many; bots count for none */
export function checkMemberFits(org: Organization): void {
  const most = org.site.memberQuota ?? null;
  if (most === null) return;
  const { active, bots } = org.users;
  let people = active.size;
  for (const id of bots) if (active.has(id)) people -= 1;
  if (people >= most) throw badRequest(`Your organization can have at most ${most} active users.`);
}

/** @throws ApiError where one more message would be too many */
export function checkMessageFits(org: Organization): void {
  const most = org.site.messageQuota ?? null;
  if (most === null || org.messages.index.size < most) return;
  throw badRequest(`Your organization can have at most ${most} messages.`);
}
