import t from 'tap';
import { lookKeys } from '../../../../src/services/text/look-alikes.js';

function lookAlike(name: string, other: string): boolean {
  const keys = new Set(lookKeys(other));
  return lookKeys(name).some((key) => keys.has(key));
}

/* The pairs of UTS #39, sections 4 and 5, and others that its table of confusables has. */
void t.test('names that look the same have one key', (t) => {
  for (const [name, other] of [
    ['paypal', 'p\u0430yp\u0430l'],
    ['paypal', '\u03c1\u237ay\u{1d4c5}\u{1d482}\u05df'],
    ['scope', '\u0455\u0441\u043e\u0440\u0435'],
    ['Alice', 'AIice'],
    ['Alice', 'A1ice'],
    ['modern', 'rnodern'],
    ['Olga', '0lga'],
    ['sos', 's\u03bfs'],
    ['so\u0308s', 's\u00f6s'],
    ['Welcome Bot', 'weIcome b0t'],
    ['Ian', 'lan'],
    ['all', 'ALL'],
    ['all', '\u0410LL'],
    ['Lena Miller', 'L\u0415NA MILLER'],
    ['Email Gateway', '\u0415MAIL GATEWAY'],
  ] as const) {
    t.ok(lookAlike(name, other), `${name} ${other}`);
  }
  for (const [name, other] of [
    ['Jose', 'Jos\u00e9'],
    ['Anna', 'Anne'],
    ['Ivan', '\u0418\u0432\u0430\u043d'],
    ['Lan', 'Ian'],
  ] as const) {
    t.notOk(lookAlike(name, other), `${name} ${other}`);
  }
  t.end();
});
