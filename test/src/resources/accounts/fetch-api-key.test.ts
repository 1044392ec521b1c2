import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import t from 'tap';
import { rateLimitHit, type ApiError } from '../../../../src/errors/index.js';
import { createLoginLimiter } from '../../../../src/http/limits/login-limits.js';
import { fetchApiKeyHandler } from '../../../../src/resources/accounts/fetch-api-key.js';
import { serverSettingsHandler } from '../../../../src/resources/realm/server-settings.js';
import { ApiKeys } from '../../../../src/services/auth/api-keys.js';
import type { Directory, DirectoryLogin } from '../../../../src/services/auth/ldap-directory.js';
import { OneTimeCodes } from '../../../../src/services/auth/one-time-codes.js';
import { Passwords } from '../../../../src/services/auth/passwords.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

const markdown = createMarkdown();
const keys = new ApiKeys(Buffer.alloc(32, 7));
const codes = new OneTimeCodes(Buffer.alloc(32, 7));
const hashing = { memoryKiB: 1024, passes: 2, concurrency: 2, maxWaiting: 10 };
const passwords = Passwords.create(hashing);
const hash = await passwords.hash('the password');

function setUp() {
  const world = new LivingOrganization();
  const hamlet = world.addUser('Hamlet@example.com', { password_hash: hash });
  const calls: string[] = [];
  const limiter = {
    attempt: async (name: string) => {
      if (calls.length >= 20) throw rateLimitHit(1800);
      calls.push(name);
    },
    succeeded: async (name: string) => void calls.push(`cleared ${name}`),
  };
  const handler = fetchApiKeyHandler({
    ...{ codes, passwords, keys, limiter, markdown },
    closeSockets: () => undefined,
  });
  const fetch = (username: string, password: string) =>
    world.call(handler, null, { username, password });
  return { world, hamlet, calls, fetch };
}

const FAILED = {
  status: 401,
  code: 'AUTHENTICATION_FAILED',
  message: 'Your username or password is incorrect',
};

// [c:fetch-key-by-password]
void t.test('the right password gives the key and clears the attempts', async (t) => {
  const { hamlet, fetch, calls } = setUp();
  await t.rejects(fetch('hamlet@example.com', 'wrong'), FAILED);
  t.strictSame(await fetch(' HAMLET@example.com ', 'the password'), {
    api_key: keys.derive(hamlet.user_id, 'v1'),
    email: 'Hamlet@example.com',
    user_id: hamlet.user_id,
  });
  const [name, account] = ['name hamlet@example.com', `account ${hamlet.user_id}`];
  const [once, cleared] = [
    [name, account],
    [`cleared ${name}`, `cleared ${account}`],
  ];
  t.strictSame(calls, [...once, ...once, ...cleared]);
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
    t.equal(calls.filter((call) => call.startsWith('name ')).length, 4, 'each counts');
  },
);

// [c:fetch-key-refusals]
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
  world.setRealm({ authentication_methods: { Email: false } });
  const before = calls.length;
  await t.rejects(fetch('hamlet@example.com', 'the password'), { code: 'PASSWORD_AUTH_DISABLED' });
  world.setRealm({ deactivated: true });
  await t.rejects(fetch('hamlet@example.com', 'the password'), { code: 'REALM_DEACTIVATED' });
  t.equal(calls.length, before);
});

void t.test('too many attempts are refused before the password is looked at', async (t) => {
  const { fetch } = setUp();
  for (let i = 0; i < 10; i++) await t.rejects(fetch('hamlet@example.com', 'wrong'), FAILED);
  await t.rejects(fetch('hamlet@example.com', 'the password'), { code: 'RATE_LIMIT_HIT' });
});

void t.test(
  'look-alike spellings of a name, and all names of an account, count as one',
  async (t) => {
    const { fetch, hamlet, calls } = setUp();
    const names = [
      'hamlet@example.com',
      'HAMLET@EXAMPLE.COM',
      ' hamlet@example.com ',
      `user${hamlet.user_id}@chat.example.com`,
    ];
    for (const name of names) await t.rejects(fetch(name, 'wrong'), FAILED);
    const account = `account ${hamlet.user_id}`;
    t.equal(calls.filter((call) => call === account).length, names.length);
    t.equal(new Set(calls).size, 3);
    const none = `user00${hamlet.user_id}@chat.example.com`;
    await t.rejects(fetch(none, 'the password'), FAILED, 'leading zeros name nobody');
    t.equal(calls.at(-1), `name ${none}`);
  },
);

/** A directory that knows one person, by user name and address. */
function directoryOf(uid: string, mail: string, right: string) {
  const asked: string[] = [];
  const is = (a: string | null, b: string) => a?.trim().normalize('NFKC').toLowerCase() === b;
  const directory = {
    namesAreEmails: false,
    createsAccounts: true,
    knows: async (email: string) => is(email, mail),
    check: async ({ username, password, email, admit }: DirectoryLogin) => {
      asked.push(username);
      if (!is(username, uid)) return is(email, mail) ? 'wrong' : 'unknown';
      await admit(`uid=${uid}`);
      return password === right ? { email: mail, fullName: 'Hamlet' } : 'wrong';
    },
  };
  return { asked, directory: directory as unknown as Directory };
}

function withDirectory() {
  const world = new LivingOrganization({ logins: ['LDAP'] });
  const hamlet = world.addUser('hamlet@example.com', { password_hash: hash });
  const ophelia = world.addUser('ophelia@example.com', { password_hash: hash });
  const { asked, directory } = directoryOf('hamlet', 'hamlet@example.com', 'theirs');
  const verified: (string | null)[] = [];
  const spied = {
    verify: (stored: string | null, password: string) => {
      verified.push(stored);
      return passwords.verify(stored, password);
    },
  } as unknown as Passwords;
  const closed: number[] = [];
  const handler = fetchApiKeyHandler({
    codes,
    passwords: spied,
    keys,
    markdown,
    limiter: createLoginLimiter(),
    directory,
    closeSockets: (userId) => closed.push(userId),
  });
  const fetch = (username: string, password: string) =>
    world.call(handler, null, { username, password });
  return { hamlet, ophelia, asked, verified, fetch, world, directory, closed };
}

void t.test('who is in the directory has no other password', async (t) => {
  const { fetch, hamlet, ophelia, world } = withDirectory();
  t.match(await fetch('hamlet', 'theirs'), { user_id: hamlet.user_id });
  const past = [
    'hamlet@example.com',
    'Hamlet@Example.com',
    `user${hamlet.user_id}@chat.example.com`,
  ];
  for (const name of past) await t.rejects(fetch(name, 'the password'), FAILED, name);
  t.match(await fetch('ophelia@example.com', 'the password'), { user_id: ophelia.user_id });
  const hidden = `user${ophelia.user_id}@chat.example.com`;
  world.presetSettings(ophelia, { email_address_visibility: 4 });
  t.match(await fetch(hidden, 'the password'), { user_id: ophelia.user_id });
});

void t.test('the directory gives an account back to whose address it is', async (t) => {
  const { world, hamlet, fetch, closed } = withDirectory();
  world.transact((tx) => tx.org.users.update(hamlet.user_id, { is_email_unverified: true }));
  const { api_key } = await fetch('hamlet', 'theirs');
  t.not(api_key, keys.derive(hamlet.user_id, hamlet.key_version));
  t.match(world.org.users.get(hamlet.user_id), { is_email_unverified: false, password_hash: null });
  t.strictSame(closed, [hamlet.user_id]);
  t.equal((await fetch('hamlet', 'theirs')).api_key, api_key, 'once');
});

void t.test('five guesses are five, however a name of the directory is spelt', async (t) => {
  const { fetch } = withDirectory();
  const spellings = [
    'hamlet',
    'HAMLET',
    'ｈａｍｌｅｔ',
    ' hamlet',
    'ham\u00adlet',
    'ℋamlet',
    'hamlet\u200b',
  ];
  const codes: string[] = [];
  for (const name of [...spellings, ...spellings]) {
    await fetch(name, 'wrong').catch((error: ApiError) => codes.push(error.code));
  }
  t.strictSame(codes.slice(0, 5), Array(5).fill('AUTHENTICATION_FAILED'));
  t.strictSame(new Set(codes.slice(5)), new Set(['RATE_LIMIT_HIT']));
});

void t.test(
  'with a directory, every attempt costs one stored password and one question',
  async (t) => {
    const { fetch, asked, verified } = withDirectory();
    const names = [
      'hamlet',
      'hamlet@example.com',
      'ophelia@example.com',
      'nobody',
      'no@example.com',
    ];
    for (const name of names) await t.rejects(fetch(name, 'wrong'), FAILED);
    t.strictSame(asked, names);
    t.equal(verified.length, names.length);
  },
);

void t.test('server settings say what a client must know before it logs in', async (t) => {
  const { world } = setUp();
  const reply = await world.call(serverSettingsHandler(), null);
  t.strictSame(reply, {
    zulip_version: '12.2',
    zulip_merge_base: '12.2',
    zulip_feature_level: 500,
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

/** A server that checks one password at a time, in the order in which the logins end, and its user Hamlet, who logged in at `place`. */
function checkedInTurn(place?: string) {
  const world = new LivingOrganization();
  const { user_id } = world.addUser('Hamlet@example.com', { password_hash: hash });
  if (place) world.alter(user_id, { login_places: [keys.placeOf(user_id, place)] });
  const limiter = { attempt: async () => undefined, succeeded: async () => undefined };
  const handler = fetchApiKeyHandler({
    codes,
    passwords: Passwords.create({ ...hashing, concurrency: 1 }),
    keys,
    limiter,
    markdown,
    closeSockets: () => undefined,
  });
  const ended: string[] = [];
  const login = (username: string, remoteAddress: string) =>
    Promise.resolve(
      handler.prepare!(world.org, {
        params: { username, password: 'the password' },
        clientName: 'test',
        remoteAddress,
      } as never),
    ).then(
      () => ended.push(username),
      (error: ApiError) => ended.push(error.code),
    );
  return { login, ended };
}

void t.test(
  'a storm of guesses from several addresses does not delay an honest login',
  async (t) => {
    const { login, ended } = checkedInTurn();
    // An IPv6 user has a whole /64: these are two sources.
    const storm = Array.from({ length: 40 }, (_, i) =>
      login(`guess-${i}@example.com`, `2001:db8:0:${i % 2}:0:0:0:${i}`),
    );
    await Promise.all([...storm, login('hamlet@example.com', '192.0.2.7')]);
    const counts = (code: string) => ended.filter((one) => one === code).length;
    // One runs, ten wait; the honest one takes a place among them, after one guess of each source.
    t.strictSame([counts('SERVICE_UNAVAILABLE'), counts('AUTHENTICATION_FAILED')], [30, 10]);
    const checked = ended.filter((one) => one !== 'SERVICE_UNAVAILABLE');
    t.equal(checked.indexOf('hamlet@example.com'), 2);
  },
);

void t.test(
  'a storm of guesses from very many addresses refuses nobody at a place of their account',
  async (t) => {
    const { login, ended } = checkedInTurn('192.0.2.7');
    // Who logged in a moment before had more checks lately than each address of the storm.
    for (let i = 0; i < 3; i++) await login('hamlet@example.com', '192.0.2.7');
    ended.length = 0;
    const storm = Array.from({ length: 120 }, (_, i) =>
      login(`guess-${i}@example.com`, `198.51.100.${i}`),
    );
    await Promise.all([...storm, login('hamlet@example.com', '192.0.2.7')]);
    const checked = ended.filter((one) => one !== 'SERVICE_UNAVAILABLE');
    t.equal(checked.indexOf('hamlet@example.com'), 1, 'right after the check that ran');
  },
);
