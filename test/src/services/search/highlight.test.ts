import t from 'tap';
import { highlight } from '../../../../src/services/search/highlight.js';
import { readTerms } from '../../../../src/services/search/terms.js';

/** Marks as brackets, which are easier to read. */
const marked = (html: string, operand: string): string =>
  highlight(html, readTerms(operand))
    .replaceAll('<span class="highlight">', '[')
    .replaceAll('</span>', ']');

void t.test('marks what was asked for, in its original form', (t) => {
  const cases: [html: string, operand: string, expected: string][] = [
    ['<p>Fish and fishing</p>', 'FISH', '<p>[Fish] and [fish]ing</p>'],
    ['<p>Naïve cafés</p>', 'naive cafe', '<p>[Naïve] [café]s</p>'],
    ['<p>cafe\u0301s</p>', 'cafe', '<p>[cafe\u0301]s</p>'],
    ['<p>Straße</p>', 'strasse', '<p>[Straße]</p>'],
    ['<p>foo, bar baz</p>', '"foo bar"', '<p>[foo, bar] baz</p>'],
    ['<p>foobar foo</p>', '"foo"', '<p>foobar [foo]</p>'],
    ['<p>don&#39;t do</p>', "don't", '<p>[don&#39;t] do</p>'],
    ['<p>R&amp;D &lt;b&gt;</p>', '"r d"', '<p>[R&amp;D] &lt;b&gt;</p>'],
    ['<p>北京大学</p>', '大学', '<p>北京[大学]</p>'],
    ['<p>amp &amp; b</p>', 'amp', '<p>[amp] &amp; b</p>'],
    ['<p>a b a</p>', 'a ab "a b"', '<p>[a b] [a]</p>'],
    ['<p class="fish">x</p>', 'fish', '<p class="fish">x</p>'],
    ['<p>nothing</p>', '', '<p>nothing</p>'],
    [
      '<img alt="cat" class="inline-image"> a cat',
      'cat',
      '<img alt="cat" class="inline-image"> a [cat]',
    ],
  ];
  for (const [html, operand, expected] of cases) t.equal(marked(html, operand), expected, html);
  t.end();
});

void t.test('marks are divided at tags, and cover no space between elements', (t) => {
  t.equal(marked('<p>f<b>o</b>x</p>', 'fox'), '<p>[f]<b>[o]</b>[x]</p>');
  t.equal(
    marked('<ul>\n<li>red</li>\n<li>apple</li>\n</ul>', '"red apple"'),
    '<ul>\n<li>[red]</li>\n<li>[apple]</li>\n</ul>',
  );
  t.end();
});

void t.test('an emoji is marked as a whole, once', (t) => {
  const html =
    '<p>yes <span aria-label="thumbs up" class="emoji emoji-1f44d" role="img" title="thumbs up">:thumbs_up:</span></p>';
  const expected = html.replace(':thumbs_up:', '[:thumbs_up:]').replace('</span>', ']');
  const once = (operand: string) => marked(html, operand);
  t.equal(once('👍'), expected);
  t.equal(once('thumbs'), expected);
  t.equal(once('👍 up thumbs'), expected);
  t.equal(once('yes 👍'), expected.replace('yes', '[yes]'));
  t.end();
});

void t.test('marks no more than 500 places', (t) => {
  const html = highlight('a '.repeat(600), readTerms('a'));
  t.equal(html.split('<span').length - 1, 500);
  t.end();
});
