import t from 'tap';
import {
  fold,
  foldedWords,
  unfoldedLength,
  wordsOf,
} from '../../../../src/services/search/words.js';

void t.test('words are letters and digits, or one symbol', (t) => {
  const cases: [string, string[]][] = [
    ['Fish & chips, at 8:30!', ['fish', 'chips', 'at', '8', '30']],
    ["don't foo_bar.baz", ['don', 't', 'foo', 'bar', 'baz']],
    ['C++ costs $5', ['c', '+', '+', 'costs', '$', '5']],
    ['Füße, “naïve” ΟΔΟΣ', ['fusse', 'naive', 'οδοσ']],
    ['안녕 мир', ['안녕', 'мир']],
    ['party 🎉❤️', ['party', '🎉', '❤']],
    ['', []],
  ];
  for (const [text, expected] of cases) t.strictSame(foldedWords(text), expected, text);
  t.end();
});

void t.test('scripts without spaces have a word per letter', (t) => {
  t.strictSame(foldedWords('北京大学 ab'), ['北', '京', '大', '学', 'ab']);
  t.strictSame(foldedWords('iPhoneケース'), ['iphone', 'ケ', 'ー', 'ス']);
  t.strictSame(foldedWords('กินข้าว'), ['กิ', 'น', 'ข้', 'า', 'ว']);
  t.end();
});

void t.test('case, accents and compatibility forms do not matter', (t) => {
  for (const form of ['STRASSE', 'Straße', 'ＳＴＲＡＳＳＥ', 'stra\u0308sse']) {
    t.equal(fold(form), 'strasse', form);
  }
  t.equal(fold('Café'), fold('cafe\u0301'));
  t.equal(fold('ﬁne'), 'fine');
  t.equal(fold('が'), 'が', 'a voiced letter is another letter');
  t.not(fold('が'), fold('か'));
  t.equal(fold('x'.repeat(100)), 'x'.repeat(64), 'of a long word the beginning counts');
  t.end();
});

void t.test('words know their place in the text', (t) => {
  t.strictSame(wordsOf('Ah, Füße'), [
    { folded: 'ah', start: 0, end: 2 },
    { folded: 'fusse', start: 4, end: 8 },
  ]);
  t.equal(unfoldedLength('Füße', 2), 2);
  t.equal(unfoldedLength('Füße', 3), 3, 'a divided letter is taken whole');
  t.equal(unfoldedLength('cafe\u0301s', 4), 5, 'with its accent');
  t.equal(unfoldedLength('abc', 2), 2);
  t.end();
});
