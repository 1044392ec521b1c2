import t from 'tap';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { renderedText } from '../../../../src/services/search/rendered-text.js';
import { withCharactersOfNames } from '../../../../src/services/text/emoji.js';
import { messageWords, readTerms, satisfies } from '../../../../src/services/search/terms.js';

const noDirectory = {
  userByName: () => undefined,
  userById: () => undefined,
  groupByName: () => undefined,
  channelByName: () => undefined,
};

const matches = (operand: string, html: string, topic = ''): boolean =>
  satisfies(messageWords({ rendered_content: html, topic }), [
    { terms: readTerms(operand), negated: false },
  ]);

void t.test('the text of a message is what a reader sees', (t) => {
  const html =
    '<p>a &amp; b<br>c<strong>d</strong>e</p>\n<ul><li>f&#x1F600;</li><li>&#103;&nope;</li></ul>';
  t.equal(renderedText(html).text, 'a & b\ncde\n\nf😀\ng&nope;\n');
  const formula = createMarkdown().render('a $$x_1$$ b', noDirectory).html;
  t.equal(renderedText(formula).text, 'a x_1 b\n', 'a formula as it was written');
  const picture = '<img alt="a &quot;red&quot; cat" class="inline-image" src="/x.webp">';
  t.equal(renderedText(`<p>see${picture}it</p>`).text, 'see\na "red" cat\nit\n', 'of pictures');
  t.equal(renderedText('a<img alt=":x:" class="emoji" src="/x">b').text, 'a:x:b', 'of emoji');
  t.equal(renderedText('5 < 6 & 7').text, '5 < 6 & 7', 'what is no markup is text');
  t.end();
});

void t.test('a search asks for words and phrases, each once', (t) => {
  t.strictSame(readTerms('Foo foo "Foo Bar" don\'t & "'), [
    { words: ['foo'], isPrefix: true },
    { words: ['foo', 'bar'], isPrefix: false },
    { words: ['don', 't'], isPrefix: true },
  ]);
  t.strictSame(readTerms(' "" '), []);
  t.end();
});

void t.test('all terms must be there, in the text or the topic', (t) => {
  const html = "<p>The <em>Quick</em> brown f<b>o</b>x isn't here</p><p>today</p>";
  const cases: [string, boolean][] = [
    ['fox QUICK', true],
    ['qui', true],
    ['uick', false],
    ['"qui"', false],
    ['"quick brown"', true],
    ['"brown quick"', false],
    ['"fox isn\'t"', true],
    ["isn't", true],
    ['isn', true],
    ['lunch', true],
    ['"today lunch"', false],
    ['"lunch plans"', true],
    ['fox cat', false],
    ['em strong', false],
    ['', true],
  ];
  for (const [operand, expected] of cases) {
    t.equal(matches(operand, html, 'Lunch plans'), expected, operand);
  }
  t.ok(matches('大学', '<p>北京大学</p>'), 'anywhere in scripts without spaces');
  t.notOk(matches('学大', '<p>北京大学</p>'));
  t.ok(matches('c++', '<p>I like C++</p>'));
  t.notOk(matches('c++', '<p>I like C</p>'));
  t.end();
});

void t.test('a negated clause asks for messages without all of its terms', (t) => {
  const words = ['red', 'apple'];
  const not = (operand: string) => satisfies(words, [{ terms: readTerms(operand), negated: true }]);
  t.equal(not('red'), false);
  t.equal(not('red pear'), true);
  t.end();
});

/** Emoji, in the forms in which people write them. */
const EMOJI: readonly string[][] = [
  ['👍', ':thumbs_up:', ':+1:', '👍\ufe0f'],
  ['❤️', '❤', ':heart:'],
  ['☺️', '☺', ':relaxed:'],
  ['🇩🇪', ':de:'],
  ['1️⃣', '1⃣', ':one:'],
  ['#️⃣', '#⃣', ':hash:'],
  ['‼️', '‼', ':bangbang:'],
  ['©️', ':copyright:'],
  ['👩‍💻', ':woman_technologist:'],
  ['👩‍👩‍👧'],
  ['🕵️‍♂️', '🕵‍♂'],
  ['🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
];

// [c:emoji-found]
void t.test('an emoji is found by any of its forms, wherever it is', (t) => {
  const markdown = createMarkdown();
  const render = (content: string) => markdown.render(content, noDirectory).html;
  const asked = (operand: string) => withCharactersOfNames(operand, () => false);
  for (const forms of EMOJI) {
    for (const written of forms) {
      for (const operand of forms.map(asked)) {
        const said = `${operand} in ${written}`;
        t.ok(matches(operand, render(`${written} yes`)), said);
        t.ok(matches(`"${operand} yes"`, render(`no ${written} yes`)), `${said}: a phrase`);
        t.ok(matches(`${operand}yes`, render(`no ${written} yes`)), `${said}: without a space`);
        t.notOk(
          matches(`"yes ${operand}"`, render(`yes no ${written}`)),
          `${said}: another phrase`,
        );
        t.notOk(matches(operand, render('yes')), `${said}: not there`);
        if (written.startsWith(':')) continue;
        t.ok(matches(operand, render(`\`${written}\``)), `${said}: in code`);
        t.ok(matches(operand, '<p>yes</p>', `no ${written}`), `${said}: in the topic`);
      }
    }
  }
  t.notOk(matches('🎉', render('👍 yes')), 'another one');
  t.notOk(matches(asked(':tada:'), '<p>tada</p>'), 'not by its name as a word');
  t.ok(matches('tada', render('🎉 yes')), 'by its name');
  t.ok(matches('👍🏽', render('👍🏽 yes')), 'with a tone');
  t.ok(matches('👍', render('👍🏽 yes')), 'of any tone');
  t.ok(matches('👍🏽', render('👍 yes')), 'one without a tone');
  t.ok(matches('👍🏽', render('👍🏻 yes')), 'one of another tone');
  for (const text of ['👩‍🚀', '👩🏽‍🚀', '👩🏿‍🚀']) {
    for (const operand of ['👩‍🚀', '👩🏽‍🚀', '👩🏿‍🚀']) {
      t.ok(matches(operand, render(`${text} up`)), `${operand} in ${text}`);
    }
    t.notOk(matches('👨🏽‍🚀', render(`${text} up`)), `another person in ${text}`);
  }
  t.ok(matches('👩🏻‍🤝‍👨🏿', render('👩🏿‍🤝‍👨🏻')), 'two tones');
  t.equal(
    withCharactersOfNames('a :tada: b:key:c :nosuch:', () => false),
    'a 🎉 b:key:c :nosuch:',
  );
  t.equal(
    withCharactersOfNames(':tada: "x :heart:"', (name) => name === 'tada'),
    ':tada: "x ❤"',
  );
  t.end();
});
