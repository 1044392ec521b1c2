import t from 'tap';
import { renderTex } from '../../../../../src/services/markdown/formulas/tex.js';
import { timeBudget } from '../../../../../src/services/markdown/time-limit.js';

void t.test('what is no TeX, and what is too dear, gives nothing', (t) => {
  t.match(renderTex('x^2', false, timeBudget()), /^<span class="katex">/);
  t.equal(renderTex('\\frac{1}', false, timeBudget()), undefined);
  t.equal(renderTex('\\nosuchcommand', false, timeBudget()), undefined);
  t.equal(renderTex('x', false, { left: 0 }), undefined, 'no time is left');
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
    renderTex(tex, false, timeBudget());
    t.same(
      written.map((calls) => calls()),
      [[], [], []],
      tex,
    );
  }
  t.match(renderTex('\\message{a}b', false, timeBudget()), 'katex');
  t.equal(renderTex('\\message{a', false, timeBudget()), undefined);
  const endless = `\\def\\a{${'x'.repeat(400)}}${'\\a'.repeat(200)}`;
  t.equal(renderTex(endless, false, { left: 2 }), undefined, 'it is ended');
  for (const [i, name] of (['log', 'warn', 'error'] as const).entries()) {
    console[name]('after');
    t.equal(written[i]!().length, 1, `console.${name} is as before`);
  }
  t.end();
});

void t.test('short formulas, which nothing ends, use up the time of their message too', (t) => {
  const time = { left: 40 };
  let formulas = 0;
  while (renderTex('x^2+1', false, time) !== undefined) formulas += 1;
  t.ok(formulas > 1 && formulas < 100_000, `${formulas} formulas were shown`);
  t.ok(time.left < 1);
  t.end();
});
