import t from 'tap';
import { deviceStates } from '../../../../src/organization/personal/push.js';
import { RegistrationRefusedError } from '../../../../src/services/push/push-service.js';
import { PushWorld as World } from '../../../fixtures/push-world.js';

const TOKEN_ID = 'AAAAAAAAAAE=';
const REGISTRATION = {
  push_key: Buffer.concat([Buffer.from([0x31]), Buffer.alloc(32, 5)]).toString('base64'),
  push_key_id: 20,
  token_kind: 'fcm',
  token_id: TOKEN_ID,
  bouncer_public_key: 'public',
  encrypted_push_registration: 'sealed',
};

/** A world in which Cordelia has begun to register a device for encrypted pushes. */
async function registering(): Promise<{ world: World; device_id: number }> {
  const world = new World();
  const { device_id } = await world.do('register-client-device', {}, world.cordelia);
  world.newEvents(world.cordelia);
  const id = device_id as number;
  await world.do('register-push-device', { device_id: id, ...REGISTRATION }, world.cordelia);
  return { world, device_id: id };
}

void t.test('a device that registered for encrypted pushes gets nothing else', async (t) => {
  const { world, device_id } = await registering();
  const { cordelia, ophelia, services } = world;
  const update = { type: 'device', op: 'update', device_id };
  t.strictSame(world.newEvents(cordelia), [
    {
      ...update,
      push_key_id: 20,
      pending_push_token_id: TOKEN_ID,
      push_token_last_updated_timestamp: 1_769_853_600,
      push_registration_error_code: null,
    },
  ]);
  await t.rejects(world.do('send-encrypted-test-notification', {}, cordelia), {
    code: 'NO_ACTIVE_PUSH_DEVICE',
  });
  await world.pass(0);
  t.strictSame(services.registrations, [TOKEN_ID]);
  t.strictSame(world.newEvents(cordelia), [
    { ...update, pending_push_token_id: null, push_token_id: TOKEN_ID },
  ]);
  world.setRealm({ require_e2ee_push_notifications: true });
  const id = world.send([cordelia], 'a secret');
  await world.pass(0);
  t.strictSame(services.sent, []);
  const base = {
    realm_name: 'Example',
    realm_url: 'https://chat.example.com',
    user_id: cordelia.user_id,
  };
  t.strictSame(services.sealed, [
    {
      about: {
        ...base,
        type: 'message',
        message_id: id,
        content: 'a secret',
        sender_id: ophelia.user_id,
        sender_full_name: 'Ophelia',
        sender_avatar_url: `https://chat.example.com/avatar/${ophelia.user_id}`,
        time: 1_769_853_600,
        recipient_type: 'direct',
        recipient_user_ids: [ophelia.user_id, cordelia.user_id],
      },
      tokenIds: [TOKEN_ID],
    },
  ]);
  world.read(cordelia, id);
  await world.do('send-encrypted-test-notification', { device_id }, cordelia);
  await world.pass(1.5);
  await world.pass(0);
  t.strictSame(
    services.sealed.slice(1).map(({ about }) => about),
    [
      { ...base, type: 'test', time: 1_769_853_600 },
      { ...base, type: 'remove', message_ids: [id] },
    ],
  );
  services.answer = () => ({ kind: 'gone' });
  world.newEvents(cordelia);
  world.send([cordelia], 'to a device that is gone');
  await world.pass(0);
  t.match(world.newEvents(cordelia).at(-1), { ...update, push_token_id: null });
  world.send([cordelia], 'nobody is left');
  await world.pass(0);
  t.equal(services.sealed.length, 4);
});

void t.test('an encrypted registration replaces that of the same token', async (t) => {
  const world = new World();
  const { hamlet, services } = world;
  world.device(hamlet, 'tablet');
  const { device_id } = await world.do('register-client-device', {}, hamlet);
  // The first 8 bytes of the SHA-256 of "phone".
  const registration = { ...REGISTRATION, token_id: 'RVadpX9Le/Q=' };
  await world.do('register-push-device', { device_id, ...registration }, hamlet);
  await world.pass(0);
  await world.pass(0);
  t.strictSame(services.forgotten, ['phone']);
  world.send([hamlet], 'hello');
  await world.pass(0);
  t.strictSame(
    services.sent.map(({ tokens }) => tokens),
    [['tablet']],
  );
  t.strictSame(
    services.sealed.map(({ tokenIds }) => tokenIds),
    [[registration.token_id]],
  );
});

void t.test('a registration that is refused is told, one that fails is tried again', async (t) => {
  const { world, device_id } = await registering();
  const { cordelia, services } = world;
  services.registers = async () => {
    throw new Error('502');
  };
  world.newEvents(cordelia);
  await world.pass(0);
  t.strictSame(world.newEvents(cordelia), []);
  services.registers = async () => {
    throw new RegistrationRefusedError('INVALID_BOUNCER_PUBLIC_KEY');
  };
  await world.pass(5.5);
  t.strictSame(services.registrations, [TOKEN_ID, TOKEN_ID]);
  t.strictSame(world.newEvents(cordelia), [
    {
      type: 'device',
      op: 'update',
      device_id,
      pending_push_token_id: null,
      push_registration_error_code: 'INVALID_BOUNCER_PUBLIC_KEY',
    },
  ]);
  t.strictSame(deviceStates(world.org, cordelia.user_id)[String(device_id)], {
    push_key_id: 20,
    push_token_id: null,
    pending_push_token_id: null,
    push_token_last_updated_timestamp: 1_769_853_600,
    push_registration_error_code: 'INVALID_BOUNCER_PUBLIC_KEY',
  });
});
