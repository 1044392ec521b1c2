import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { personOf } from '../../../../src/services/auth/openid-claims.js';
import {
  readOpenIdSettings,
  type OpenIdProviderSettings,
} from '../../../../src/services/auth/openid-settings.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const folder = testFolder(t);
const LEAST = {
  name: 'corp',
  display_name: 'Corp',
  issuer: 'https://id.example.org',
  client_id: 'parley',
};

async function read(...providers: object[]): Promise<OpenIdProviderSettings[]> {
  const file = join(folder, 'oidc.json');
  writeFileSync(file, JSON.stringify({ providers }));
  return readOpenIdSettings(file);
}

void t.test('what a file leaves out', async (t) => {
  t.strictSame(await read(LEAST), [
    {
      ...LEAST,
      client_authentication: 'client_secret_basic',
      scopes: ['openid', 'email', 'profile'],
      assume_email_verified: false,
      create_accounts: true,
      groups_claim: 'groups',
      roles: {},
      groups: {},
    },
  ]);
});

void t.test('files that cannot be used; no value is told', async (t) => {
  const wrong: [object[], RegExp][] = [
    [[], /providers must not have fewer than 1 items/],
    [
      [{ ...LEAST, issuer: 'http://id.example.org' }],
      /providers\/0 has an issuer that is not http/,
    ],
    [[{ ...LEAST, issuer: 'http://localhost.example.org' }], /an issuer that is not https/],
    [[LEAST, { ...LEAST, issuer: 'https://x' }], /providers\/1 has the name of another provider/],
    [[{ ...LEAST, default_role: 'guest' }], /providers\/0 has a default_role without roles/],
    [
      [{ ...LEAST, roles: { a: 'owner' } }],
      /providers\/0 has roles without a default_role: name the role .*, or "keep"/,
    ],
    [[{ ...LEAST, roles: { a: 'owner' }, default_role: 'king' }], /providers\/0\/default_role/],
    [[{ ...LEAST, roles: { a: 'king' } }], /providers\/0\/roles\/a/],
    [[{ ...LEAST, name: 'Corp' }], /providers\/0\/name must match/],
    [[{ ...LEAST, scopes: ['email'] }], /providers\/0\/scopes/],
    [[{ ...LEAST, secret: 'hidden-value' }], /providers\/0/],
  ];
  for (const [providers, fault] of wrong) {
    await t.rejects(read(...providers), { message: fault });
    await t.rejects(read(...providers), { message: /^(?!.*hidden-value)/ });
  }
});

void t.test('names, roles and groups of claims', async (t) => {
  const [settings] = await read({
    ...LEAST,
    assume_email_verified: true,
    groups_claim: 'member-of',
    roles: { a: 'moderator', b: 'administrator' },
    default_role: 'keep',
    groups: { x: 'operations', y: 'operations', z: 'sales' },
  });
  const person = (claims: object) => personOf({ email: ' h@x.org ', ...claims }, settings!);
  t.strictSame(person({ name: ' Hamlet ', 'member-of': ['a', 'b', 'y', 7, null] }), {
    email: 'h@x.org',
    fullName: 'Hamlet',
    role: 'administrator',
    groups: [
      { name: 'operations', isMember: true },
      { name: 'sales', isMember: false },
    ],
  });
  t.match(person({ given_name: 'Ham', family_name: 'Let' }), {
    fullName: 'Ham Let',
    // By "keep".
    role: null,
  });
  t.match(person({ preferred_username: 'ham' }), { fullName: 'ham' });
  t.match(person({ 'member-of': 'a' }), { fullName: 'h', role: 'moderator' });
  t.equal(person({ email: '' }), 'no-email');
  t.equal(person({ email: ['a@x.org'] }), 'no-email');
  t.equal(person({ email_verified: false }), 'unverified', 'who says no is believed');
  const [strict] = await read({ ...LEAST, roles: { a: 'owner' }, default_role: 'guest' });
  t.equal(personOf({ email: 'h@x.org' }, strict!), 'unverified');
  t.equal(personOf({ email: 'h@x.org', email_verified: 1 }, strict!), 'unverified');
  t.match(personOf({ email: 'h@x.org', email_verified: 'true' }, strict!), { role: 'guest' });
});

void t.test('groups that the provider keeps elsewhere change nothing', async (t) => {
  const roles = { roles: { a: 'owner' }, default_role: 'guest', groups: { x: 'operations' } };
  const [settings] = await read({ ...LEAST, ...roles });
  const person = (claims: object) =>
    personOf({ email: 'h@x.org', email_verified: true, ...claims }, settings!);
  const removed = { role: 'guest', groups: [{ name: 'operations', isMember: false }] };
  const kept = { role: null, groups: [] };
  t.match(person({}), removed, 'in none');
  t.match(person({ groups: [] }), removed);
  t.match(person({ _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } }), kept);
  t.match(person({ _claim_names: { other: 'src1' } }), removed, 'another claim');
  t.match(person({ _claim_names: 'groups' }), removed, 'in another form');
  t.match(person({ _claim_names: { groups: 'src1' }, groups: ['a'] }), { role: 'owner' }, 'both');
});
