import t from 'tap';
import { MAX_EMOJI, MAX_INLINE_TOKENS } from '../../../../src/services/markdown/budget.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { PictureLinks } from '../../../../src/services/outside/picture-links.js';
import { processorTime, takesLess } from '../../../fixtures/machine-load.js';
import { bounded, directory, html } from './fixtures.js';

const LENGTH = 10_000;
const filled = (text: string) => text.repeat(Math.ceil(LENGTH / text.length)).slice(0, LENGTH);
const lines = (line: (number: number) => string) => {
  let all = '';
  for (let i = 0; all.length < LENGTH; i++) all += line(i);
  return all.slice(0, LENGTH);
};

/** Messages that are made to be dear: nesting, delimiters that match nothing, very many elements. */
const HOSTILE: Readonly<Record<string, string>> = {
  quotes: filled('>'),
  'quotes by line': lines((i) => `${'>'.repeat((i % 40) + 1)} a\n`),
  'quotes and lists': lines(() => `${'> * '.repeat(18)}a\n`),
  lists: filled('* '),
  'lists in lists': filled('- - - - - - a\n'),
  'stairs of lists': lines((i) => `${' '.repeat(i % 150)}* a\n`),
  'numbered stairs': lines((i) => `${'  '.repeat(i % 70)}1. a\n`),
  'empty items': filled('*\n'),
  paragraphs: filled('a\n\n'),
  headings: filled('# a\n'),
  tables: filled('|a|b|c|\n|-|-|-|\n|1|2|3|\n\n'),
  'a wide table': `${filled('|a').slice(0, 5000)}\n${filled('|-').slice(0, 4990)}`,
  stars: filled('**a'),
  'closing stars': filled('a**'),
  'stars of three': filled('***a*** '),
  'stars and brackets': filled('*['),
  'brackets and stars': filled('[*'),
  tildes: filled('~~a'),
  brackets: '['.repeat(5000) + ']'.repeat(5000),
  'pairs of brackets': filled('[[] '),
  pictures: filled('!['),
  'pictures that close': '!['.repeat(3300) + ']('.repeat(1500),
  'links that end nowhere': filled('[a]('),
  'titles that end nowhere': filled('[a](http://b "'),
  links: filled('[a](http://a.b) '),
  parentheses: `http://a.bc/${filled('(')}`,
  schemes: filled('http://'),
  addresses: filled('a@b.cd '),
  'half addresses': filled('a@'),
  domains: filled('a.com '),
  'pictures elsewhere': lines((i) => `a.com/${i}.png `),
  'long addresses of pictures': lines((i) => `http://a.b/${'&"<'.repeat(500)}${i}.png `),
  'addresses in paragraphs': lines((i) => `http://a.bc/${i % 30}.png\n\n`),
  'dots and letters': filled('a.b.c.d.'),
  mentions: filled('@**Othello** '),
  'mentions of nobody': filled('@**'),
  channels: filled('#**my team>t** '),
  emoji: filled(':smile: '),
  'literal emoji': filled('\u{1f600}'),
  colons: filled(':a'),
  'emoji letters': filled('a:'),
  emoticons: filled(':) '),
  backticks: lines((i) => `${'`'.repeat(i + 1)}a`),
  fences: filled('```quote\n'),
  'other fences': lines((i) => `${'~'.repeat(i + 3)}quote\n`),
  'fences that close': `${'```quote\n'.repeat(500)}${'```\n'.repeat(1200)}`,
  spoilers: filled('```spoiler x\nb\n```\n'),
  formulas: filled('$$x_1$$ '),
  'a long formula': `$$${'x^2+'.repeat(173)}$$`,
  'formulas that grow': String.raw`$$\def\a{${'x'.repeat(400)}}${String.raw`\a`.repeat(200)}$$`,
  'dollar signs': filled('$$a\\$'),
  code: `~~~python\n${filled('def f(x): return [x.y(1) for x in "a" if 2]\n').slice(0, 5990)}`,
  'one line of code': `~~~js\n${filled('a(b)+[`${c}`,/d/g];').slice(0, 5990)}`,
  'open strings': `~~~python\n${filled("f'{").slice(0, 5990)}`,
  'open comments': `~~~c\n${filled('/*"').slice(0, 5990)}`,
  'open tags': `~~~html\n${filled('<a b="').slice(0, 5990)}`,
  'blocks of code': filled('~~~js\na(1)\n~~~\n'),
  'deleted texts': filled('~~a~~ '),
  times: filled('<time:1>'),
  'half times': filled('<time:'),
  'angle brackets': filled('<a'),
  CDATA: filled('<![CDATA['),
};

/** As the server renders; `bounded` also checks what it costs much to check. */
const markdown = createMarkdown();

/** What senders and organizations can want. */
const WANTS_ALL = {
  ...directory,
  translateEmoticons: true,
  previewsPages: true,
  outsidePicture: (address: string): string => links.path(address),
};
const links = new PictureLinks(Buffer.alloc(32));

/** Milliseconds that nothing takes: half of what nobody may wait longer for. Ordinary long messages take two. */
const MOST_MS = 25;

void t.test('no message of ten thousand characters takes long', async (t) => {
  for (let i = 0; i < 200; i++) markdown.render('**a** @**Othello** http://a.bc\n* b', directory);
  // The first messages with formulas and code have more time, until the libraries are compiled.
  const warm = `$$${'x^2+'.repeat(150)}$$\n\n~~~js\n${'a(1)\n'.repeat(200)}`;
  for (let i = 0; i < 30; i++) markdown.render(warm, directory);
  for (const [name, source] of Object.entries(HOSTILE)) {
    const cost = (): number => processorTime(() => markdown.render(source, WANTS_ALL));
    await takesLess(t, name, MOST_MS, cost);
    t.ok(bounded.render(source, WANTS_ALL).html, `${name}: is sanitized`);
  }
});

void t.test('what is beyond a bound is shown as it was written', async (t) => {
  const emoji = html(filled('\u{1f600}'));
  t.equal(emoji.split('<span').length - 1, MAX_EMOJI);
  t.equal(emoji.split('\u{1f600}').length - 1, LENGTH / 2 - MAX_EMOJI);
  const strong = html(filled('**a** '));
  t.ok(strong.split('<strong>').length <= MAX_INLINE_TOKENS / 3 + 2);
  t.match(strong, /<\/strong> \*\*a\*\* .*\*\*a\*\*/s);
  const items = html(filled('* a\n'));
  t.ok(items.split('<li>').length < 700);
  t.match(items, /\* a/);
  t.equal(html(filled('[a](tel:1) ')).split('<a ').length - 1, 600, 'links');
});
