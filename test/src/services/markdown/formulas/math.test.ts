import t from 'tap';
import {
  FORMULA_PARTS,
  MAX_TEX_PARTS,
} from '../../../../../src/services/markdown/formulas/math.js';
import { bounded, directory, html } from '../fixtures.js';
import { processorTime, takesLess } from '../../../../fixtures/machine-load.js';

/** What a reader sees, and what those read who cannot see it. */
const source = (output: string): string[] =>
  [...output.matchAll(/<annotation encoding="application\/x-tex">(.*?)<\/annotation>/gs)].map(
    ([, tex = '']) => tex,
  );

void t.test('a formula within a line', async (t) => {
  const output = html('so $$x_1 < 2$$, yes');
  t.match(output, /^<p>so <span class="katex"><span class="katex-mathml"><math xmlns=/);
  t.match(output, /<\/span><\/span>, yes<\/p>$/);
  t.strictSame(source(output), ['x_1 &lt; 2']);
  t.match(output, '<span class="katex-html" aria-hidden="true">');
  t.strictSame(source(html('($$x$$), $$**y** \\$$$.')), ['x', '**y** \\$'], 'nothing else in it');
});

void t.test('a formula on lines of its own', async (t) => {
  const output = html('```math\na\n= b\n\nc\n```\nafter');
  t.match(output, /^<p><span class="katex-display"><span class="katex">/);
  t.match(output, /<\/span>\n\n<span class="katex-display">/, 'each paragraph is one');
  t.match(output, /<\/p>\n<p>after<\/p>$/);
  t.strictSame(source(output), ['a\n= b', 'c']);
});

void t.test('dollar signs that enclose no formula stay text', async (t) => {
  for (const text of [
    '$5 to $20',
    '$$',
    '$$$$',
    '$$$x$$$',
    'a$$x$$',
    '$$x$$b',
    '$$_x$$',
    '$$x\ny$$',
  ]) {
    const output = html(text);
    t.notMatch(output, 'katex', text);
    t.equal(output, `<p>${text.replace('\n', '<br>\n')}</p>`);
  }
  t.equal(html('`$$x$$`'), '<p><code>$$x$$</code></p>');
});

void t.test('a formula with a fault is shown as it was written', async (t) => {
  const faulty = '<span class="tex-error">';
  t.equal(html('$$\\error{**a**}$$'), `<p>${faulty}$$\\error{**a**}$$</span></p>`);
  t.equal(html("~~~math\n\\x{'<b>'}\n~~~"), `<p>${faulty}\\x{&#x27;&lt;b&gt;&#x27;}</span></p>`);
  t.equal(html('$$\\frac{a$$'), `<p>${faulty}$$\\frac{a$$</span></p>`);
});

void t.test('a formula leads nowhere and loads nothing', async (t) => {
  for (const tex of [
    '\\href{javascript:alert(1)}{x}',
    '\\url{https://x.com}',
    '\\includegraphics{https://x.com/a.png}',
    '\\htmlData{onclick=alert(1)}{x}',
    '\\htmlStyle{background:url(https://x.com)}{x}',
    '\\htmlClass{evil" onclick="x}{x}',
  ]) {
    const output = html(`$$${tex}$$`);
    const shown = output.replace(/<annotation .*?<\/annotation>/s, '');
    // The formula as it was written is text.
    const tags = (shown.match(/<[^>]*>/g) ?? []).join('');
    t.notMatch(tags, /<a |<img|href=|onclick|url\(|evil/, tex);
  }
});

void t.test('formulas beyond the bounds are shown as they were written', async (t) => {
  const formula = `$$${'\\alpha'.repeat(MAX_TEX_PARTS / 20 - FORMULA_PARTS)}$$ `;
  const output = html(`${formula.repeat(20)} $$y$$`);
  t.equal(source(output).length, 20);
  t.match(output, '<span class="tex-error">$$y$$</span>');
  const small = html('$$x$$ '.repeat(1000));
  t.equal(source(small).length, 87, 'many small ones');
  t.equal(small.split('tex-error').length - 1, 913);
  t.equal(source(html('$$\\not a$$ '.repeat(100))).length, 70, 'a dear macro counts twice');
  t.match(html('$$\\def\\a{\\a\\a}\\a$$'), 'tex-error', 'a macro without end');
  // 65 parts, and 200 letters that its macros become: two of them are within 700.
  const grows = `$$\\def\\a{${'x'.repeat(50)}}${'\\a'.repeat(4)}$$ `;
  t.equal(source(html(grows.repeat(5))).length, 2, 'what its own macros become');
  const growing = `$$\\def\\a{${'x'.repeat(500)}}${'\\a'.repeat(200)}$$`;
  const render = (): void => {
    t.match(bounded.render(growing, directory).html, 'tex-error', 'a hundred thousand letters');
  };
  await takesLess(t, 'a hundred thousand letters', 25, () => processorTime(render));
});
