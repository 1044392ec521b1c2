import type { MarkdownIt, StateInline } from 'markdown-it';
import { pushElement } from './element-token.js';

/** Longest text of a time, in UTF-16 code units. */
const SYNTAX = /<time:([^>\n]{0,100})>/y;
const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;
const UNIX_SECONDS = /^\d{1,11}$/;

/**
 * Adds points in time, which clients show in their user's time zone: `<time:…>` around an ISO 8601 time, a date
 * as people write it (both in UTC unless they have an offset or the name of a zone), or UNIX seconds. Anything
 * else is shown as it was written, without looking for Markdown in it.
 */
export function timestamps(md: MarkdownIt): void {
  md.inline.ruler.before('autolink', 'timestamp', parseTimestamp);
}

function parseTimestamp(state: StateInline, scanOnly: boolean): boolean {
  if (state.src[state.pos] !== '<') return false;
  SYNTAX.lastIndex = state.pos;
  const text = SYNTAX.exec(state.src)?.[1];
  const end = SYNTAX.lastIndex;
  if (text === undefined || end > state.posMax) return false;
  const datetime = readTime(text.trim());
  if (!scanOnly) {
    if (datetime === undefined) state.push('text', '', 0).content = state.src.slice(state.pos, end);
    else {
      const meaning = { kind: 'time' } as const;
      pushElement(state, { tag: 'time', attributes: [['datetime', datetime]], text, meaning });
    }
  }
  state.pos = end;
  return true;
}

/** The time in UTC to the second, `2026-01-31T10:00:00Z`; undefined if there is no such time. */
function readTime(text: string): string | undefined {
  const milliseconds = UNIX_SECONDS.test(text)
    ? Number(text) * 1000
    : ISO_8601.test(text)
      ? readIso(text)
      : readWritten(text);
  if (Number.isNaN(milliseconds)) return undefined;
  const year = new Date(milliseconds).getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return undefined;
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function readIso(text: string): number {
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

/** Offsets of the zones that people name, as `+hhmm`. */
const ZONES: Readonly<Record<string, string>> = {
  ...{ UTC: '+0000', GMT: '+0000', Z: '+0000', WET: '+0000', WEST: '+0100', BST: '+0100' },
  ...{ CET: '+0100', CEST: '+0200', EET: '+0200', EEST: '+0300', MSK: '+0300', IST: '+0530' },
  ...{ SGT: '+0800', JST: '+0900', KST: '+0900', AEST: '+1000', AEDT: '+1100', NZST: '+1200' },
  ...{ EST: '-0500', EDT: '-0400', CST: '-0600', CDT: '-0500', MST: '-0700', MDT: '-0600' },
  ...{ PST: '-0800', PDT: '-0700' },
};
const ZONE = /\s*(?<=[\s\d])(?:([A-Za-z]{1,4})|([+-]\d{2}):?(\d{2}))$/;
const MONTHS =
  'jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|january|february|march|april|august';
const LONG_MONTHS = 'september|october|november|december';
const DAYS = 'mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday';
/** The words and signs of a date as people write it, the month by name. */
const WRITTEN = new RegExp(
  `^(?=.*\\b(?:${MONTHS}|${LONG_MONTHS})\\b)(?=.*\\b\\d{4}\\b)` +
    `(?:\\s+|\\d+|:|\\b(?:${MONTHS}|${LONG_MONTHS}|${DAYS}|am|pm)\\b)+$`,
  'i',
);

/** `5 June 2017 10:30 PM`, `Jun 5th 2017, 22:30 CET`. */
function readWritten(text: string): number {
  const [all = '', name, hours, minutes] = ZONE.exec(text) ?? [];
  const named = name === undefined ? undefined : ZONES[name.toUpperCase()];
  const offset = hours === undefined ? named : `${hours}${minutes}`;
  const date = (offset === undefined ? text : text.slice(0, -all.length))
    .replace(/(\d)(?:st|nd|rd|th)\b/gi, '$1 ')
    .replace(/(\d)\s*([ap])\.?m\b\.?/gi, '$1 $2m')
    .replace(/[,\s]+/g, ' ')
    .replace(/(^|[^:\d])(\d{1,2}) ([ap]m)\b/gi, '$1$2:00 $3');
  if (!WRITTEN.test(date)) return Number.NaN;
  const local = Date.parse(`${date} GMT+0000`);
  // The standard parser takes the 31st of February for the 3rd of March.
  if (Number.isNaN(local) || !new RegExp(`\\b0?${new Date(local).getUTCDate()}\\b`).test(date))
    return NaN;
  return offset === undefined ? local : Date.parse(`${date} GMT${offset}`);
}
