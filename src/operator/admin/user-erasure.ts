/** `parley users erase`: what the organization keeps of a person goes, in steps that are durable each. */
import { deactivateUser } from '../../../schemas/users/user-administration.js';
import { badRequest } from '../../errors/index.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { removeMessages } from '../../organization/messages/deletion/remove-messages.js';
import { DELETION_BATCH } from '../../organization/messages/deletion/topic-deletions.js';
import { deleteExport } from '../../organization/realm/exports.js';
import type { Organization } from '../../organization/state/organization.js';
import { OPERATOR } from '../../organization/state/audited.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { scrubAudit, eraseAccount, erasePersonal } from '../../organization/users/erasure.js';
import { removeBlobs } from '../../resources/users/picture-upload.js';
import { accountOf, userRow, callAsOwner } from './accounts.js';
import type { AdminNode, AdminRequest, Asker } from './admin-request.js';

/**
 * Erases a person. Cut off, it is repeated by the number of the account, whose address is gone by then.
 * @throws ApiError for the last owner, and without the flag that says that it is meant
 */
export async function eraseUser(
  node: AdminNode,
  { args: [who = ''], flags }: AdminRequest,
  { isGone }: Asker,
): Promise<unknown> {
  const { org, runtime, parts } = node.served;
  const { user_id } = accountOf(node, who);
  if (flags['yes'] !== true) {
    throw badRequest('Erased data cannot be restored: repeat the command with --yes to confirm');
  }
  const exports = [...org.realmExports.values()];
  if (exports.some(({ pending }) => pending)) {
    throw badRequest('An export is in progress: repeat the command when it is done');
  }
  if (org.users.get(user_id)!.is_active) await callAsOwner(node, deactivateUser, { user_id });
  const { blobs, log } = parts;
  const onBlobError = (error: unknown): void => log.error({ err: error }, 'a file was not removed');
  const erasing = {
    remove: (keys: readonly string[]) => removeBlobs({ blobs, onBlobError }, keys),
  };
  const pause = new EventLoopYield();
  /** Does a part of the work at a time, each durable before the next, until nothing is left of it. */
  const all = async (part: (tx: Transaction) => number): Promise<number> => {
    for (let sum = 0; ;) {
      if (isGone()) throw badRequest('The erasure was interrupted: repeat it');
      const count = runtime.transact(part, OPERATOR);
      if (count === 0) return sum;
      sum += count;
      await runtime.journal.barrier();
      await pause.take();
    }
  };
  runtime.transact((tx) => eraseAccount(tx, org.users.get(user_id)!, erasing), OPERATOR);
  // They have what is erased.
  for (const { id, parts: files } of exports) {
    if (files.length === 0) continue;
    runtime.transact((tx) => deleteExport(tx, id, erasing.remove), OPERATOR);
  }
  const messages = flags['messages'] === true ? await all((tx) => eraseSent(tx, user_id)) : 0;
  const documents = await all((tx) => erasePersonal(tx, user_id, erasing));
  const audit_records = await all((tx) => scrubAudit(tx, user_id));
  const left = org.messages.index.sentBy(user_id).length;
  return {
    ...userRow(org.users.get(user_id)!),
    ...{ messages_deleted: messages, messages_left: left, documents, audit_records },
  };
}

/** Deletes newest messages of one topic or conversation. @returns how many */
function eraseSent(tx: Transaction, userId: number): number {
  const found = newestTogether(tx.org, userId);
  if (found.ids.length > 0) removeMessages(tx, { ...found, actor: null });
  return found.ids.length;
}

function newestTogether({ messages: { index } }: Organization, userId: number) {
  const sent = index.sentBy(userId);
  const topic = sent.last === undefined ? undefined : index.topicOf(sent.last);
  const ids: number[] = [];
  // Of the newest ones those that stand with the last: others come with the next batch.
  for (let i = sent.length - 1; i >= Math.max(0, sent.length - DELETION_BATCH); i--) {
    if (index.topicOf(sent.at(i)!) === topic) ids.unshift(sent.at(i)!);
  }
  return { recipientId: topic?.recipientId ?? 0, topic: topic?.name ?? '', ids };
}
