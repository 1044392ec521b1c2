import t from 'tap';
import { rateLimitHit } from '../../../../src/errors/index.js';
import { Directory, type DirectorySettings } from '../../../../src/services/auth/ldap-directory.js';
import {
  BASE,
  BIND_DN,
  BIND_PASSWORD,
  NO_SLAPD,
  startSlapd,
  type Person,
} from '../fixtures/slapd.js';

const PEOPLE: readonly Person[] = [
  ['hamlet', 'hamlet@example.org', 'Hämlet Prince', 'to-be-or-not'],
  ['star*', 'star@example.org', 'Star', 'with-a-star'],
  ['nobody', '', 'Without Address', 'no-address'],
  ['twin', 'twin@example.org', 'One', 'twin-one'],
  ['twin', 'other@example.org', 'Two', 'twin-two'],
];

const SETTINGS: DirectorySettings = {
  url: '',
  starttls: false,
  bind_dn: BIND_DN,
  bind_password: BIND_PASSWORD,
  base: BASE,
  filter: '(objectClass=inetOrgPerson)',
  username: 'uid',
  email: 'mail',
  full_name: 'cn',
  create_accounts: true,
};

const login = (username: string, password: string, email: string | null = null) => ({
  username,
  password,
  email,
  admit: async () => undefined,
});

void t.test('logins against a real directory', { skip: NO_SLAPD ?? false }, async (t) => {
  const slapd = await startSlapd(t, PEOPLE);
  const errors: unknown[] = [];
  const open = (changes: Partial<DirectorySettings> = {}) =>
    Directory.of({ ...SETTINGS, url: slapd.url, ...changes }, (error) => errors.push(error));
  const directory = await open();
  const hamlet = { email: 'hamlet@example.org', fullName: 'Hämlet Prince' };

  t.strictSame(await directory.check(login('hamlet', 'to-be-or-not')), hamlet);
  t.strictSame(
    await directory.check(login('HAMLET', 'to-be-or-not')),
    hamlet,
    'as the directory compares',
  );
  t.equal(await directory.check(login('hamlet', 'wrong')), 'wrong');
  t.equal(await directory.check(login('hamlet', '')), 'wrong', 'an anonymous bind proves nothing');
  t.equal(await directory.check(login('ophelia', 'to-be-or-not')), 'unknown');
  t.equal(await directory.check(login('nobody', 'no-address')), 'wrong', 'without an address');
  t.equal(await directory.check(login('twin', 'twin-one')), 'wrong', 'two of a name are nobody');
  t.equal(
    await directory.check(login('who', 'x', 'HAMLET@example.org')),
    'wrong',
    'nobody logs in past it by the address of an account',
  );
  t.equal(await directory.check(login('who', 'x', 'who@example.org')), 'unknown');
  const entries: string[] = [];
  for (const name of ['hamlet', 'HAMLET', ' hamlet ', 'ham\u00adlet', 'ｈａｍｌｅｔ']) {
    const admit = async (entry: string) => void entries.push(entry);
    await directory.check({ ...login(name, 'wrong'), admit });
  }
  t.ok(entries.length > 1, 'the directory takes more than one spelling');
  t.equal(new Set(entries).size, 1, 'which are one entry');
  const refuse = async () => {
    throw rateLimitHit(60);
  };
  await t.rejects(directory.check({ ...login('hamlet', 'to-be-or-not'), admit: refuse }), {
    code: 'RATE_LIMIT_HIT',
  });

  t.equal(await directory.check(login('*', 'to-be-or-not')), 'unknown', 'a name is no pattern');
  t.equal(await directory.check(login('hamlet)(uid=*', 'to-be-or-not')), 'unknown', 'nor a filter');
  t.strictSame(await directory.check(login('star*', 'with-a-star')), {
    email: 'star@example.org',
    fullName: 'Star',
  });

  t.equal(await directory.knows('hamlet@example.org'), true);
  t.equal(await directory.knows('ophelia@example.org'), false);
  t.equal(directory.namesAreEmails, false);

  const byAddress = await open({ username: 'mail' });
  t.equal(byAddress.namesAreEmails, true);
  t.strictSame(await byAddress.check(login('hamlet@example.org', 'to-be-or-not')), hamlet);
  t.equal(await byAddress.check(login('hamlet', 'to-be-or-not')), 'unknown');

  const few = await open({ filter: '(sn=other)' });
  t.equal(
    await few.check(login('hamlet', 'to-be-or-not')),
    'unknown',
    'only those the filter admits',
  );
  const elsewhere = await open({ base: 'ou=nowhere,dc=example,dc=org' });
  t.equal(await elsewhere.check(login('hamlet', 'to-be-or-not')), 'unknown');
  t.strictSame(errors, []);

  const refusal = {
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    message: 'The directory does not answer',
  };
  const stranger = await open({ bind_password: 'wrong' });
  await t.rejects(stranger.check(login('hamlet', 'to-be-or-not')), refusal, 'may not search');
  await slapd.kill();
  await t.rejects(directory.check(login('hamlet', 'to-be-or-not')), refusal, 'gone');
  t.equal(errors.length, 2, 'the log tells why');
});

void t.test('many logins at once all come to an answer', { skip: NO_SLAPD ?? false }, async (t) => {
  const slapd = await startSlapd(t, PEOPLE);
  const directory = await Directory.of({ ...SETTINGS, url: slapd.url }, () => undefined);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      directory.check(login('hamlet', i % 2 ? 'to-be-or-not' : 'wrong')),
    ),
  );
  t.equal(answers.filter((answer) => answer === 'wrong').length, 50);
  t.equal(answers.filter((answer) => typeof answer === 'object').length, 50);
});
