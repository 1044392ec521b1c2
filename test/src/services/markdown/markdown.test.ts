import fc from 'fast-check';
import t from 'tap';
import { createMarkdown, isMeMessage } from '../../../../src/services/markdown/markdown.js';
import { sanitize } from '../../../../src/services/markdown/sanitizer.js';
import { directory, html, markdown, nestingFault, render } from './fixtures.js';
import { processorTime, takesLess } from '../../../fixtures/machine-load.js';

void t.test('a text that begins with "/me " is a /me message', async (t) => {
  t.equal(isMeMessage('/me waves'), true);
  for (const source of ['/me', '/meow', ' /me x', 'x /me y', ''])
    t.equal(isMeMessage(source), false);
});

void t.test('an exception leaves the message as it was written', async (t) => {
  const failure = new Error('directory is broken');
  const errors: unknown[] = [];
  const renderer = createMarkdown({ onError: (error) => errors.push(error) });
  const userByName = (): never => {
    throw failure;
  };
  const rendered = renderer.render('<b> @**x**\n**y**', { ...directory, userByName });
  t.equal(rendered.html, '<p>&lt;b&gt; @**x**<br>\n**y**</p>');
  t.same(rendered.mentions.users, []);
  t.same(errors, [failure]);
});

void t.test('an overlong source is shown as it was written', async (t) => {
  const renderer = createMarkdown({ maxSourceLength: 10 });
  t.equal(renderer.render('**1234567**', directory).html, '<p>**1234567**</p>');
  t.equal(renderer.render('**123456**', directory).html, '<p><strong>123456</strong></p>');
});

void t.test('renderings do not influence each other', async (t) => {
  const before = render('@**Othello** :smile:');
  render('> [a]: x\n| a |\n|-|\n```quote');
  t.same(render('@**Othello** :smile:'), before);
});

void t.test('nothing of a deeply nested message is lost', async (t) => {
  t.match(html(`${'> '.repeat(200)}bottom`), /bottom/);
  t.match(html(`${'```quote\n'.repeat(200)}bottom`), /bottom/);
  t.match(html(`${'* '.repeat(200)}bottom`), /bottom/);
});

const FRAGMENTS = [
  ...[
    '*',
    '**',
    '~~',
    '`',
    '```',
    '```quote',
    '~~~spoiler a',
    '\n',
    '\n\n',
    '> ',
    '* ',
    '1. ',
    '# ',
  ],
  ...['|a|b|\n|-|-|\n', '[', '](', ')', '![', 'https://x.com', '<', '>', '<b>', '&amp;', '"', "'"],
  ...['@**Othello**', '@_*core*', '@**', '#**my team>x**', '#**', ':smile:', ':', '🎉', '\u200d'],
  ...[
    '<time:2026-01-31>',
    '    ',
    'word',
    ' ',
    '_',
    '\\',
    '\u0000',
    '\ud800',
    '/user_uploads/1/a.png',
  ],
];

/** Quotation marks of code are escaped, which the sanitizer undoes outside of attributes. */
const plain = (output: string): string => output.replace(/&(?:quot|#39);|["']/g, '');

void t.test('every output is well-formed and nothing but what is allowed', async (t) => {
  const source = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((s) => s.join(''));
  fc.assert(
    fc.property(source, (text) => {
      const output = markdown.render(text, { ...directory, translateEmoticons: true }).html;
      return nestingFault(output) === undefined && plain(sanitize(output)) === plain(output);
    }),
    { numRuns: 500, seed: 20260131 },
  );
  t.pass('500 random messages');
  for (const fault of ['<p>', '<p><em></p></em>', '</p>', '<p>a < b</p>', '<p x=y></p>']) {
    t.ok(nestingFault(fault), `the check finds the fault in ${fault}`);
  }
});

const LENGTH = 10_000;
const fill = (unit: string): string => unit.repeat(Math.floor(LENGTH / unit.length));
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

const PATHOLOGICAL: Record<string, string> = {
  'opening brackets': fill('['),
  'nested brackets': '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2),
  'unfinished links': fill('[a]('),
  'nested images': '!['.repeat(3000) + ')'.repeat(4000),
  asterisks: fill('*'),
  'unbalanced emphasis': fill('a**b c* '),
  'mixed markers': fill('*~~_['),
  'mention starts': fill('@**'),
  'unclosed mentions': fill(' @**a'),
  mentions: fill(' @**Othello**'),
  'channel link starts': fill(' #**my team>'),
  'quotes in one line': fill('>'),
  'quotes in many lines': lines(100, () => '>'.repeat(99)),
  'growing quotes': lines(140, (index) => `${'>'.repeat(index)}a`),
  'quote fences': fill('```quote\n'),
  'alternating fences': fill('~~~quote\n```quote\n'),
  'quoted fences': fill('> ```quote\n'),
  'list markers': fill('* '),
  'growing lists': lines(140, (index) => `${' '.repeat(index)}* a`),
  'code spans': lines(140, (index) => '`'.repeat(index)),
  'wide table': `${'|a'.repeat(1000)}\n${'|-'.repeat(1000)}\n${'|\n'.repeat(3000)}`,
  'many tables': `${'|a'.repeat(45)}\n${'|-'.repeat(45)}\n${'|\n'.repeat(88)}\n`.repeat(27),
  'delimiter rows': fill('|-\n|-|-\n'),
  'angle brackets': fill('<'),
  'time starts': fill('<time:'),
  schemes: fill('http://'),
  'parentheses in an address': `http://a.com/${fill('(')}`,
  'mail addresses': fill('a@b.c'),
  'domain labels': `http://${fill('a.')}`,
  colons: fill(':a'),
  emoji: fill('👍'),
  'joined emoji': fill('👩\u200d'),
  'regional indicators': fill('🇩'),
  spaces: `${' '.repeat(LENGTH - 1)}a`,
  'line breaks': fill('\n'),
  dashes: fill('-'),
};

void t.test('no message of 10000 characters is slow to render', async (t) => {
  for (const [name, source] of Object.entries(PATHOLOGICAL)) {
    let output = '';
    const cost = (): number =>
      processorTime(() => (output = html(source, { translateEmoticons: true })));
    await takesLess(t, name, 250, cost);
    t.equal(nestingFault(output), undefined, name);
  }
});
