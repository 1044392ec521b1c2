import { createHash } from 'node:crypto';
import type { ReplyOf } from '../../../schemas/endpoint.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { getMessageHistory } from '../../../schemas/messages/message-editing.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { historySnapshots } from '../../organization/messages/editing/history-view.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import type { Organization } from '../../organization/state/organization.js';
import { lruOfBytes } from '../../platform/lru.js';
import type { Account } from '../../turns/fair-queue.js';
import { htmlDiff } from '../../services/text/html-diff.js';
import { handlePrepared, type AnyHandler, type CallerRequest } from '../kernel/handler.js';

/** `GET /messages/{message_id}/history`: all work is reading, so it is done before the transaction. */
export const messageHistoryHandler: AnyHandler = handlePrepared(
  getMessageHistory,
  readHistory,
  (_tx, _request, reply) => reply,
);

async function readHistory(
  org: Organization,
  { user, params }: CallerRequest<typeof getMessageHistory>,
): Promise<ReplyOf<typeof getMessageHistory>> {
  const policy = org.realm.current.message_edit_history_visibility_policy;
  if (policy === 'none') throw badRequest('Message edit history is disabled in this organization');
  const message = await visibleMessage(org, user, params.message_id);
  const diffs =
    policy === 'all'
      ? await diffsOf(message, org.accountOf(user.user_id))
      : new Map<string, string>();
  return {
    message_history: historySnapshots(message, {
      policy,
      // Direct messages have no topic, so theirs has no name either.
      emptyTopicName: params.allow_empty_topic_name || message.stream_id === null,
      diff: (before, after) => diffs.get(keyOf(before, after))!,
    }),
  };
}

/** A message the user may see. @throws ApiError `Invalid message(s)` */
async function visibleMessage(
  org: Organization,
  user: UserDocument,
  id: number,
): Promise<MessageDocument> {
  const canSee = () => new MessageAccess(org, user).canSee(id);
  const message = canSee() ? (await org.messages.fetchAll([id])).get(id) : undefined;
  // Checked again: it may have been moved or deleted while the document was read.
  if (!message || !canSee()) throw badRequest('Invalid message(s)');
  return message;
}

/** Comparisons that were shown before: each takes up to 20 ms, and a message may have hundreds of versions. */
const compared = lruOfBytes<string, { readonly html: string }>(
  { entries: 20_000, bytes: 16 * 1024 * 1024 },
  ({ html }) => 2 * html.length,
);

/** Compares all versions, yielding to the event loop in between, because a message may have many. */
async function diffsOf(
  { rendered_content, edit_history }: MessageDocument,
  account: Account,
): Promise<ReadonlyMap<string, string>> {
  const diffs = new Map<string, string>();
  const pause = EventLoopYield.of(account);
  let after = rendered_content;
  for (const { prev_rendered_content: before } of edit_history ?? []) {
    if (before === undefined) continue;
    const key = keyOf(before, after);
    if (!diffs.has(key)) {
      const digest = createHash('sha256').update(key).digest('base64');
      let known = compared.get(digest);
      if (!known) {
        if (pause.isDue) await pause.take();
        known = { html: htmlDiff(before, after) };
        compared.set(digest, known);
      }
      diffs.set(key, known.html);
    }
    after = before;
  }
  return diffs;
}

function keyOf(before: string, after: string): string {
  return `${before.length}:${before}${after}`;
}
