import t from 'tap';
import { ApiError } from '../../../../src/errors/index.js';
import { Passwords } from '../../../../src/services/auth/passwords.js';
import { costsLess, processorTimeOf } from '../../../fixtures/machine-load.js';

const CHEAP = { memoryKiB: 1024, passes: 2, concurrency: 1, maxWaiting: 2 };

void t.test('a hash verifies its password and no other', async (t) => {
  const passwords = Passwords.create(CHEAP);
  const hash = await passwords.hash('correct horse');
  t.match(hash, /^\$argon2id\$v=19\$m=1024,t=2,p=1\$/);
  t.ok(await passwords.verify(hash, 'correct horse'));
  t.notOk(await passwords.verify(hash, 'correct horsf'));
  t.not(await passwords.hash('correct horse'), hash, 'salted');
});

/** Made by the npm package `argon2` 0.45.1, which Parley used before: other order of parameters. */
const FORMER_HASHES = [
  '$argon2id$v=19$m=19456,p=1,t=2$+Ovd05aOIssM5vjm74VTpQ$LPFZyv72zSGetuF6oR8dM9GNi2lhyKx0IB9ykaAu/kQ',
  '$argon2id$v=19$m=1024,p=1,t=1$5PfUVkeqaNOt34l81/dbig$cBrdcUm6sgKBj2RhojbyQ9PaExeI0N3T9bkxTgU3aWo',
] as const;

void t.test('hashes of earlier versions of Parley stay valid', async (t) => {
  const passwords = Passwords.create(CHEAP);
  t.ok(await passwords.verify(FORMER_HASHES[0], 'korrekt 馬 battery'));
  t.notOk(await passwords.verify(FORMER_HASHES[0], 'korrekt 馬 batterz'));
  t.ok(await passwords.verify(FORMER_HASHES[1], 'correct horse'));
});

void t.test('hashing leaves the event loop to others', async (t) => {
  const passwords = Passwords.create({ ...CHEAP, memoryKiB: 65_536, passes: 3 });
  // The most of some: this process may get no processor while one hash is made. Hashed on the event loop there would be
  // one turn, or two, however often.
  let most = 0;
  for (let i = 0; i < 30 && most <= 10; i++) {
    let turns = 0;
    let over = false;
    void passwords.hash('correct horse').finally(() => (over = true));
    while (!over) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    most = Math.max(most, turns);
  }
  t.ok(most > 10, `${most} turns of the loop during one hash`);
});

void t.test('without an account the answer is no, for any password', async (t) => {
  const passwords = Passwords.create(CHEAP);
  t.notOk(await passwords.verify(null, 'no such password'));
  t.notOk(await passwords.verify(null, ''));
});

void t.test('and it takes as long as with one', async (t) => {
  const passwords = Passwords.create({ ...CHEAP, memoryKiB: 32_768 });
  const hash = await passwords.hash('correct horse');
  const time = (one: string | null) => (): Promise<number> =>
    processorTimeOf(() => passwords.verify(one, 'incorrect horse'));
  // A shorter way stays shorter, however often.
  await costsLess(t, 2, time(hash), time(null));
});

void t.test(
  'a password longer than any stored one is refused, even if it were right',
  async (t) => {
    const passwords = Passwords.create(CHEAP);
    const long = 'x'.repeat(201);
    t.notOk(await passwords.verify(await passwords.hash(long), long));
  },
);

void t.test(
  'at the bound further calls are refused with 503; those waiting get their turn',
  async (t) => {
    const passwords = Passwords.create(CHEAP);
    const accepted = [1, 2, 3].map((n) => passwords.hash(`password ${n}`));
    await t.rejects(passwords.hash('one too many'), { status: 503, code: 'SERVICE_UNAVAILABLE' });
    t.equal((await Promise.all(accepted)).length, 3);
    t.type(await passwords.hash('and again'), 'string', 'places are free again');
  },
);

void t.test('a failure frees its place', async (t) => {
  const passwords = Passwords.create({ ...CHEAP, maxWaiting: 0 });
  await t.rejects(passwords.verify('not a hash', 'x'));
  const outcome = await passwords.hash('x').catch((error: unknown) => error);
  t.notOk(outcome instanceof ApiError);
});
