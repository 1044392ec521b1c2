import { ROLE } from '../../../../schemas/users/user-document.js';
import t from 'tap';
import * as descriptors from '../../../../schemas/personal/push.js';
import { pushHandlers } from '../../../../src/resources/personal/push.js';
import { organizationOf, START_SECONDS, type Body } from '../../../fixtures/living-organization.js';

const KEY = Buffer.alloc(33, 1).toString('base64');
const OTHER_KEY = Buffer.alloc(33, 3).toString('base64');
const TOKEN_ID = Buffer.alloc(8, 2).toString('base64');
const TOKEN = {
  token_kind: 'apns',
  token_id: TOKEN_ID,
  bouncer_public_key: 'public',
  encrypted_push_registration: 'sealed',
};

function pushWorld() {
  return organizationOf({ hamlet: ROLE.member, ophelia: ROLE.member }, () => pushHandlers());
}

const refused = (message: string, code = 'BAD_REQUEST') => ({ status: 400, code, message });

// [c:apns-token]
void t.test('an APNs token of an app is kept, and moves to whoever adds it', async (t) => {
  const world = pushWorld();
  const { addApnsToken, removeApnsToken } = descriptors;
  const { hamlet, ophelia, org } = world;
  const token = { token: 'C0FFEE', appid: 'org.example.Chat-1' };
  t.strictSame(await world.do(addApnsToken.operation, token), {});
  t.strictSame(await world.do(addApnsToken.operation, token), {}, 'again');
  t.equal(org.pushTokens.countOf(hamlet.user_id), 1);
  t.strictSame(await world.do(addApnsToken.operation, token, ophelia), {});
  t.equal(org.pushTokens.countOf(hamlet.user_id), 0);
  t.match(world.reloaded().pushTokens.of(ophelia.user_id), [
    { service: 'apns', token: 'C0FFEE', appid: 'org.example.Chat-1' },
  ]);
  t.strictSame(world.newEvents(), [], 'nobody is told');
  await t.rejects(
    world.do(removeApnsToken.operation, { token: 'C0FFEE' }),
    refused('Token does not exist'),
  );
  t.strictSame(await world.do(removeApnsToken.operation, { token: 'C0FFEE' }, ophelia), {});
  t.equal(org.pushTokens.size, 0);
});

// [c:push-refusals]
void t.test('an empty token, one of invalid length, an invalid one, an invalid app', async (t) => {
  const world = pushWorld();
  const add = (token: string, appid = 'app') =>
    world.do(descriptors.addApnsToken.operation, { token, appid });
  const length = refused('Empty or invalid length token');
  await t.rejects(add(''), length);
  await t.rejects(add('a'.repeat(4098)), length);
  t.strictSame(await add('a'.repeat(4096)), {});
  t.strictSame(await add('aGVsbG8='), {}, 'base64');
  t.strictSame(await add('apple-tokenbb'), {}, "the token of the interface's own examples");
  await t.rejects(add('not a token'), refused('Invalid APNS token'));
  await t.rejects(add('xyz uvw'), refused('Invalid APNS token'));
  await t.rejects(add('abc'), refused('Invalid APNS token'));
  for (const token of [
    '   ',
    '!!',
    '🍎',
    '\u200b',
    '-',
    '====',
    'aGVsbG8=\n',
    'c0 ff ee',
    'aGVs!bG8=',
  ]) {
    await t.rejects(add(token), refused('Invalid APNS token'), JSON.stringify(token));
    await t.rejects(
      world.do(descriptors.addFcmToken.operation, {
        token: token.replace('=\n', '\n').replace('==', '!'),
      }),
      refused('Invalid FCM token'),
    );
  }
  await t.rejects(add('c0ffee', 'no app'), refused('Invalid app ID'));
  await t.rejects(add('c0ffee', ''), refused('Invalid app ID'));
  await t.rejects(
    world.do(descriptors.removeApnsToken.operation, { token: '' }),
    length,
    'also when it is to go',
  );
});

void t.test('FCM tokens have marks too; the services do not share tokens', async (t) => {
  const world = pushWorld();
  t.strictSame(await world.do(descriptors.addFcmToken.operation, { token: 'c0ffee' }), {});
  await world.do(descriptors.addApnsToken.operation, { token: 'c0ffee', appid: 'app' });
  t.equal(world.org.pushTokens.size, 2);
  t.strictSame(await world.do(descriptors.addFcmToken.operation, { token: 'any:thing' }), {});
  await t.rejects(
    world.do(descriptors.addFcmToken.operation, { token: '' }),
    refused('Empty or invalid length token'),
  );
  t.strictSame(await world.do(descriptors.removeFcmToken.operation, { token: 'c0ffee' }), {});
  await t.rejects(
    world.do(descriptors.removeFcmToken.operation, { token: 'c0ffee' }),
    refused('Token does not exist'),
  );
});

void t.test('the oldest of too many tokens goes', async (t) => {
  const world = pushWorld();
  for (let i = 0; i <= 100; i++)
    await world.do(descriptors.addFcmToken.operation, { token: `t${i}` });
  const tokens = world.org.pushTokens.of(world.hamlet.user_id).map((one) => one.token);
  t.equal(tokens.length, 100);
  t.notOk(tokens.includes('t0'));
  t.ok(tokens.includes('t100'));
});

// [c:test-notification]
void t.test(
  'a test notification is refused without a device, and without a service for pushes',
  async (t) => {
    const world = pushWorld();
    const test = (params: Body = {}) => world.do(descriptors.testNotification.operation, params);
    const unknown = refused('Device not recognized', 'INVALID_PUSH_DEVICE_TOKEN');
    const off = refused(
      'Server is not configured to use push notification service.',
      'PUSH_SERVICE_NOT_CONFIGURED',
    );
    t.same(await test(), {}, 'all of no devices');
    await t.rejects(test({ token: 'mine' }), unknown);
    await world.do(descriptors.addFcmToken.operation, { token: 'mine' });
    await t.rejects(test({ token: 'other' }), unknown);
    await t.rejects(test({ token: 'mine' }), off);
    await t.rejects(test(), off);
    const encrypted = (params: Body = {}) =>
      world.do(descriptors.testEncryptedNotification.operation, params);
    const none = refused('No active registered push device', 'NO_ACTIVE_PUSH_DEVICE');
    const { device_id } = await world.do(descriptors.registerClientDevice.operation);
    await t.rejects(encrypted(), none);
    await world.do(descriptors.registerPush.operation, {
      device_id,
      push_key: KEY,
      push_key_id: 1,
      ...TOKEN,
    });
    await t.rejects(encrypted({ device_id: 99 }), none);
    await t.rejects(encrypted({ device_id }), off);
    await t.rejects(encrypted(), off);
  },
);

// [c:push-device]
void t.test('a device comes and goes', async (t) => {
  const world = pushWorld();
  const { registerClientDevice, removeClientDevice } = descriptors;
  t.strictSame(await world.do(registerClientDevice.operation), { device_id: 1 });
  t.strictSame(await world.do(registerClientDevice.operation, {}, world.ophelia), { device_id: 2 });
  t.strictSame(world.newEvents(), [{ type: 'device', op: 'add', device_id: 1 }]);
  const invalid = refused('Invalid device_id');
  await t.rejects(
    world.do(removeClientDevice.operation, { device_id: 2 }),
    invalid,
    'somebody else’s',
  );
  await t.rejects(world.do(removeClientDevice.operation, { device_id: 3 }), invalid);
  t.strictSame(await world.do(removeClientDevice.operation, { device_id: 1 }), {});
  t.strictSame(world.newEvents(), [{ type: 'device', op: 'remove', device_id: 1 }]);
});

void t.test('the oldest of too many devices goes, and its owner is told', async (t) => {
  const world = pushWorld();
  for (let i = 1; i <= 200; i++) await world.do(descriptors.registerClientDevice.operation);
  world.newEvents();
  t.strictSame(await world.do(descriptors.registerClientDevice.operation), { device_id: 201 });
  t.strictSame(world.newEvents(), [
    { type: 'device', op: 'remove', device_id: 1 },
    { type: 'device', op: 'add', device_id: 201 },
  ]);
});

// [c:push-encrypted]
void t.test('an encrypted registration, and its rotations', async (t) => {
  const world = pushWorld();
  const register = (params: Body) => world.do(descriptors.registerPush.operation, params);
  const { device_id } = await world.do(descriptors.registerClientDevice.operation);
  world.newEvents();
  const missing = refused(
    'Missing parameters: must provide either all push key fields, all token fields, or both.',
  );
  await t.rejects(register({ device_id }), missing);
  await t.rejects(register({ device_id, push_key: KEY }), missing);
  await t.rejects(register({ device_id, push_key_id: 1 }), missing);
  const { token_id: _id, ...incomplete } = TOKEN;
  await t.rejects(register({ device_id, ...incomplete }), missing);
  const key = { push_key: KEY, push_key_id: 1 };
  await t.rejects(
    register({ device_id, ...key }),
    refused('No push registration exists to rotate key for.'),
  );
  await t.rejects(
    register({ device_id, ...TOKEN }),
    refused('No push registration exists to rotate token for.'),
  );
  const both = { device_id, ...key, ...TOKEN };
  await t.rejects(register({ ...both, push_key: 'AAAA' }), refused('Invalid push_key'));
  await t.rejects(register({ ...both, push_key: '?' }), refused('Invalid push_key'));
  await t.rejects(register({ ...both, token_id: KEY }), refused('Invalid token_id'));
  await t.rejects(register({ ...both, device_id: 9 }), refused('Invalid device_id'));
  t.strictSame(world.newEvents(), []);

  t.strictSame(await register(both), {});
  const update = { type: 'device', op: 'update', device_id };
  const pending = {
    ...update,
    pending_push_token_id: TOKEN_ID,
    push_token_last_updated_timestamp: START_SECONDS,
    push_registration_error_code: null,
  };
  const registered = { ...update, push_token_id: TOKEN_ID, pending_push_token_id: null };
  t.strictSame(world.newEvents(), [{ ...pending, push_key_id: 1 }, registered]);
  t.strictSame(await register(both), {});
  t.strictSame(world.newEvents(), [], 'the same values again');

  await register({ device_id, push_key: OTHER_KEY, push_key_id: 2 });
  t.strictSame(world.newEvents(), [{ ...update, push_key_id: 2 }]);
  world.clock.advance(5000);
  await register({ device_id, ...TOKEN, encrypted_push_registration: 'sealed again' });
  t.strictSame(world.newEvents(), [
    { ...pending, push_token_last_updated_timestamp: START_SECONDS + 5 },
    registered,
  ]);
  t.match(world.reloaded().devices.get(1), {
    push_key: OTHER_KEY,
    push_key_id: 2,
    push_token_id: TOKEN_ID,
    encrypted_push_registration: 'sealed again',
  });
});
