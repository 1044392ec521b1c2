import t from 'tap';
import { updatePresence } from '../../../../schemas/presence/presence.js';
import { getUsers } from '../../../../schemas/users/users.js';
import { ActivityTracker } from '../../../../src/organization/presence/activity-tracker.js';
import {
  assertNotWebhookBot,
  KeyAuthenticator,
} from '../../../../src/resources/kernel/authenticator.js';
import { ApiKeys } from '../../../../src/services/auth/api-keys.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

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
