import t from 'tap';
import { rateLimitHit, type ApiError } from '../../../src/errors.js';
import type { Handler } from '../../../src/resources/handler.js';
import { fetchApiKeyHandler } from '../../../src/resources/fetch-api-key.js';
import { serverSettingsHandler } from '../../../src/resources/server-settings.js';
import { ApiKeys } from '../../../src/services/api-keys.js';
import { Passwords } from '../../../src/services/passwords.js';
import { LivingOrganization } from '../../fixtures/living-organization.js';

const keys = new ApiKeys(Buffer.alloc(32, 7));
const passwords = await Passwords.create({
  memoryKiB: 1024,
  passes: 2,
  concurrency: 2,
  maxWaiting: 10,
});
const hash = await passwords.hash('the password');

function setUp() {
  const world = new LivingOrganization();
  const hamlet = world.addUser('Hamlet@example.com', { password_hash: hash });
  const calls: string[] = [];
  const limiter = {
    attempt: async (name: string) => {
      if (calls.length >= 10) throw rateLimitHit(1800);
      calls.push(name);
    },
    succeeded: async (name: string) => void calls.push(`cleared ${name}`),
  };
  const handler = fetchApiKeyHandler({ passwords, keys, limiter });
  const fetch = (username: string, password: string) =>
    world.call(handler, null, { username, password });
  return { world, hamlet, calls, fetch };
}

const FAILED = {
  status: 401,
  code: 'AUTHENTICATION_FAILED',
  message: 'Your username or password is incorrect',
};

void t.test('the right password gives the key and clears the attempts', async (t) => {
  const { hamlet, fetch, calls } = setUp();
  await t.rejects(fetch('hamlet@example.com', 'wrong'), FAILED);
  t.strictSame(await fetch(' HAMLET@example.com ', 'the password'), {
    api_key: keys.derive(hamlet.user_id, 'v1'),
    email: 'Hamlet@example.com',
    user_id: hamlet.user_id,
  });
  t.strictSame(calls, ['hamlet@example.com', 'hamlet@example.com', 'cleared hamlet@example.com']);
});

void t.test(
  'unknown users, and those without a password, fail like a wrong password',
  async (t) => {
    const { fetch, world, hamlet, calls } = setUp();
    await t.rejects(fetch('nobody@example.com', 'the password'), FAILED);
    await t.rejects(fetch('owner@example.com', 'the password'), FAILED);
    await t.rejects(fetch('notification-bot@chat.example.com', 'the password'), FAILED);
    world.alter(hamlet.user_id, { is_active: false });
    await t.rejects(fetch('hamlet@example.com', 'wrong'), FAILED, 'nor does it tell who was here');
    t.equal(calls.length, 4, 'each counts');
  },
);

void t.test('refusals after the right password, and before any', async (t) => {
  const { fetch, world, hamlet, calls } = setUp();
  await t.rejects(fetch('hamlet', 'x'), {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'Enter a valid email address.',
  });
  world.alter(hamlet.user_id, { is_active: false });
  await t.rejects(fetch('hamlet@example.com', 'the password'), {
    status: 401,
    code: 'USER_DEACTIVATED',
    message: 'Account is deactivated',
  });
  world.transact((tx) =>
    tx.org.realm.update('realm', { authentication_methods: { Email: false } }),
  );
  const before = calls.length;
  await t.rejects(fetch('hamlet@example.com', 'the password'), { code: 'PASSWORD_AUTH_DISABLED' });
  world.transact((tx) => tx.org.realm.update('realm', { deactivated: true }));
  await t.rejects(fetch('hamlet@example.com', 'the password'), { code: 'REALM_DEACTIVATED' });
  t.equal(calls.length, before);
});

void t.test('too many attempts are refused before the password is looked at', async (t) => {
  const { fetch } = setUp();
  for (let i = 0; i < 10; i++) await t.rejects(fetch('hamlet@example.com', 'wrong'), FAILED);
  await t.rejects(fetch('hamlet@example.com', 'the password'), { code: 'RATE_LIMIT_HIT' });
});

void t.test('server settings say what a client must know before it logs in', async (t) => {
  const { world } = setUp();
  const reply = await world.call(serverSettingsHandler(), null);
  t.strictSame(reply, {
    zulip_version: '12.0',
    zulip_merge_base: '12.0',
    zulip_feature_level: 496,
    push_notifications_enabled: false,
    is_incompatible: false,
    email_auth_enabled: true,
    require_email_format_usernames: true,
    realm_uri: 'https://chat.example.com',
    realm_url: 'https://chat.example.com',
    realm_name: 'Example',
    realm_icon: reply.realm_icon,
    realm_description: '',
    realm_web_public_access_enabled: false,
    external_authentication_methods: [],
    authentication_methods: {
      password: true,
      email: true,
      ldap: false,
      dev: false,
      remoteuser: false,
      github: false,
      azuread: false,
      gitlab: false,
      google: false,
      apple: false,
      saml: false,
      'openid connect': false,
      discord: false,
    },
  });
  t.type(reply.realm_icon, 'string');
});

void t.test(
  'a storm of guesses from several addresses does not delay an honest login',
  async (t) => {
    const world = new LivingOrganization();
    world.addUser('Hamlet@example.com', { password_hash: hash });
    const limiter = { attempt: async () => undefined, succeeded: async () => undefined };
    const handler = fetchApiKeyHandler({ passwords, keys, limiter }) as unknown as Handler;
    const ended: string[] = [];
    const login = (username: string, remoteAddress: string) =>
      handler.prepare!(world.org, {
        params: { username, password: 'the password' },
        clientName: 'test',
        remoteAddress,
      } as never).then(
        () => ended.push(username),
        (error: ApiError) => ended.push(error.code),
      );
    // An IPv6 user has a whole /64: these are two sources.
    const storm = Array.from({ length: 40 }, (_, i) =>
      login(`guess-${i}@example.com`, `2001:db8:0:${i % 2}:0:0:0:${i}`),
    );
    await Promise.all([...storm, login('hamlet@example.com', '192.0.2.7')]);
    const counts = (code: string) => ended.filter((one) => one === code).length;
    // Two run, ten wait; the honest one takes a place among them.
    t.strictSame([counts('SERVICE_UNAVAILABLE'), counts('AUTHENTICATION_FAILED')], [29, 11]);
    const checked = ended.filter((one) => one !== 'SERVICE_UNAVAILABLE');
    t.ok(
      checked.indexOf('hamlet@example.com') <= 4,
      `served as number ${checked.indexOf('hamlet@example.com')}`,
    );
  },
);
