import type { EventFields } from '../../../schemas/events.js';
import type { DraftDocument } from '../../../schemas/personal/drafts.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_DRAFTS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { truncateContent, storedTopicName } from '../../services/text/stored-text.js';
import type { Organization } from '../state/organization.js';
import { canSeeChannel } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';

/** A draft, as in requests. */
interface DraftInput {
  readonly type: '' | 'stream' | 'private' | 'channel' | 'direct';
  readonly to: readonly number[];
  readonly topic: string;
  readonly content: string;
  /** UNIX seconds; absent means now. */
  readonly timestamp?: number;
}

/** A user's drafts as clients see them, newest edit first; none while synchronization is off. */
export function draftsOf(org: Organization, userId: number) {
  if (!synchronizes(org, userId)) return [];
  return org.drafts
    .of(userId)
    .sort((a, b) => b.timestamp - a.timestamp || b.id - a.id)
    .map(shown);
}

function shown({ user_id: _owner, ...draft }: DraftDocument) {
  return draft;
}

function synchronizes(org: Organization, userId: number): boolean {
  return org.settings.value(userId, 'enable_drafts_synchronization');
}

/** Creates drafts, all or none (endpoints-personal.md#personal-things). @throws ApiError */
export function createDrafts(
  tx: Transaction,
  user: UserDocument,
  inputs: readonly DraftInput[],
): number[] {
  const { org } = tx;
  assertSynchronized(org, user);
  if (org.drafts.countOf(user.user_id) + inputs.length > MAX_DRAFTS) {
    throw badRequest(`You can have at most ${MAX_DRAFTS} drafts.`);
  }
  const drafts = inputs.map((input) => {
    const fields = checkedFields(tx, user, input);
    return org.drafts.insert({ id: org.counters.next('draft'), user_id: user.user_id, ...fields });
  });
  if (drafts.length > 0) emitDrafts(tx, user, { op: 'add', drafts: drafts.map(shown) });
  return drafts.map((draft) => draft.id);
}

/** Replaces a draft's text and recipients. @throws ApiError */
export function editDraft(
  tx: Transaction,
  user: UserDocument,
  id: number,
  input: DraftInput,
): void {
  assertSynchronized(tx.org, user);
  existing(tx.org, user, id);
  const draft = tx.org.drafts.update(id, checkedFields(tx, user, input));
  emitDrafts(tx, user, { op: 'update', draft: shown(draft) });
}

/** @throws ApiError */
export function deleteDraft(tx: Transaction, user: UserDocument, id: number): void {
  assertSynchronized(tx.org, user);
  existing(tx.org, user, id);
  tx.org.drafts.delete(id);
  emitDrafts(tx, user, { op: 'remove', draft_id: id });
}

/** Deletes all drafts of a user who switched synchronization off; emits nothing (settings.md#user-settings). */
export function forgetDrafts(tx: Transaction, userId: number): void {
  for (const { id } of tx.org.drafts.of(userId)) tx.org.drafts.delete(id);
}

function assertSynchronized(org: Organization, user: UserDocument): void {
  if (!synchronizes(org, user.user_id)) {
    throw badRequest('User has disabled synchronizing drafts.');
  }
}

function existing(org: Organization, user: UserDocument, id: number): DraftDocument {
  const draft = org.drafts.get(id);
  if (draft?.user_id !== user.user_id) throw badRequest('Draft does not exist', 404);
  return draft;
}

type DraftFields = Omit<DraftDocument, 'id' | 'user_id'>;

/** Checks a draft; its content is truncated like a message's, but may be empty. @throws ApiError */
function checkedFields(tx: Transaction, user: UserDocument, input: DraftInput): DraftFields {
  const { timestamp = tx.seconds } = input;
  if (timestamp < 0) throw badRequest('Timestamp must not be negative.');
  if (timestamp > Number.MAX_SAFE_INTEGER) {
    throw badRequest(`Timestamp is too large (maximum ${Number.MAX_SAFE_INTEGER}).`);
  }
  if (input.content.includes('\0')) throw badRequest('Content must not contain null bytes');
  return {
    ...checkedAddress(tx.org, user, input),
    content: truncateContent(input.content.trimEnd()),
    timestamp: Math.floor(timestamp),
  };
}

function checkedAddress(
  org: Organization,
  user: UserDocument,
  { type, to, topic }: DraftInput,
): Pick<DraftFields, 'type' | 'to' | 'topic'> {
  if (type === '') return { type: '', to: [], topic: '' };
  if (type === 'private' || type === 'direct') {
    for (const id of to) if (!org.users.has(id)) throw badRequest(`Invalid user ID ${id}`);
    return { type: 'private', to: [...to], topic: '' };
  }
  const name = storedTopicName(topic);
  if (to.length !== 1) throw badRequest('Must specify exactly 1 channel ID for channel messages');
  const channel = org.channels.get(to[0]!);
  if (!channel || !canSeeChannel(org, user, channel)) throw badRequest('Invalid channel ID');
  return { type: 'stream', to: [...to], topic: name };
}

function emitDrafts(tx: Transaction, { user_id }: UserDocument, data: EventFields<'drafts'>): void {
  tx.emit('drafts', { to: 'users', users: [user_id] }, data);
}
