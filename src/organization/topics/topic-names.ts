import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import {
  EMPTY_TOPIC_DISPLAY_NAME,
  MAX_MESSAGE_LENGTH,
  MAX_TOPIC_LENGTH,
} from '../../../schemas/limits.js';
import { badRequest } from '../../errors.js';
import {
  invalidCharacterAt,
  stripTrailingWhitespace,
  truncateContent,
  truncateTopic,
  withoutInvalidCharacters,
} from '../../services/text/stored-text.js';

/**
 * Message text as it is stored (endpoints-messages.md#send-message, Processing).
 * @throws ApiError for an empty text or one with NUL
 */
export function storedContent(content: string): string {
  const text = stripTrailingWhitespace(content);
  if (text.trim() === '') throw badRequest('Message must not be empty');
  if (text.includes('\0')) throw badRequest('Message must not contain null bytes');
  return truncateContent(text, MAX_MESSAGE_LENGTH);
}

/**
 * The stored form of an existing topic; every name of the empty topic becomes the empty text.
 * `newTopicName` reads new ones.
 * @throws ApiError for NUL
 */
export function storedTopicName(topic: string): string {
  if (topic.includes('\0')) throw badRequest('Topic must not contain null bytes');
  return truncateTopic(storedTopic(topic.trim()), MAX_TOPIC_LENGTH);
}

/**
 * The stored form of a topic that a request assigns to messages.
 * @throws ApiError for NUL, or a character that names may not contain
 */
export function newTopicName(topic: string): string {
  const name = storedTopicName(topic);
  checkTopicCharacters(name);
  return name;
}

/** What of a text may become a topic of 60 characters, UTF-16 units. */
const MAX_OUTSIDERS_TEXT = 200;

/**
 * The topic that a text from outside names, such as the subject of a mail or the title of an alert: nobody there sees a
 * refusal, so what names may not contain is left out. `fallback` where nothing is left.
 */
export function outsidersTopic(channel: ChannelDocument, text: string, fallback: string): string {
  if (channel.topics_policy === 'empty_topic_only') return '';
  const name = withoutInvalidCharacters(text.slice(0, MAX_OUTSIDERS_TEXT).replace(/\s+/gu, ' '));
  // Words for the empty topic would name a conversation that the sender does not mean.
  return storedTopicName(name) || fallback;
}

/** @throws ApiError for a character that names may not contain */
export function checkTopicCharacters(name: string): void {
  const position = invalidCharacterAt(name);
  if (position === null) return;
  throw badRequest(`Invalid character in topic, at position ${position}!`);
}

/**
 * The stored form of a topic that a client names: the empty topic has several names
 * (conventions.md#access).
 */
export function storedTopic(topic: string): string {
  const isEmpty =
    topic === '(no topic)' || topic.toLowerCase() === EMPTY_TOPIC_DISPLAY_NAME.toLowerCase();
  return isEmpty ? '' : topic;
}
