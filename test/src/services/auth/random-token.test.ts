import t from 'tap';
import { newToken } from '../../../../src/services/auth/random-token.js';

void t.test('tokens of any length are all different', (t) => {
  // Enough to ask the system for random bytes several times, also in the middle of a token.
  const long = Array.from({ length: 1000 }, () => newToken());
  const short = Array.from({ length: 1000 }, () => newToken(13));
  t.equal(new Set([...long, ...short]).size, 2000);
  t.ok(long.every((token) => /^[\w-]{24}$/.test(token)));
  t.ok(short.every((token) => /^[\w-]{18}$/.test(token)));
  const zeros = /A{8}/;
  t.notOk(
    [...long, ...short].some((token) => zeros.test(token)),
    'no token has bytes that were used',
  );
  t.end();
});
