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

void t.test('letters that the fonts lack write nothing to the console', (t) => {
  const warned = t.capture(console, 'warn');
  t.match(renderTex('\\text{\u2172 \u2603}', false, timeBudget()), 'katex');
  t.same(warned(), []);
  t.end();
});
