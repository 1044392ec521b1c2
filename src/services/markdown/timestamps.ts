import type { MarkdownIt, StateInline } from 'markdown-it';
import { pushElement } from './element-token.js';

const SYNTAX = /<time:([^<>\n]{1,64})>/y;
const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;
const UNIX_SECONDS = /^\d{1,11}$/;

/**
 * Adds points in time, which clients show in their user's time zone: `<time:…>` around an ISO 8601
 * time (in UTC unless it has an offset) or UNIX seconds. Anything else stays text.
 */
export function timestamps(md: MarkdownIt): void {
  md.inline.ruler.before('autolink', 'timestamp', parseTimestamp);
}

function parseTimestamp(state: StateInline, scanOnly: boolean): boolean {
  if (state.src[state.pos] !== '<') return false;
  SYNTAX.lastIndex = state.pos;
  const text = SYNTAX.exec(state.src)?.[1];
  if (text === undefined || SYNTAX.lastIndex > state.posMax) return false;
  const end = SYNTAX.lastIndex;
  const datetime = readTime(text.trim());
  if (datetime === undefined) return false;
  if (!scanOnly) {
    pushElement(state, {
      tag: 'time',
      attributes: [['datetime', datetime]],
      text,
      meaning: { kind: 'time' },
    });
  }
  state.pos = end;
  return true;
}

/** The time in UTC to the second, `2026-01-31T10:00:00Z`; undefined if there is no such time. */
function readTime(text: string): string | undefined {
  const milliseconds = UNIX_SECONDS.test(text) ? Number(text) * 1000 : readIso(text);
  if (Number.isNaN(milliseconds)) return undefined;
  const year = new Date(milliseconds).getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return undefined;
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function readIso(text: string): number {
  if (!ISO_8601.test(text)) return Number.NaN;
  const [date = '', time] = text.toUpperCase().split(/[T ]/);
  const midnight = Date.parse(date);
  // The standard parser takes the 31st of February for the 3rd of March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) {
    return Number.NaN;
  }
  if (time === undefined) return midnight;
  // Without a zone the standard parser would take the server's local time.
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`;
  return Date.parse(`${date}T${zoned.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')}`);
}
