/**
 * Length rules of message text and topics (endpoints.md B.2). All lengths are in Unicode code
 * points, as clients count them; a lone surrogate counts as one.
 */

const CONTENT_TRUNCATED = '\n[message truncated]';
const TOPIC_TRUNCATED = '...';

/** Number of Unicode code points in `text`. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length - 1; i += 1) {
    if (isSurrogatePair(text, i)) {
      length -= 1;
      i += 1;
    }
  }
  return length;
}

/** `text` without the white space at its end. */
export function stripTrailingWhitespace(text: string): string {
  return text.trimEnd();
}

/**
 * Message content cut to `max` code points; if anything was cut, the last of them are a notice
 * that says so.
 */
export function truncateContent(text: string, max = 10_000): string {
  return truncate(text, max, CONTENT_TRUNCATED);
}

/** A topic cut to `max` code points, the last three of which are dots if anything was cut. */
export function truncateTopic(topic: string, max = 60): string {
  return truncate(topic, max, TOPIC_TRUNCATED);
}

function truncate(text: string, max: number, notice: string): string {
  // A text never has more code points than code units, so most texts need no counting.
  if (text.length <= max || codePointLength(text) <= max) return text;
  if (max < notice.length) return firstCodePoints(text, max);
  return firstCodePoints(text, max - notice.length) + notice;
}

function firstCodePoints(text: string, count: number): string {
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken += 1) {
    end += isSurrogatePair(text, end) ? 2 : 1;
  }
  return text.slice(0, end);
}

function isSurrogatePair(text: string, index: number): boolean {
  return (
    (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
  );
}
