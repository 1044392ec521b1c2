import t from 'tap';
import { plainText } from '../../../../src/services/markdown/markdown.js';
import type { MentionDirectory } from '../../../../src/services/markdown/render-environment.js';
import { randomOfRun, scaled } from '../../../system/harness/scale.js';
import { directory, render } from './fixtures.js';
import { hostileMarkdown, nearlyPlainText } from './hostile-texts.js';

const sender: MentionDirectory = { ...directory, translateEmoticons: true };
/** With a linkifier, though it finds nothing, every text is parsed. */
const parsing: MentionDirectory = { ...sender, linkifiers: [{ linksIn: () => [] }] };

const NO_FACTS = {
  pages: [],
  mentions: { users: [], groups: [], channel_wildcard: false, topic_wildcard: false },
  has_link: false,
  has_image: false,
  has_attachment: false,
  attachments: [],
};

/** What the parser says of a text that is taken as plain, where that is something else. */
function fault(source: string): { source: string; parsed: object } | null {
  const html = plainText(source, sender);
  if (html === undefined) return null;
  const parsed = render(source, parsing);
  return JSON.stringify(parsed) === JSON.stringify({ html, ...NO_FACTS })
    ? null
    : { source, parsed };
}

void t.test('a text that is taken as plain is rendered as the parser would', async (t) => {
  const random = randomOfRun(t);
  const count = scaled(3000, 150_000);
  let plain = 0;
  const faults: object[] = [];
  for (let i = 0; i < count; i++) {
    const source = i % 4 === 0 ? hostileMarkdown(random) : nearlyPlainText(random);
    if (plainText(source, sender) !== undefined) plain += 1;
    const found = fault(source);
    if (found) faults.push(found);
  }
  t.strictSame(faults, []);
  t.ok(plain > 0.2 * count && plain < 0.7 * count, `${plain} of ${count} were plain`);
});

void t.test('no character that is taken as plain means something', async (t) => {
  const faults: object[] = [];
  const check = (source: string): void => {
    const found = fault(source);
    if (found) faults.push(found);
  };
  let together = '';
  for (let code = 0; code <= 0x3ffff; code++) {
    const character = String.fromCodePoint(code);
    if (plainText(`a${character}b`, sender) === undefined) continue;
    together += `a${character}b 1${character}${character}:\n`;
    if (plainText(character, sender) !== undefined) together += `${character}\n`;
    if (together.length < 1800) continue;
    check(together.trim());
    together = '';
  }
  check(together.trim());
  t.strictSame(faults, []);
});

void t.test('ordinary texts are plain, and what may be more is not', async (t) => {
  const plain = [
    'message 12345 from the bench',
    'Well, see you (all) at 5? I\'d say "yes"!',
    'bench:000001: at 10:30, see: a :unknown: b',
    'Note: 10 people, 50 % of 1/2 + x = y_z - $3',
    'Grüße aus Köln\nдобрый день\n東京、今日は。',
    '2 lines\nof text',
  ];
  for (const source of plain) t.not(plainText(source, sender), undefined, source);
  const more = [
    ...[
      '',
      ' a',
      'a ',
      'a\n',
      'a \nb',
      'a\n b',
      'a\n\nb',
      'a\tb',
      'a\0',
      'a\r\nb',
      'a\u00a0',
      '/me waves',
      '1. a',
    ],
    ...[
      '1) a',
      'a\n2. b',
      '- a',
      '+ a',
      '# a',
      '> a',
      'a*b',
      'a`b',
      'a~~b',
      'a|b',
      'a\\b',
      'a[b',
      'a<b',
      'a>b',
      'a&b',
    ],
    ...[
      'a@b',
      'a.b',
      'see README.md',
      'https://x',
      ':smile:',
      'a :)',
      'a (:',
      'a ;)',
      'a\u{1f600}',
      'a\ufe0f',
      '1\u20e3',
    ],
    ...['ℹ\ufe0f', 'a ℹ', 'mailto:a', '---', 'a\n---', '```', '\ud800', 'a'.repeat(2001)],
  ];
  for (const source of more) t.equal(plainText(source, sender), undefined, source.slice(0, 80));
  t.not(plainText('a :)', directory), undefined, 'for a sender who wants no emoticons');
  t.equal(plainText('a', parsing), undefined, 'where linkifiers may find something');
});
