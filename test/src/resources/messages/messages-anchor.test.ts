import t from 'tap';
import { readAnchor } from '../../../../src/resources/messages/messages-anchor.js';

const secondsOf = (anchor_date: string) => readAnchor({ anchor: 'date', anchor_date });

void t.test('anchor_date: times of ISO 8601, in UTC without an offset', async (t) => {
  const times: readonly (readonly [text: string, utc: string])[] = [
    ['2026-01', '2026-01-01T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2026-12-31', '2026-12-31T00:00:00Z'],
    ['2026-01-31T10:00', '2026-01-31T10:00:00Z'],
    ['2026-01-31 10:00:05', '2026-01-31T10:00:05Z'],
    ['2026-01-31t10:00:05z', '2026-01-31T10:00:05Z'],
    ['2026-01-31T10:00:05.5Z', '2026-01-31T10:00:06Z'],
    ['2026-01-31T10:00:05.123456+00:00', '2026-01-31T10:00:06Z'],
    ['2026-01-31T10:00+05:30', '2026-01-31T04:30:00Z'],
    ['2026-01-31T10:00-0330', '2026-01-31T13:30:00Z'],
    ['2026-01-31T23:00-02', '2026-02-01T01:00:00Z'],
    ['2026-01-31T24:00:00Z', '2026-02-01T00:00:00Z'],
  ];
  for (const [text, utc] of times) {
    t.strictSame(secondsOf(text), { kind: 'date', seconds: Date.parse(utc) / 1000 }, text);
  }
});

/** What is no time of the calendar. */
const NO_DATES = [
  ...['2026-02-30', '2026-02-30T10:00:00Z', '2025-02-29', '2026-04-31', '2026-06-31 08:00+02:00'],
  ...['2026-00-10', '2026-13-01', '2026-01-00', '2026-01-32', '2026-13', '2026-1-1', '2026'],
  ...['2026-01-31T25:00:00Z', '2026-01-31T24:01:00Z', '2026-01-31T10:60Z', '2026-01-31T10:00:60Z'],
  ...['2026-01-31T10:00+24:00', '2026-01-31T10:00+02:60', '2026-01-31Z', '2026-01T10:00'],
  ...['2026-01-31 foo', '2026-01 foo', 'yesterday', '2026-01-31T', '2026-01-31T10', ''],
];

// [c:anchor-date]
void t.test('anchor_date: what is in no calendar is refused', async (t) => {
  for (const text of NO_DATES) {
    t.throws(() => secondsOf(text), { message: 'anchor_date is not a date' }, text);
  }
});
