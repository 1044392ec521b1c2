import t from 'tap';
import {
  codePointLength,
  stripTrailingWhitespace,
  truncateContent,
  truncateTopic,
} from '../../../../src/services/text/content.js';

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
