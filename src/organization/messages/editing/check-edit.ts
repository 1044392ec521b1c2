import { createHash } from 'node:crypto';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { badRequest, expectationMismatch } from '../../../errors/index.js';
import type { Markdown, Rendered } from '../../../services/markdown/markdown.js';
import { visibleChannel } from '../../access/channel-rights.js';
import type { Organization } from '../../state/organization.js';
import {
  checkTopicCharacters,
  storedContent,
  storedTopicName,
} from '../../../services/text/stored-text.js';
import { type Recipient, renderFor } from '../sending/outgoing-message.js';
import { checkChannel, checkMentions, checkTopic } from '../sending/sending-rules.js';
import type { MovePlan, PropagateMode, Resolution } from '../../topics/moved-topic.js';
import {
  checkMayChangeTopic,
  checkMayEditContent,
  checkMayLeaveChannel,
  checkMoveAge,
} from './edit-rights.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { MessageAccess } from '../message-access.js';
import { intersectIds } from '../../state/message-index/intervals.js';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../../schemas/limits.js';
import { RESOLVED_PREFIX } from '../../../journal/renderers/queue-narrow.js';

/** The changes of a message that a client requests (endpoints-messages.md#one-message), before any check. */
export interface EditRequest {
  readonly user: UserDocument;
  readonly content?: string;
  readonly topic?: string;
  readonly streamId?: number;
  readonly propagateMode: PropagateMode;
  readonly contentSha256?: string;
}

/** A permitted change, in stored form; at least one of content and move is present. */
export interface EditPlan {
  readonly user: UserDocument;
  /** The message before the change. */
  readonly message: MessageDocument;
  readonly content: { readonly text: string; readonly rendered: Rendered } | null;
  readonly move: MovePlan | null;
}

/** Content of a message whose text was removed. */
const DELETED_CONTENT = '(deleted)';

/** The parts of a request that differ from the message. */
interface Difference {
  readonly content: string | undefined;
  readonly topic: string | undefined;
  readonly streamId: number | undefined;
}

/**
 * Checks a change of a message that the user can see, in the order of endpoints-messages.md#one-message.
 * @param message as it is now
 * @throws ApiError with the messages of that section
 */
export function checkEdit(
  org: Organization,
  markdown: Markdown,
  message: MessageDocument,
  request: EditRequest,
): EditPlan {
  const { user } = request;
  const difference = differenceFrom(message, request);
  checkPayload(message, request, difference);
  const channel = message.stream_id === null ? undefined : org.channels.get(message.stream_id);
  if (difference.content !== undefined) {
    if (message.submessages) throw badRequest('Widgets cannot be edited.');
    checkMayEditContent(org, user, message);
    checkDigest(message, request.contentSha256);
  }
  const move = channel ? planMove(org, message, channel, request, difference) : null;
  const content =
    difference.content === undefined
      ? null
      : planContent(org, markdown, message, request, difference.content);
  return { user, message, content, move };
}

function differenceFrom(message: MessageDocument, request: EditRequest): Difference {
  const direct = message.stream_id === null;
  const topic = request.topic === undefined ? undefined : storedTopicName(request.topic);
  return {
    content: request.content,
    // A direct message has no topic that a new one could equal.
    topic: !direct && topic === message.topic ? undefined : topic,
    streamId: request.streamId === message.stream_id ? undefined : request.streamId,
  };
}

/** @throws ApiError for a request that no message, or no message of this kind, permits */
function checkPayload(
  message: MessageDocument,
  request: EditRequest,
  difference: Difference,
): void {
  const { content, topic, streamId } = difference;
  if (content === undefined && topic === undefined && streamId === undefined) {
    throw badRequest('Nothing to change');
  }
  if (message.stream_id === null) {
    if (streamId !== undefined) throw badRequest('Direct messages cannot be moved to channels.');
    if (topic !== undefined) throw badRequest('Direct messages cannot have topics.');
  }
  const moves = topic !== undefined || streamId !== undefined;
  if (!moves && request.propagateMode !== 'change_one') {
    throw badRequest('Invalid propagate_mode without topic edit');
  }
  if (content !== undefined && streamId !== undefined) {
    throw badRequest('Cannot change message content while changing channel');
  }
}

function checkDigest({ content }: MessageDocument, expected: string | undefined): void {
  if (expected === undefined) return;
  const actual = createHash('sha256').update(content).digest('hex');
  if (actual !== expected.toLowerCase()) throw expectationMismatch('prev_content_sha256');
}

function planMove(
  org: Organization,
  message: MessageDocument,
  channel: ChannelDocument,
  { user, propagateMode }: EditRequest,
  { topic, streamId }: Difference,
): MovePlan | null {
  if (topic === undefined && streamId === undefined) return null;
  const resolution =
    topic === undefined || streamId !== undefined ? null : resolutionOf(message.topic, topic);
  if (topic !== undefined) {
    refuseToResolveEmptyTopic(message.topic, topic);
    checkMayChangeTopic(org, user, channel, resolution);
  }
  const target = streamId === undefined ? channel : planChannel(org, channel, user, streamId);
  const from = { channel, topic: message.topic };
  const to = { channel: target, topic: topic ?? message.topic };
  // Resolving a topic has no time limit and does not create one.
  if (resolution === null) {
    const all =
      propagateMode === 'change_all'
        ? () => messagesToMove(org, user, message.id, propagateMode)
        : null;
    checkMoveAge(org, user, message, { from, to }, all);
    if (topic !== undefined) checkTopicCharacters(topic);
    checkTopic(org, user, target, to.topic);
  }
  return { from, to, mode: propagateMode, resolution };
}

function planChannel(
  org: Organization,
  from: ChannelDocument,
  user: EditRequest['user'],
  streamId: number,
): ChannelDocument {
  checkMayLeaveChannel(org, user, from);
  const target = visibleChannel(org, user, streamId);
  checkChannel(org, user, target);
  return target;
}

function planContent(
  org: Organization,
  markdown: Markdown,
  message: MessageDocument,
  { user }: EditRequest,
  given: string,
): EditPlan['content'] {
  const text = storedContent(given.trim() === '' ? DELETED_CONTENT : given);
  const rendered = renderFor(org, markdown, user, text);
  checkMentions(org, user, recipientOf(org, message), rendered.mentions);
  return { text, rendered };
}

/** The recipient of a message, as it is now. */
export function recipientOf(org: Organization, message: MessageDocument): Recipient {
  if (message.stream_id !== null) {
    const channel = org.channels.get(message.stream_id)!;
    return { kind: 'channel', channel, topic: message.topic };
  }
  const userIds = org.conversations.get(message.recipient_id)?.user_ids ?? [];
  return { kind: 'direct', users: userIds.map((id) => org.users.get(id)!) };
}

/**
 * The messages that move together with one: itself, its topic from there on, or all of its topic; only
 * those the user can see.
 * @returns ascending
 */
export function messagesToMove(
  org: Organization,
  user: UserDocument,
  messageId: number,
  mode: PropagateMode,
): readonly number[] {
  const topic = org.messages.index.topicOf(messageId);
  if (mode === 'change_one' || !topic) return [messageId];
  const visible = new MessageAccess(org, user).visible(topic.recipientId);
  const ids = intersectIds(topic.list, visible);
  return mode === 'change_all' ? ids : ids.filter((id) => id >= messageId);
}

const MARK = RESOLVED_PREFIX.trim();

/**
 * Whether a new topic is the old one with the mark of resolved topics, or without it. A long topic is
 * truncated by the mark and is recognised all the same.
 */
function resolutionOf(before: string, after: string): Resolution {
  const isMarked = before.startsWith(RESOLVED_PREFIX);
  if (!isMarked && after === storedTopicName(RESOLVED_PREFIX + before)) return 'resolved';
  if (isMarked && before === RESOLVED_PREFIX + after) return 'unresolved';
  return null;
}

/** @throws ApiError when the empty topic would be resolved, under its name or without one */
function refuseToResolveEmptyTopic(before: string, after: string): void {
  if (before !== '') return;
  const named = storedTopicName(RESOLVED_PREFIX + EMPTY_TOPIC_DISPLAY_NAME);
  if (after === MARK || after.toLowerCase() === named.toLowerCase()) {
    throw badRequest(`The ${EMPTY_TOPIC_DISPLAY_NAME} topic cannot be marked as resolved.`);
  }
}
