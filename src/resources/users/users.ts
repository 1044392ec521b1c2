import * as descriptors from '../../../schemas/users/users.js';
import type { UserObject } from '../../../schemas/users/users.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { checkedFullName, checkedNewEmail } from '../../organization/accounts/account-checks.js';
import { createUser } from '../../organization/accounts/accounts.js';
import { welcomeUser } from '../../organization/invitations/welcome.js';
import { maxMessageId } from '../../organization/messages/reading/unread.js';
import type { Organization } from '../../organization/state/organization.js';
import { canSeeUser, isLimited, seenBy } from '../../organization/access/user-access.js';
import {
  apiEmail,
  canSeeEmail,
  ownViewText,
  placeholderEmail,
  userByEmail,
  userView,
  type UserViewOptions,
} from '../../organization/views/user-view.js';
import type { SnapshotFragments, TextSource } from '../snapshot-fragments/fragment-cache.js';
import { limitedPeopleText } from '../snapshot-fragments/limited-sources.js';
import { peopleText } from '../snapshot-fragments/fragment-sources.js';
import { JsonParts } from '../snapshot-fragments/json-parts.js';
import { sharedTexts, withOwnAddress } from '../snapshot-fragments/shared-texts.js';
import { ConcurrencyLimiter } from '../../turns/concurrency-limiter.js';
import { isAcceptablePassword } from '../../services/auth/password-strength.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { claimantOf, type Passwords } from '../../services/auth/passwords.js';
import { EncodedReply, TextReply } from '../kernel/route.js';
import { handle, handleInParts, handlePrepared, type AnyHandler } from '../kernel/handler.js';

/** Dependencies of the user endpoints. */
interface UserHandlerParts {
  readonly passwords: Passwords;
  readonly markdown: Markdown;
}

/** The endpoints of endpoints-users.md#read-users and endpoints-users.md#user-administration about single accounts. */
export function userHandlers(parts: UserHandlerParts): AnyHandler[] {
  return [ownUser, allUsers(), userById, userByAddress, creation(parts)];
}

interface ViewParams {
  readonly client_gravatar: boolean;
  readonly include_custom_profile_fields: boolean;
}

function viewOptions(params: ViewParams): UserViewOptions {
  return {
    clientGravatar: params.client_gravatar,
    withProfile: params.include_custom_profile_fields,
  };
}

const ownUser = handle(descriptors.getOwnUser, ({ org }, { user }) => {
  const profile = user.is_bot
    ? ''
    : `,"profile_data":${JSON.stringify(org.profiles.shown(user.user_id))}`;
  const newest = `,"max_message_id":${maxMessageId(org, user)}`;
  return new TextReply([`,${ownViewText(org, user)}`, profile, newest]);
});

/** Requests for all users that wait until their texts are encoded; more are refused with 503, which clients retry. */
const MAX_WAITING = 10_000;

/** All users are joined from cached texts, which are encoded before the transaction, in stretches. */
function allUsers(): AnyHandler {
  const turns = new ConcurrencyLimiter(1, MAX_WAITING, 'Too many requests for all users');
  return handleInParts(
    descriptors.getUsers,
    function* (change, { user, params }, texts: SnapshotFragments | null) {
      const { org } = change;
      const options = viewOptions(params);
      if (texts) return everybody(org, user, options, texts);
      const members: UserObject[] = [];
      for (const member of asked(org, params.user_ids ?? [])) {
        if (change.isOver) yield* change.nextPart();
        if (member.is_system_bot || !canSeeUser(org, user, member)) continue;
        members.push(userView(org, user, member, options));
      }
      return { members };
    },
    async (org, { user, params }) => {
      if (params.user_ids !== undefined) return null;
      const texts = sharedTexts(org);
      const sources = () => [everyText(org, user, viewOptions(params))];
      await turns.take(() => texts.prepare(sources, () => org.users.ranges), user.user_id);
      return texts;
    },
  );
}

function everybody(
  org: Organization,
  viewer: UserDocument,
  options: UserViewOptions,
  texts: SnapshotFragments,
): EncodedReply {
  const out = new JsonParts();
  out.text(',"members":[');
  out.ranges(
    isLimited(org, viewer) ? texts : withOwnAddress(org, viewer, 'members', options, texts),
    everyText(org, viewer, options),
    org.users.ranges,
  );
  out.text(']');
  return new EncodedReply(out.end(), {}, out.shared);
}

/** All users whom the viewer sees; with the viewer's own address, where these are not all. */
function everyText(org: Organization, viewer: UserDocument, options: UserViewOptions): TextSource {
  const seen = seenBy(org, viewer);
  if (!seen) return peopleText(org, 'members', viewer.role, options);
  const limited = { user: viewer, seen };
  return limitedPeopleText(org, limited, 'members', { ...options, leavesOut: true });
}

/** Users with these ids, ascending, without unknown ids. */
function asked(org: Organization, ids: readonly number[]): UserDocument[] {
  const unique = [...new Set(ids)].sort((a, b) => a - b);
  return unique.flatMap((id) => org.users.get(id) ?? []);
}

const userById = handle(descriptors.getUser, ({ org }, { user, params }) => {
  const found = org.users.get(params.user_id);
  if (!found || !canSeeUser(org, user, found)) throw badRequest('No such user');
  return { user: userView(org, user, found, viewOptions(params)) };
});

const userByAddress = handle(descriptors.getUserByEmail, ({ org }, { user, params }) => ({
  user: userView(org, user, visibleByEmail(org, user, params.email), viewOptions(params)),
}));

/**
 * The user with an address that the caller may know; a hidden real address matches nobody.
 * @throws ApiError `No such user`, also for one whom the caller may not see
 */
export function visibleByEmail(
  org: Organization,
  viewer: UserDocument,
  email: string,
): UserDocument {
  const found = userByEmail(org, email);
  const address = email.toLowerCase();
  const known =
    found &&
    canSeeUser(org, viewer, found) &&
    (canSeeEmail(org, viewer, found) ||
      address === apiEmail(org, found).toLowerCase() ||
      address === placeholderEmail(org, found.user_id).toLowerCase());
  if (!known) throw badRequest('No such user');
  return found;
}

function creation({ passwords, markdown }: UserHandlerParts): AnyHandler {
  return handlePrepared(
    descriptors.createUser,
    async (org, { user, params }) => {
      // Before the costly hashing; checked again below, because the organization may change meanwhile.
      const email = checkedNewEmail(org, params.email, org.domains.list());
      const name = checkedFullName(org, params.full_name, null);
      if (!isAcceptablePassword(params.password, [email, name])) {
        throw badRequest('The password is too weak.');
      }
      const claimant = claimantOf(user.user_id);
      return passwords.hash(params.password, claimant);
    },
    (tx, { params }, password_hash) => {
      const email = checkedNewEmail(tx.org, params.email, tx.org.domains.list());
      const full_name = checkedFullName(tx.org, params.full_name, null);
      const account = {
        email,
        full_name,
        role: ROLE.member,
        password_hash,
        awaits_first_login: true,
      };
      const created = createUser(tx, account);
      welcomeUser(tx, markdown, created);
      return { user_id: created.user_id };
    },
  );
}
