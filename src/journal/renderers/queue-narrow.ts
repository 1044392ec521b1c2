import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../schemas/limits.js';

/** The properties of a message that a queue's narrow can test. */
interface NarrowSubject {
  /** Null for direct messages. */
  readonly channel: string | null;
  readonly topic: string;
  readonly senderEmail: string;
  /** The receiver's flags. */
  readonly flags: readonly string[];
  /** Whether the receiver follows the topic. */
  readonly followed: boolean;
  /** Whether the receiver muted it. */
  readonly muted: boolean;
}

/** Prefix of resolved topics. */
export const RESOLVED_PREFIX = '✔ ';

function equal(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** The empty topic may be named by its display name. */
function topicOf(operand: string): string {
  return equal(operand, EMPTY_TOPIC_DISPLAY_NAME) ? '' : operand;
}

function satisfiesIs(operand: string, subject: NarrowSubject): boolean {
  switch (operand) {
    case 'dm':
    case 'private':
      return subject.channel === null;
    case 'starred':
      return subject.flags.includes('starred');
    case 'unread':
      return !subject.flags.includes('read');
    case 'alerted':
    case 'mentioned':
      return subject.flags.includes('mentioned');
    case 'resolved':
      return subject.channel !== null && subject.topic.startsWith(RESOLVED_PREFIX);
    case 'followed':
      return subject.followed;
    case 'muted':
      return subject.muted;
    default:
      return true;
  }
}

/** Whether a message satisfies all terms of a queue's narrow (event-queues.md#queue-parameters). */
export function matchesQueueNarrow(
  narrow: readonly (readonly [operator: string, operand: string])[],
  subject: NarrowSubject,
): boolean {
  return narrow.every(([operator, operand]) => {
    switch (operator) {
      case 'channel':
      case 'stream':
        return subject.channel !== null && equal(subject.channel, operand);
      case 'topic':
        return subject.channel !== null && equal(topicOf(subject.topic), topicOf(operand));
      case 'sender':
        return equal(subject.senderEmail, operand);
      case 'is':
        return satisfiesIs(operand, subject);
      default:
        return true;
    }
  });
}
