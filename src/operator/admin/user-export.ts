/** `parley users export`: what the organization keeps of a person, row by row. */
import { badRequest } from '../../errors/index.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { loadOwned } from '../../organization/state/scheduled/loaded-items.js';
import { type ScheduledDocument } from '../../organization/state/scheduled/scheduled-collection.js';
import { withReadableText } from '../../organization/scheduling/reminders.js';
import { recordAction } from '../../organization/state/audit.js';
import { OPERATOR } from '../../organization/state/audited.js';
import type { Organization } from '../../organization/state/organization.js';
import { attachmentKey } from '../../organization/uploads/attachments.js';
import { avatarKeys } from '../../organization/users/avatar-change.js';
import { accountOf } from './accounts.js';
import type { AdminNode, AdminRequest, Asker } from './admin-request.js';

/** Messages read from the store at a time. */
const TOGETHER = 200;

/**
 * Lists everything stored about a person that they may have: account, settings, what they wrote, direct
 * conversations in which they take part. Never: password, keys, second factor.
 */
export async function exportUser(
  node: AdminNode,
  { args: [who = ''] }: AdminRequest,
  { row, isGone, drained }: Asker,
): Promise<unknown> {
  const { org, runtime } = node.served;
  const user = accountOf(node, who);
  const { user_id } = user;
  runtime.transact((tx) => {
    const fields = [{ name: 'export', old: null, new: null }];
    recordAction(tx, { kind: 'user', id: user_id, name: user.full_name, action: 'done', fields });
  }, OPERATOR);
  const count = { messages: 0, files: 0, others: 0 };
  const tell = (kind: string, fields: object): void => {
    row({ kind, ...fields });
    if (kind !== 'message' && kind !== 'file') count.others += 1;
  };
  for (const [kind, fields] of kept(org, user)) tell(kind, fields);
  const scheduled = await loadOwned(org.scheduledMessages, user_id);
  for (const one of scheduled.values()) tell('scheduled_message', said(one));
  const reminders = await loadOwned(org.reminders, user_id);
  for (const one of reminders.values()) tell('reminder', said(withReadableText(org, one)));
  for (const file of filesOf(org, user)) {
    count.files += 1;
    tell('file', file);
  }
  const pause = new EventLoopYield();
  let ids: number[] = [];
  const flush = async (): Promise<void> => {
    const documents = await org.messages.fetch(ids, false);
    for (const id of ids) {
      const document = documents.get(id);
      if (document) tell('message', shown(org, document));
      count.messages += Number(document !== undefined);
    }
    ids = [];
    await drained();
    await pause.take();
    if (isGone()) throw badRequest('The export was interrupted');
  };
  for (const id of messageIds(org, user_id)) {
    if (ids.push(id) >= TOGETHER) await flush();
  }
  await flush();
  return count;
}

/** Stored data beside messages and files, by kind. */
function* kept(org: Organization, user: UserDocument): Generator<[string, object]> {
  const { password_hash: _hash, key_version: _key, login_places: _places, ...account } = user;
  const { user_id } = user;
  yield ['account', account];
  const single = {
    settings: org.settings.get(user_id),
    profile: org.profiles.get(user_id),
    status: org.statuses.get(user_id),
    presence: org.presences.get(user_id),
    activity: org.activities.get(user_id),
    alert_words: org.alertWords.get(user_id),
    bot_storage: org.botStorage.get(user_id),
  };
  for (const [kind, document] of Object.entries(single)) if (document) yield [kind, document];
  for (const subscription of org.subscriptions.ofUser(user_id).values()) {
    const { spans: _spans, ...own } = subscription;
    yield ['subscription', { ...own, channel: org.channels.get(own.stream_id)?.name }];
  }
  for (const group of org.groups.values()) {
    if (group.members.includes(user_id)) yield ['group', { id: group.id, name: group.name }];
  }
  for (const one of org.userTopics.ofUser(user_id)) yield ['topic', one];
  for (const id of org.mutedUsers.mutedBy(user_id)) yield ['muted_user', { id }];
  for (const collection of org.belongings) {
    for (const one of collection.of(user_id)) yield [collection.name, one];
  }
  for (const one of org.audit.values()) {
    if (one.user_id === user_id) yield ['change', one];
  }
}

/** What a scheduled item says, and its state. */
function said({ value, context }: ScheduledDocument): object {
  return { ...context, state: value };
}

/** Uploaded files with the keys of their bytes; the command copies these. */
function* filesOf(org: Organization, user: UserDocument): Generator<object> {
  for (const file of org.attachments.of(user.user_id)) yield { ...file, key: attachmentKey(file) };
  if (user.avatar_file === undefined) return;
  yield { id: 0, name: 'avatar.png', key: avatarKeys(user.avatar_file).medium };
}

/** What they sent to channels, and all of their direct conversations, each once. */
function* messageIds(org: Organization, userId: number): Generator<number> {
  const { index } = org.messages;
  const sent = index.sentBy(userId);
  for (let i = 0; i < sent.length; i++) {
    const id = sent.at(i)!;
    const summary = index.peek(id);
    if (summary && org.channels.byRecipient(summary.recipient_id)) yield id;
  }
  for (const recipientId of org.conversations.ofUser(userId)) {
    const list = index.conversation(recipientId);
    for (let i = 0; i < list.length; i++) yield list.at(i)!;
  }
}

function shown(org: Organization, message: MessageDocument): object {
  const { stream_id, recipient_id } = message;
  const name = (id: number): string => org.users.get(id)?.full_name ?? `user ${id}`;
  return {
    id: message.id,
    sender_id: message.sender_id,
    sender: name(message.sender_id),
    ...(stream_id === null
      ? { with: org.conversations.get(recipient_id)?.user_ids.map(name) }
      : { channel: org.channels.get(stream_id)?.name, topic: message.topic }),
    timestamp: message.timestamp,
    content: message.content,
    reactions: message.reactions,
    ...(message.edit_history ? { edit_history: message.edit_history } : {}),
  };
}
