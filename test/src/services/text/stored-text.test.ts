import t from 'tap';
import {
  invalidCharacterAt,
  nameKey,
  codePointLength,
  stripTrailingWhitespace,
  truncateContent,
  truncateTopic,
  withoutInvalidCharacters,
  newTopicName,
  outsidersTopic,
} from '../../../../src/services/text/stored-text.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';

const LEGAL = [
  'Ada Lovelace',
  'Zoë Ångström',
  'Nguyễn Thị Hằng',
  'José', // decomposed
  'שָׁלוֹם',
  'علی‌رضا', // a zero-width non-joiner, as Persian spells it
  'क्‍ष', // a zero-width joiner, as Hindi spells it
  '葛󠄀城', // an ideographic variation selector
  '李小龍',
  '한국어',
  'deploy 🚀',
  '❤️',
  '☺︎',
  '1️⃣ first',
  '👩‍🚀 crew',
  '🏳️‍🌈',
  '🏴‍☠️',
  '👨🏽‍🦰',
  '👩‍❤️‍💋‍👩',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿 team',
  '🇮🇹',
  '✔ done',
  '\u{1fae9}\u{1f9d1}\u{200d}\u{1f9bc}',
];

void t.test('scripts and emoji keep what they need', async (t) => {
  for (const name of LEGAL) t.equal(invalidCharacterAt(name), null, name);
});

const ILLEGAL: readonly [string, number][] = [
  ['a\u0000b', 2],
  ['a\tb', 2],
  ['a\nb', 2],
  ['a\u007fb', 2],
  ['a\u0085b', 2],
  ['a\u2028b', 2],
  ['a\u2029b', 2],
  ['a\ud800b', 2],
  ['a\ufdd0', 2],
  ['a\u{1ffff}', 2],
  ['Ada\u200b', 4], // zero-width space
  ['Ad\u200ca', 3], // joiners between letters that need none
  ['Ad\u200da', 3],
  ['🚀\u200d', 2],
  ['🚀\u200da', 2],
  ['\u200dAda', 1],
  ['Ada\u2060', 4], // word joiner
  ['Ada\u00ad', 4], // soft hyphen
  ['Ada\u034f', 4], // combining grapheme joiner
  ['Ada\u061c', 4],
  ['Ada\u200e', 4],
  ['Ada\u200f', 4],
  ['\u202eadA', 1],
  ['a\u202ab', 2],
  ['a\u202cb', 2],
  ['a\u2066b', 2],
  ['a\u2069b', 2],
  ['Ada\ufe0f', 4], // variation selectors without anything to select
  ['Ada1\ufe0f', 5],
  ['Ada\ufe00', 4],
  ['Ada\u{e0100}', 4],
  ['Ada\u{e0061}', 4], // tags without a flag
  ['🚀\u{e0061}', 2],
  ['\u3164', 1], // Hangul fillers
  ['\u115f', 1],
  ['\u1160', 1],
  ['a\uffa0', 2],
  ['a\u17b4', 2],
  ['a\u180e', 2],
  ['a\ufff9b', 2],
  ['\u2800', 1],
  ['\u{1d159}', 1],
  ['\u0301', 1], // a mark with nothing below it
  ['\u20e3', 1],
];

void t.test('what is invisible, or changes its surroundings, is found', async (t) => {
  for (const [text, position] of ILLEGAL) {
    const codes = [...text].map((one) => one.codePointAt(0)!.toString(16));
    t.equal(invalidCharacterAt(text), position, codes.join(' '));
  }
  t.equal(invalidCharacterAt('a\r\n\tb', true), null, 'but for lines of a longer text');
  t.equal(invalidCharacterAt('a\r\n\u202eb', true), 4);
});

void t.test('what may not stand in a name is left out, and nothing else', async (t) => {
  for (const name of LEGAL) t.equal(withoutInvalidCharacters(name), name);
  for (const [text] of ILLEGAL) t.equal(invalidCharacterAt(withoutInvalidCharacters(text)), null);
  t.equal(withoutInvalidCharacters('\u202eAda\u200b \u{e0041}L\u0000'), 'Ada L');
  // A joiner is needed between two letters; what it stood beside is not needed itself.
  t.equal(withoutInvalidCharacters('\u1820\u200d\u180b\u200d\u180b'), '\u1820');
  t.equal(
    withoutInvalidCharacters('\u202e'.repeat(100_000)),
    '',
    'in time that grows with the length',
  );
});

void t.test('names that look alike have one key', async (t) => {
  const alike = [
    [
      'Ada Lovelace',
      'ada  LOVELACE',
      'Ａｄａ Lovelace',
      'Ada\u00a0Lovelace',
      'A\u200bda Love\u00adlace',
    ],
    ['Straße', 'STRASSE', 'strasse'],
    ['Ångström', 'A\u030angström', '\u212bngström'],
    ['ΟΔΟΣ', 'οδος', 'οδοσ'],
    ['ﬁle', 'file'],
    ['Ada', 'Ada\ufe0f', 'Ada\u2800', '\u3164Ada', 'Ada\u{e0061}'],
    ['葛󠄀城', '葛城'],
    ['❤️ love', '❤ love'],
  ];
  for (const [first, ...others] of alike) {
    for (const other of others) t.equal(nameKey(other), nameKey(first!), `${other} as ${first}`);
  }
  t.not(nameKey('Ada B'), nameKey('AdaB'));
  t.not(nameKey('José'), nameKey('Jose'));
});

const NOTICE = '\n[message truncated]';

void t.test('length is counted in code points', async (t) => {
  t.equal(codePointLength(''), 0);
  t.equal(codePointLength('abc'), 3);
  t.equal(codePointLength('é🎉🎉'), 3);
  t.equal(codePointLength('\ud83c'), 1, 'a lone high surrogate is one');
  t.equal(codePointLength('\udf89\ud83c'), 2, 'a reversed pair is two');
});

void t.test('content up to the limit is kept', async (t) => {
  t.equal(truncateContent('x'.repeat(10_000)), 'x'.repeat(10_000));
  const emoji = '🎉'.repeat(10_000);
  t.equal(truncateContent(emoji), emoji, 'although it has 20000 code units');
});

void t.test('content over the limit is cut to the limit and ends in the notice', async (t) => {
  const cut = truncateContent('x'.repeat(10_001));
  t.equal(cut, 'x'.repeat(10_000 - NOTICE.length) + NOTICE);
  const emoji = truncateContent('🎉'.repeat(10_001));
  t.equal(codePointLength(emoji), 10_000);
  t.equal(emoji, '🎉'.repeat(10_000 - NOTICE.length) + NOTICE, 'no pair is split');
});

void t.test('other limits, even ones shorter than the notice', async (t) => {
  t.equal(truncateContent('a'.repeat(50), 30), 'a'.repeat(30 - NOTICE.length) + NOTICE);
  t.equal(truncateContent('🎉🎉🎉', 2), '🎉🎉');
});

void t.test('a topic over 60 code points is cut to 57 and dots', async (t) => {
  t.equal(truncateTopic('t'.repeat(60)), 't'.repeat(60));
  t.equal(truncateTopic('t'.repeat(61)), `${'t'.repeat(57)}...`);
  t.equal(truncateTopic('🎉'.repeat(61)), `${'🎉'.repeat(57)}...`);
  t.equal(truncateTopic('topic', 4), 't...');
});

void t.test('white space is stripped at the end only', async (t) => {
  t.equal(stripTrailingWhitespace('  a \n\t\u00a0\n'), '  a');
  t.equal(stripTrailingWhitespace(' \n '), '');
});

const channel = { topics_policy: 'inherit' } as ChannelDocument;

void t.test('a topic of somebody who hears of no refusal', async (t) => {
  for (const [text, name] of [
    ['  Disk full ', 'Disk full'],
    ['two\r\nlines\tand a tab', 'two lines and a tab'],
    ['nul\0, direction\u202e, half \ud800', 'nul, direction, half'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['x'.repeat(61), `${'x'.repeat(57)}...`],
    ['', 'Alert'],
    ['\0\u200b', 'Alert'],
    ['(no topic)', 'Alert'],
    ['General Chat', 'Alert'],
  ] as const) {
    t.equal(outsidersTopic(channel, text, 'Alert'), name, JSON.stringify(text));
  }
  const plain = { topics_policy: 'empty_topic_only' } as ChannelDocument;
  t.equal(outsidersTopic(plain, 'Disk full', 'Alert'), '');
});

void t.test('a topic that a client names is refused for what it may not contain', async (t) => {
  t.equal(newTopicName(' Disk full '), 'Disk full');
  t.throws(() => newTopicName('two\nlines'), {
    message: 'Invalid character in topic, at position 4!',
  });
  t.throws(() => newTopicName('nul\0'), { message: 'Topic must not contain null bytes' });
});
