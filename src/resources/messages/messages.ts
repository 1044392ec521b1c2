import type { ReplyOf } from '../../../schemas/endpoint.js';
import { sendMessage as send, updateMessageFlags } from '../../../schemas/messages/messages.js';
import { badRequest, localIdReused, missingArgument } from '../../errors/index.js';
import type { Queues } from '../../journal/queues/queues.js';
import {
  changeFlagsInParts,
  editableFlag,
  flagOperation,
} from '../../organization/messages/change-flags.js';
import type { Organization } from '../../organization/state/organization.js';
import { sendMessage, type SentMessage } from '../../organization/messages/sending/send-message.js';
import {
  participants,
  type Recipient,
  readChannel,
  readUsers,
  compose,
  isInteractive,
} from '../../organization/messages/sending/outgoing-message.js';
import { givenWidget } from '../../organization/messages/widgets/widget-content.js';
import { storedContent, newTopicName } from '../../services/text/stored-text.js';
import type { PartedChange, Parts } from '../../organization/state/parted-change.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handle, handleInParts, type AnyHandler, type CallerRequest } from '../kernel/handler.js';
import { messageReadingHandlers } from './messages-reading.js';
import { createHash } from 'node:crypto';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { VisibilityPolicy } from '../../../schemas/topics/user-topics.js';

type SendRequest = CallerRequest<typeof send>;

/**
 * The handlers of sending and reading messages.
 * @param queues finds the sender's queue, for sending once per `local_id`; without it every request sends
 */
export function messageHandlers(
  markdown: Markdown,
  queues?: Pick<Queues, 'get'>,
): readonly AnyHandler[] {
  const ownerOf = (queueId: string): number | undefined => queues?.get(queueId)?.userId;
  return [
    handle(send, (tx, request) =>
      sent(once(tx, request, ownerOf, () => post(tx, markdown, request))),
    ),
    handleInParts(updateMessageFlags, updateFlags),
    ...messageReadingHandlers,
  ];
}

function sent({ id, visibilityPolicy }: SentMessage): ReplyOf<typeof send> {
  if (visibilityPolicy === undefined) return { id };
  return { id, automatic_new_visibility_policy: visibilityPolicy };
}

function post(tx: Transaction, markdown: Markdown, request: SendRequest): SentMessage {
  const { user: sender, params, clientName } = request;
  const recipient = recipientOf(tx.org, request);
  const content = storedContent(params.content);
  const { queue_id, local_id } = params;
  const unrendered = {
    sender,
    recipient,
    content,
    widget: params.widget_content === undefined ? undefined : givenWidget(params.widget_content),
    clientName,
    readBySender: params.read_by_sender ?? isInteractive(clientName),
    local: queue_id !== undefined && local_id !== undefined ? { queue_id, local_id } : undefined,
  };
  return sendMessage(tx, compose(tx.org, markdown, unrendered));
}

/** @throws ApiError for an unknown type or an invalid `to` */
function recipientOf(org: Organization, { user, params }: SendRequest): Recipient {
  switch (params.type) {
    case 'direct':
    case 'private':
      if (params.to === undefined) throw missingArgument('to');
      return { kind: 'direct', users: participants(user, readUsers(org, user, params.to)) };
    case 'channel':
    case 'stream':
      return {
        kind: 'channel',
        channel: readChannel(org, user, params.to ?? defaultChannel(org, user)),
        // Since feature level 370 a channel message without a topic goes to the empty topic.
        topic: newTopicName(params.topic ?? ''),
      };
    default:
      throw badRequest('Invalid message type');
  }
}

/** The id of the channel in which a bot speaks that names none. @throws ApiError where there is none */
function defaultChannel(org: Organization, user: UserDocument): number {
  const id = org.bots.get(user.user_id)?.default_sending_stream ?? null;
  if (id === null) throw missingArgument('to');
  return id;
}

function* updateFlags(
  change: PartedChange,
  { user, params }: CallerRequest<typeof updateMessageFlags>,
): Parts<ReplyOf<typeof updateMessageFlags>> {
  const op = flagOperation(params.op);
  const flag = editableFlag(params.flag);
  const result = yield* changeFlagsInParts(change, user, params.messages, op, flag);
  const reply = { messages: result.addressed };
  if (op !== 'remove' || flag !== 'read') return reply;
  return { ...reply, ignored_because_not_subscribed_channels: result.ignoredChannels };
}

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
