/** Accounts as the operator names and sees them. */
import {
  ROLE,
  type Role,
  type UserDocument,
  type UserRight,
} from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import type { AdminNode } from './admin-request.js';
import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import type { Reply } from '../../resources/kernel/route.js';

const ROLE_NAMES = Object.keys(ROLE) as (keyof typeof ROLE)[];

/** An account as tables show it. */
export function userRow(user: UserDocument) {
  const { user_id, email, full_name, role, is_active, is_bot, is_email_unverified } = user;
  const name = ROLE_NAMES.find((one) => ROLE[one] === role) ?? String(role);
  return {
    id: user_id,
    email,
    verified: is_email_unverified !== true,
    name: full_name,
    role: name,
    active: is_active,
    bot: is_bot,
  };
}

/** By address or id. @throws ApiError */
export function accountOf({ served }: AdminNode, text: string): UserDocument {
  const { users } = served.org;
  const user = /^\d+$/.test(text) ? users.get(Number(text)) : users.byRealEmail(text);
  if (!user || user.is_system_bot) throw badRequest(`There is no account ${text}`);
  return user;
}

/** Whether somebody can administer the organization: one that comes from elsewhere may have nobody. */
export function hasOwner({ served }: AdminNode): boolean {
  return ownersOf(served.org).length > 0;
}

function ownersOf({ users }: AdminNode['served']['org']): UserDocument[] {
  return [...users.values()].filter(
    (user) => user.role === ROLE.owner && user.is_active && !user.is_bot,
  );
}

/** The owner whose rights the commands have: the one with the smallest id. @throws ApiError */
function ownerOf({ served }: AdminNode): UserDocument {
  const owners = ownersOf(served.org);
  const [first] = owners.sort((a, b) => a.user_id - b.user_id);
  if (!first) {
    throw badRequest(
      'The organization has no active owner: make somebody one, parley users role EMAIL owner',
    );
  }
  return first;
}

/** The role that a flag or an argument names; a member's where there is none. @throws ApiError */
export function roleFrom(flag: string | boolean | undefined): Role {
  if (flag === undefined) return ROLE.member;
  const name = ROLE_NAMES.find((one) => one === flag);
  if (!name) throw badRequest(`A role is one of ${ROLE_NAMES.join(', ')}`);
  return ROLE[name];
}

/** The result of a change of rights, for the operator. */
export function rightSentence(user: UserDocument, right: UserRight, granted: boolean): string {
  return `${user.full_name} <${user.email}> ${granted ? 'has' : 'no longer has'} ${right}`;
}

/** Calls an endpoint with the rights of an owner. @throws ApiError as the API does */
export async function callAsOwner(
  node: AdminNode,
  { operation }: EndpointDescriptor,
  params: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const route = node.served.service.routes.find(
    ({ endpoint }) => endpoint.operation === operation,
  )!;
  return route.call({
    ...{ caller: { user: ownerOf(node) }, params, isOperator: true },
    ...{ clientName: 'parley admin', remoteAddress: 'admin socket' },
  });
}
