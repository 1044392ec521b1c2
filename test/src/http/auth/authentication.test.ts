import t from 'tap';
import {
  parseBasic,
  assertNotWebhookBot,
  KeyAuthenticator,
} from '../../../../src/http/auth/authentication.js';
import { answer, basic, KEY, startToy } from '../toy-server.js';
import { updatePresence } from '../../../../schemas/presence/presence.js';
import { getUsers } from '../../../../schemas/users/users.js';
import { ActivityTracker } from '../../../../src/organization/presence/activity-tracker.js';
import { ApiKeys } from '../../../../src/services/auth/api-keys.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');

const REFUSED: readonly [string | null, string, string][] = [
  [null, 'Not logged in: API authentication or user session required', 'no header'],
  ['Basic', 'Invalid authorization header for basic auth', 'one part'],
  [`Basic ${base64('a:b')} x`, 'Invalid authorization header for basic auth', 'three parts'],
  ['Basic ***=', 'Invalid authorization header for basic auth', 'bad Base64'],
  ['Basic YTpi=', 'Invalid authorization header for basic auth', 'bad padding'],
  [`Basic ${base64('a\xff:b')}`, 'Invalid authorization header for basic auth', 'not UTF-8'],
  [`Basic ${base64('nocolon')}`, 'Invalid authorization header for basic auth', 'no colon'],
  ['Bearer abc', 'This endpoint requires HTTP basic authentication.', 'another scheme'],
  [basic('iago@example.com', 'short'), 'Malformed API key', 'a short key'],
  [basic('iago@example.com', `${KEY}x`), 'Malformed API key', 'a long key'],
  [basic('iago@example.com', 'ä'.repeat(16)), 'Malformed API key', 'a key of other characters'],
  [basic('iago@example.com', 'x'.repeat(32)), 'Invalid API key', 'an unknown key'],
  [basic('nobody@example.com'), 'Invalid API key', 'an unknown user'],
];

void t.test('every refusal is 401 UNAUTHORIZED with its text and a challenge', async (t) => {
  const { api } = await startToy(t);
  for (const [auth, msg, situation] of REFUSED) {
    const response = await api('/messages', { auth });
    t.equal(response.headers.get('www-authenticate'), 'Basic realm="zulip"', situation);
    t.same(
      await answer(response),
      { status: 401, body: { result: 'error', msg, code: 'UNAUTHORIZED' } },
      situation,
    );
  }
});

void t.test('white space and the case of the scheme do not matter', async (t) => {
  const spaced = base64(`  iago@example.com : ${KEY}\n`);
  for (const header of [`bAsIc ${spaced}`, `  Basic \t ${spaced}  `]) {
    t.same(parseBasic(header), { email: 'iago@example.com', key: KEY });
  }
});

void t.test('an accepted header is not checked anew', async (t) => {
  const { api, authenticator } = await startToy(t);
  for (let i = 0; i < 3; i++) t.equal((await api('/messages')).status, 200);
  t.equal(authenticator.logins, 1);
});

void t.test('a refused header is checked each time', async (t) => {
  const { api, authenticator } = await startToy(t);
  const auth = basic('nobody@example.com');
  await api('/messages', { auth });
  await api('/messages', { auth });
  t.equal(authenticator.logins, 2);
});

void t.test('deactivation, a new key and another address take effect at once', async (t) => {
  const { api, authenticator } = await startToy(t);
  t.equal((await api('/messages')).status, 200);
  const iago = authenticator.users.get(1)!;
  iago.is_active = false;
  const refused = await answer(await api('/messages'));
  t.match(refused, { status: 401, body: { msg: 'Account is deactivated', code: 'UNAUTHORIZED' } });
  iago.is_active = true;
  t.equal((await api('/messages')).status, 200);
  iago.key_version = '2';
  t.match(await answer(await api('/messages')), { status: 200 }, 'checked anew');
  t.equal(authenticator.logins, 3);
  iago.email = 'new@example.com';
  t.match(await answer(await api('/messages')), {
    status: 401,
    body: { msg: 'Invalid API key', code: 'UNAUTHORIZED' },
  });
});

// [c:unauthenticated-endpoints]
void t.test('endpoints without credentials ignore the header', async (t) => {
  const { api } = await startToy(t);
  for (const auth of [null, 'Basic', 'Bearer x', basic('nobody@example.com')]) {
    t.match(await answer(await api('/open', { auth })), { status: 200, body: { user_id: null } });
  }
});

const keys = new ApiKeys(Buffer.alloc(32, 7));

function setUp() {
  const world = new LivingOrganization();
  const hamlet = world.addUser('Hamlet@example.com');
  const activity = new ActivityTracker(world.org, (work) => world.transact(work));
  return {
    world,
    hamlet,
    authenticator: new KeyAuthenticator(world.org, keys, activity),
    key: keys.derive(hamlet.user_id, 'v1'),
  };
}

function refusal(message: string) {
  return {
    status: 401,
    code: 'UNAUTHORIZED',
    message,
    headers: { 'WWW-Authenticate': 'Basic realm="zulip"' },
  };
}

// [c:addresses-that-log-in]
void t.test('the real address, the API address and the placeholder all log in', async (t) => {
  const { world, hamlet, authenticator, key } = setUp();
  const placeholder = `USER${hamlet.user_id}@chat.example.com`;
  for (const email of ['hamlet@EXAMPLE.com', ' Hamlet@example.com ', placeholder]) {
    t.strictSame(authenticator.login(email, ` ${key} `), {
      userId: hamlet.user_id,
      keyVersion: 'v1',
      email: 'Hamlet@example.com',
    });
  }
  const session = authenticator.login('hamlet@example.com', key);
  const renamed = world.alter(hamlet.user_id, { full_name: 'Prince' });
  t.equal(authenticator.caller(session)?.user, renamed, 'the live document');
});

void t.test('refusals are worded as the contract says', async (t) => {
  const { world, authenticator, key, hamlet } = setUp();
  t.throws(() => authenticator.login('hamlet@example.com', 'short'), refusal('Malformed API key'));
  t.throws(
    () => authenticator.login('hamlet@example.com', `${key.slice(0, 31)}-`),
    refusal('Malformed API key'),
  );
  t.throws(() => authenticator.login('owner@example.com', key), refusal('Invalid API key'));
  t.throws(() => authenticator.login('nobody@example.com', key), refusal('Invalid API key'));
  const session = authenticator.login('hamlet@example.com', key);
  world.alter(hamlet.user_id, { is_active: false });
  const deactivated = refusal('Account is deactivated');
  t.throws(() => authenticator.login('hamlet@example.com', key), deactivated);
  t.throws(() => authenticator.caller(session), deactivated);
  t.throws(
    () => authenticator.login('hamlet@example.com', 'x'.repeat(32)),
    refusal('Invalid API key'),
    'said only to who has the key',
  );
});

void t.test('a new key version ends sessions and the old key at once', async (t) => {
  const { world, authenticator, key, hamlet } = setUp();
  const session = authenticator.login('hamlet@example.com', key);
  world.alter(hamlet.user_id, { key_version: 'v2' });
  t.equal(authenticator.caller(session), undefined);
  t.throws(() => authenticator.login('hamlet@example.com', key), refusal('Invalid API key'));
  t.ok(authenticator.login('hamlet@example.com', keys.derive(hamlet.user_id, 'v2')));
});

void t.test(
  'another address ends sessions, also when somebody else has the former one',
  async (t) => {
    const { world, authenticator, key, hamlet } = setUp();
    const session = authenticator.login('hamlet@example.com', key);
    world.alter(hamlet.user_id, { email: 'prince@example.com' });
    t.equal(authenticator.caller(session), undefined);
    t.throws(() => authenticator.login('hamlet@example.com', key), refusal('Invalid API key'));
    t.ok(authenticator.login('prince@example.com', key));
    world.addUser('hamlet@example.com');
    t.throws(() => authenticator.login('hamlet@example.com', key), refusal('Invalid API key'));
  },
);

void t.test('a deactivated organization lets nobody in', async (t) => {
  const { world, authenticator, key } = setUp();
  const session = authenticator.login('hamlet@example.com', key);
  world.setRealm({ deactivated: true });
  const refused = refusal('This organization has been deactivated');
  t.throws(() => authenticator.caller(session), refused);
  t.throws(() => authenticator.login('hamlet@example.com', key), refused);
});

void t.test('system bots have no key', async (t) => {
  const { world, authenticator } = setUp();
  const bot = [...world.org.users.values()].find((user) => user.is_system_bot)!;
  t.throws(
    () => authenticator.login(bot.email, keys.derive(bot.user_id, bot.key_version)),
    refusal('Invalid API key'),
  );
});

void t.test('an incoming-webhook bot may only send messages', async (t) => {
  const { world, hamlet } = setUp();
  const bot = world.alter(hamlet.user_id, { is_bot: true, bot_type: 2 });
  const refused = refusal('This API is not available to incoming webhook bots.');
  t.throws(() => assertNotWebhookBot(bot, getUsers), refused);
  t.doesNotThrow(() => assertNotWebhookBot(bot, { ...updatePresence, path: '/messages' }));
  t.doesNotThrow(() => assertNotWebhookBot(hamlet, getUsers));
});
