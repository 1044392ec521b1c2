import t from 'tap';
import { html } from './fixtures.js';

void t.test('points in time', async (t) => {
  const time = (source: string): string => html(`<time:${source}>`);
  t.equal(
    time('2026-01-31T10:00:00Z'),
    '<p><time datetime="2026-01-31T10:00:00Z">2026-01-31T10:00:00Z</time></p>',
  );
  const expected: Record<string, string> = {
    '2026-01-31T10:00:00+02:00': '2026-01-31T08:00:00Z',
    '2026-01-31T10:00:00-0530': '2026-01-31T15:30:00Z',
    '2026-01-31 10:00': '2026-01-31T10:00:00Z',
    '2026-01-31T10:00:00.123': '2026-01-31T10:00:00Z',
    '2026-01-31': '2026-01-31T00:00:00Z',
    '1700000000': '2023-11-14T22:13:20Z',
  };
  for (const [source, datetime] of Object.entries(expected)) {
    t.equal(time(source), `<p><time datetime="${datetime}">${source}</time></p>`);
  }
});

void t.test('anything else stays text', async (t) => {
  for (const text of [
    'tomorrow',
    '2026-13-01',
    '2026-02-30',
    '2026-01-31T25:00',
    '',
    '99999999999999',
  ]) {
    t.equal(html(`<time:${text}>`), `<p>&lt;time:${text}&gt;</p>`);
  }
  t.equal(html('`<time:2026-01-31>`'), '<p><code>&lt;time:2026-01-31&gt;</code></p>');
});
