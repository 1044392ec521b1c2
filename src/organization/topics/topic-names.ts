import {
  EMPTY_TOPIC_DISPLAY_NAME,
  MAX_MESSAGE_LENGTH,
  MAX_TOPIC_LENGTH,
} from '../../../schemas/limits.js';
import { badRequest } from '../../errors.js';
import {
  stripTrailingWhitespace,
  truncateContent,
  truncateTopic,
} from '../../services/text/content.js';
import { invalidCharacterAt } from '../../services/text/names.js';

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
 * A topic that is there, as it is stored; empty by any of its names is the empty text. New ones are read
 * by `newTopicName`.
 * @throws ApiError for NUL
 */
export function storedTopicName(topic: string): string {
  if (topic.includes('\0')) throw badRequest('Topic must not contain null bytes');
  return truncateTopic(storedTopic(topic.trim()), MAX_TOPIC_LENGTH);
}

/**
 * A topic that a request gives to messages, in stored form.
 * @throws ApiError for NUL, or for a character that no name may have
 */
export function newTopicName(topic: string): string {
  const name = storedTopicName(topic);
  checkTopicCharacters(name);
  return name;
}

/** @throws ApiError for a character that no name may have */
export function checkTopicCharacters(name: string): void {
  const position = invalidCharacterAt(name);
  if (position === null) return;
  throw badRequest(`Invalid character in topic, at position ${position}!`);
}

/** The stored form of a topic a client names: the empty topic has several names (conventions.md#access). */
export function storedTopic(topic: string): string {
  const isEmpty =
    topic === '(no topic)' || topic.toLowerCase() === EMPTY_TOPIC_DISPLAY_NAME.toLowerCase();
  return isEmpty ? '' : topic;
}
