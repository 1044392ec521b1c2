import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../../schemas/limits.js';
import { badRequest } from '../../../errors.js';
import { RESOLVED_PREFIX } from '../../../journal/renderers/queue-narrow.js';
import { storedTopicName } from '../../topics/topic-names.js';
import type { Resolution } from '../../topics/moved-topic.js';

const MARK = RESOLVED_PREFIX.trim();

/**
 * Whether a new topic is the old one marked as resolved, or without its mark. Too long a topic loses
 * its end by being marked, and is recognised all the same.
 */
export function resolutionOf(before: string, after: string): Resolution {
  const isMarked = before.startsWith(RESOLVED_PREFIX);
  if (!isMarked && after === storedTopicName(RESOLVED_PREFIX + before)) return 'resolved';
  if (isMarked && before === RESOLVED_PREFIX + after) return 'unresolved';
  return null;
}

/** @throws ApiError when the empty topic would be marked, under its name or without one */
export function refuseToResolveEmptyTopic(before: string, after: string): void {
  if (before !== '') return;
  const named = storedTopicName(RESOLVED_PREFIX + EMPTY_TOPIC_DISPLAY_NAME);
  if (after === MARK || after.toLowerCase() === named.toLowerCase()) {
    throw badRequest(`The ${EMPTY_TOPIC_DISPLAY_NAME} topic cannot be marked as resolved.`);
  }
}
