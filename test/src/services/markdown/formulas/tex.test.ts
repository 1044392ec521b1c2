import t from 'tap';
import { renderTex } from '../../../../../src/services/markdown/formulas/tex.js';
import { timeBudget } from '../../../../../src/services/markdown/time-limit.js';

/** @param most tokens that macros of the formula may become */
function rendered(
  tex: string,
  display: boolean,
  time = timeBudget(),
  most = 10,
): string | undefined {
  return renderTex(tex, display, time, { left: most });
}

void t.test('what is no TeX, and what is too dear, gives nothing', (t) => {
  t.match(rendered('x^2', false), /^<span class="katex">/);
  t.equal(rendered('\\frac{1}', false), undefined);
  t.equal(rendered('\\nosuchcommand', false), undefined);
  t.equal(rendered('x', false, { left: 0 }), undefined, 'no time is left');
  t.end();
});

void t.test('a formula writes nothing to the console', (t) => {
  const written = (['log', 'warn', 'error'] as const).map((name) => t.capture(console, name));
  for (const tex of [
    '\\text{\u2172 \u2603}',
    '\\message{{"level":"fatal"}}a',
    '\\errmessage{lost}a',
    '\\show{a}',
    '\\show\\frac',
  ]) {
    rendered(tex, false);
    t.same(
      written.map((calls) => calls()),
      [[], [], []],
      tex,
    );
  }
  t.match(rendered('\\message{a}b', false), 'katex');
  t.equal(rendered('\\message{a', false), undefined);
  const endless = `\\def\\a{${'x'.repeat(400)}}${'\\a'.repeat(200)}`;
  t.equal(rendered(endless, false, { left: 2 }, Infinity), undefined, 'it is ended');
  for (const [i, name] of (['log', 'warn', 'error'] as const).entries()) {
    console[name]('after');
    t.equal(written[i]!().length, 1, `console.${name} is as before`);
  }
  t.end();
});

void t.test('short formulas, which nothing ends, use up the time of their message too', (t) => {
  const time = { left: 40 };
  let formulas = 0;
  while (rendered('x^2+1', false, time) !== undefined) formulas += 1;
  t.ok(formulas > 1 && formulas < 100_000, `${formulas} formulas were shown`);
  t.ok(time.left < 1);
  t.end();
});

void t.test('what macros of a formula become is bounded, whatever time there is', (t) => {
  const grown = (tex: string, most: number): number | null => {
    const growing = { left: most };
    const html = renderTex(tex, false, { left: 60_000 }, growing);
    return html === undefined ? null : most - growing.left;
  };
  t.equal(grown('x\\not a\\implies b', 0), 0, 'macros of the library are not its own');
  const twice = '\\def\\a{xyz}\\a\\a';
  t.equal(grown(twice, 100), 6);
  t.equal(grown(twice, 6), 6);
  t.equal(grown(twice, 5), null);
  t.equal(grown('\\newcommand\\a[2]{#1#1#2}\\a{xx}{yyy}', 100), 7, 'with its arguments');
  t.equal(grown('\\def\\a{xx}\\edef\\b{\\a\\a}\\b', 100), 8, 'and where it is defined');
  for (const endless of [
    `\\def\\a{${'x'.repeat(400)}}${'\\a'.repeat(200)}`,
    '\\def\\a#1{\\a{#1#1}}\\a{x}',
    `\\def\\a#1{${'#1'.repeat(300)}}\\a{${'x'.repeat(390)}}`,
  ]) {
    t.equal(grown(endless, 700), null, endless.slice(0, 20));
  }
  t.end();
});
