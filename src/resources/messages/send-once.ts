import { createHash } from 'node:crypto';
import type { sendMessage as send } from '../../../schemas/messages/messages.js';
import type { VisibilityPolicy } from '../../../schemas/topics/user-topic-document.js';
import { localIdReused } from '../../errors.js';
import type { SentMessage } from '../../organization/messages/sending/send-message.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { CallerRequest } from '../kernel/handler.js';

type SendRequest = CallerRequest<typeof send>;

/**
 * Sends a message unless a request with the same `queue_id` and `local_id` has sent it before: then it
 * returns the first reply again, even if the message or the sender's rights have changed since. So a client
 * may repeat a request that got no reply or a 503. Applies to the newest messages of the sender's own queue
 * while it lives, also while the first request is not durable yet: `bind` replies to both when it is.
 * @throws ApiError when that `local_id` named another message, or what `post` throws
 */
export function once(
  tx: Transaction,
  { user, params }: SendRequest,
  ownerOf: (queueId: string) => number | undefined,
  post: () => SentMessage,
): SentMessage {
  const { queue_id, local_id } = params;
  if (queue_id === undefined || !local_id || ownerOf(queue_id) !== user.user_id) return post();
  const { idempotencyKeys } = tx.org;
  const digest = digestOf(params);
  const known = idempotencyKeys.find(queue_id, local_id);
  if (known) {
    if (known.digest !== digest) throw localIdReused(local_id);
    const visibilityPolicy = known.visibility_policy as VisibilityPolicy | undefined;
    return { id: known.message_id, visibilityPolicy };
  }
  const message = post();
  const { id: message_id, visibilityPolicy } = message;
  idempotencyKeys.remember({
    queue_id,
    local_id,
    digest,
    message_id,
    ...(visibilityPolicy === undefined ? {} : { visibility_policy: visibilityPolicy }),
  });
  return message;
}

/** Digest of a message's recipient and content, by which a repeated request is recognized. */
function digestOf(params: SendRequest['params']): string {
  const { type, to, topic, content, widget_content } = params;
  const isDirect = type === 'direct' || type === 'private';
  const said = [isDirect, to, topic ?? '', content];
  if (widget_content !== undefined) said.push(widget_content);
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}
