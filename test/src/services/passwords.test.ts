import t from 'tap';
import { ApiError } from '../../../src/errors.js';
import { Passwords } from '../../../src/services/passwords.js';

const CHEAP = { memoryKiB: 1024, passes: 2, concurrency: 1, maxWaiting: 2 };

void t.test('a hash verifies its password and no other', async (t) => {
  const passwords = await Passwords.create(CHEAP);
  const hash = await passwords.hash('correct horse');
  t.match(hash, /^\$argon2id\$v=19\$m=1024,/);
  t.ok(await passwords.verify(hash, 'correct horse'));
  t.notOk(await passwords.verify(hash, 'correct horsf'));
  t.not(await passwords.hash('correct horse'), hash, 'salted');
});

void t.test('without an account the answer is no, for any password', async (t) => {
  const passwords = await Passwords.create(CHEAP);
  t.notOk(await passwords.verify(null, 'no such password'));
  t.notOk(await passwords.verify(null, ''));
});

void t.test(
  'a password longer than any stored one is refused, even if it were right',
  async (t) => {
    const passwords = await Passwords.create(CHEAP);
    const long = 'x'.repeat(201);
    t.notOk(await passwords.verify(await passwords.hash(long), long));
  },
);

void t.test(
  'at the bound further calls are refused with 503; those waiting get their turn',
  async (t) => {
    const passwords = await Passwords.create(CHEAP);
    const accepted = [1, 2, 3].map((n) => passwords.hash(`password ${n}`));
    await t.rejects(passwords.hash('one too many'), { status: 503, code: 'SERVICE_UNAVAILABLE' });
    t.equal((await Promise.all(accepted)).length, 3);
    t.type(await passwords.hash('and again'), 'string', 'places are free again');
  },
);

void t.test('a failure frees its place', async (t) => {
  const passwords = await Passwords.create({ ...CHEAP, maxWaiting: 0 });
  await t.rejects(passwords.verify('not a hash', 'x'));
  const outcome = await passwords.hash('x').catch((error: unknown) => error);
  t.notOk(outcome instanceof ApiError);
});
