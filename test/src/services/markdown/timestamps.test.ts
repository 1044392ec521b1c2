import t from 'tap';
import { html } from './fixtures.js';

void t.test('a time in a known form becomes a time element in UTC', async (t) => {
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
    'Jun 5th 2017, 10:30PM': '2017-06-05T22:30:00Z',
    '31 Dec 2017': '2017-12-31T00:00:00Z',
    '31 Dec 2017 5:30 am IST': '2017-12-31T00:00:00Z',
    'Monday, 1 June 2026 9 a.m. PDT': '2026-06-01T16:00:00Z',
    '2 February 2026 09:00 +01:00': '2026-02-02T08:00:00Z',
  };
  for (const [source, datetime] of Object.entries(expected)) {
    t.equal(time(source), `<p><time datetime="${datetime}">${source}</time></p>`);
  }
});

void t.test('anything else is said to be no time', async (t) => {
  for (const text of [
    'tomorrow',
    '2026-13-01',
    '2026-02-30',
    '30 February 2026',
    '31 Dec 2017 XYZ',
    'version 2 of March 2017',
    '2026-01-31T25:00',
    '',
    '99999999999999',
  ]) {
    t.equal(html(`<time:${text}>`), `<p>&lt;time:${text}&gt;</p>`);
  }
  t.equal(html('<time:**a**>'), '<p>&lt;time:**a**&gt;</p>', 'Markdown has no meaning in it');
  t.equal(html('<time:<**a**>>'), '<p>&lt;time:&lt;**a**&gt;&gt;</p>');
  t.equal(html('**<time:x>**'), '<p><strong>&lt;time:x&gt;</strong></p>');
  const beforeAll = '0001-01-01T01:00:00+02:00';
  t.equal(html(`<time:${beforeAll}>`), `<p>&lt;time:${beforeAll}&gt;</p>`, 'the year 0');
  t.equal(html('<time:2026'), '<p>&lt;time:2026</p>', 'nothing ends it');
  t.equal(html('`<time:2026-01-31>`'), '<p><code>&lt;time:2026-01-31&gt;</code></p>');
});
