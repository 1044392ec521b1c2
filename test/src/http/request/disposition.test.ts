import t from 'tap';
import { partNames } from '../../../../src/http/request/disposition.js';

const file = (attributes: string): string | undefined =>
  partNames(`form-data; name="file"; ${attributes}`).filename;

void t.test('names of files come whole, in the form of each client', async (t) => {
  for (const [attributes, name, who] of [
    ['filename="日報.txt"', '日報.txt', 'browsers, curl, Python with urllib3 2'],
    [`filename*=utf-8''%E6%97%A5%E5%A0%B1.txt`, '日報.txt', 'Python with urllib3 1'],
    [
      `filename="=?utf-8?B?5pel5aCxLnR4dA==?="; filename*=utf-8''%E6%97%A5%E5%A0%B1.txt`,
      '日報.txt',
      '.NET',
    ],
    ['filename="=?utf-8?B?5pel5aCxLnR4dA==?="', '日報.txt', '.NET Framework'],
    ['filename="=?UTF-8?Q?=E6=97=A5=E5=A0=B1_a%b.txt?="', '日報 a%b.txt', 'Java mail'],
    ['filename="=?utf-8?B?5pel?= =?utf-8?B?5aCx?="', '日報', 'a long name in two words'],
    [`filename*=ISO-8859-1'en'na%EFve.txt`, 'naïve.txt', 'another charset'],
    [`FileName*=UTF-8''a.txt; filename="b.txt"`, 'a.txt', 'the extended form first'],
    [`filename*=utf-8''%FF.txt; filename="b.txt"`, 'b.txt', 'malformed bytes'],
    [`filename*=x-none''a.txt; filename="b.txt"`, 'b.txt', 'an unknown charset'],
    [`filename*=x-none''a%E9.txt`, 'aé.txt', 'an unknown charset, and no other name'],
    ['filename="a\\"b.txt"', 'a"b.txt', 'Go, curl before 7.81'],
    ['filename="a\\\\b.txt"', 'a\\b.txt', 'a backslash from Go'],
    ['filename="a%22b.txt"', 'a"b.txt', 'browsers, curl, Python'],
    ['filename="C:\\dir\\a.txt"', 'C:\\dir\\a.txt', 'an old browser'],
    ['filename="a\\"', 'a\\', 'a backslash at the end, which no browser escapes'],
    ['filename="a; filename=b.txt"', 'a; filename=b.txt', 'no attribute within quotes'],
    ['filename="a;b.txt" ; x="y"', 'a;b.txt', 'a semicolon'],
    ['filename=a.txt', 'a.txt', '.NET without quotes'],
    ['filename="50%.txt"', '50%.txt', 'a percent sign'],
    ['filename="=?utf-8?B"', '=?utf-8?B', 'no encoded word'],
    ['filename=""', '', 'an empty name'],
  ] as const) {
    t.equal(file(attributes), name, who);
  }
});

void t.test('what has no name of a file is a field', async (t) => {
  t.same(partNames('form-data; name="to"'), { name: 'to', filename: undefined });
  t.same(partNames('form-data; name=to'), { name: 'to', filename: undefined });
  t.same(partNames('form-data; name="a\\"b"'), { name: 'a"b', filename: undefined });
  t.same(partNames('form-data'), { name: undefined, filename: undefined });
  t.same(partNames(`attachment; x;; =; name`), { name: undefined, filename: undefined });
});

void t.test('a head made to be searched for long is read in its length', async (t) => {
  const long = 4000;
  t.equal(file(`filename="${'\\"'.repeat(long)}`), `${'"'.repeat(long - 1)}\\`);
  t.equal(file(`filename="${'\\\\'.repeat(long)}"`), '\\'.repeat(long));
  t.equal(partNames(';'.repeat(long)).name, undefined);
});
