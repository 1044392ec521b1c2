import t from 'tap';
import { removeMessages } from '../../../../src/organization/messages/deletion/remove-messages.js';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { messageEditingHandler } from '../../../../src/resources/messages/message-editing.js';
import { SENT } from '../../../../src/services/push/push-service.js';
import { PushWorld as World } from '../../../fixtures/push-world.js';

void t.test('a message is pushed at once to each device, with what apps read', async (t) => {
  const world = new World();
  const { hamlet, ophelia, services } = world;
  world.device(hamlet, 'tablet');
  const id = world.send([hamlet], 'are you *there*?\n> a quote');
  await world.pass(0);
  t.strictSame(services.told, [`message ${id} to phone,tablet`]);
  const { notice } = services.sent[0]!;
  const base = {
    realm_uri: 'https://chat.example.com',
    realm_url: 'https://chat.example.com',
    realm_name: 'Example',
    user_id: hamlet.user_id,
    sender_id: ophelia.user_id,
    sender_email: 'ophelia@example.com',
    recipient_type: 'private',
  };
  t.strictSame(notice.fcm, {
    server: 'chat.example.com',
    realm_id: 1,
    ...base,
    event: 'message',
    zulip_message_id: id,
    time: 1_769_853_600,
    content: 'are you there?',
    sender_full_name: 'Ophelia',
    sender_avatar_url: `https://chat.example.com/avatar/${ophelia.user_id}`,
  });
  t.strictSame(notice.apns, {
    alert: { title: 'Ophelia', body: 'are you there?' },
    sound: 'default',
    custom: { zulip: { ...base, message_ids: [id] } },
  });
  t.match(notice, { collapse: `message-${id}`, isUrgent: true, user: { id: hamlet.user_id } });
  t.equal(world.org.outgoingPushes.size, 0);

  world.send('castle', '@**Hamlet** '.padEnd(400, 'x'));
  await world.pass(0);
  world.send([hamlet], '```spoiler Ending\neverybody dies\n```\n1 < 2');
  await world.pass(0);
  const shown = services.sent[2]!.notice.fcm['content'] as string;
  t.notMatch(shown, 'dies');
  t.match(shown, '1 < 2');
  const { apns, fcm } = services.sent[1]!.notice;
  t.match(apns.alert, { title: '#general > castle', subtitle: 'Ophelia mentioned you:' });
  t.equal([...(fcm['content'] as string)].length, 201);
  t.match(fcm, {
    recipient_type: 'stream',
    stream: 'general',
    topic: 'castle',
  });
});

// [c:push-needs-device]
void t.test('who has no device, or does not want it, gets none', async (t) => {
  const world = new World();
  const { hamlet, cordelia, services } = world;
  world.send([cordelia], 'no device');
  world.there.add(hamlet.user_id);
  const pushed = world.send([hamlet], 'there, and wants pushes all the same');
  await world.pass(0);
  t.strictSame(services.told, [`message ${pushed} to phone`]);
  world.transact(({ org }) =>
    org.settings.update(hamlet.user_id, { enable_online_push_notifications: false }),
  );
  world.send([hamlet], 'there, and wants none then');
  await world.pass(0);
  t.equal(services.sent.length, 1);
});

void t.test('where only encrypted notices are sent, a token gets none of any kind', async (t) => {
  const world = new World();
  world.setRealm({ require_e2ee_push_notifications: true });
  const { hamlet, services, org } = world;
  world.send([hamlet], 'a secret');
  await world.pass(0);
  t.strictSame(services.sent, []);
  t.equal(org.outgoingPushes.size, 0, 'nor is it tried again');
  await t.rejects(world.do('send-test-notification', {}, hamlet), {
    message: 'This organization sends encrypted push notifications only.',
  });
  world.setRealm({ require_e2ee_push_notifications: false });
  world.send([hamlet], 'no secret');
  await world.pass(0);
  t.equal(services.sent.length, 1);
});

void t.test('a device that fails is tried again, the others are not', async (t) => {
  const world = new World();
  const { hamlet, services } = world;
  world.device(hamlet, 'tablet');
  services.answer = (token) =>
    token === 'phone' ? { kind: 'failed', error: new Error('503') } : SENT;
  const id = world.send([hamlet], 'hello');
  await world.pass(0);
  const pauses: number[] = [];
  for (let i = 0; i < 20; i++) {
    const [push] = world.org.outgoingPushes.values();
    if (!push) break;
    pauses.push((push.next_attempt_at - world.clock.now()) / 1000);
    await world.pass(pauses.at(-1)! + 0.5);
  }
  t.strictSame(services.told.slice(0, 2), [
    `message ${id} to phone,tablet`,
    `message ${id} to phone`,
  ]);
  t.strictSame(pauses.map(Math.round), [5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800]);
  t.equal(services.sent.length, 12, 'given up after two hours');
  t.equal(new Set(services.sent.map(({ notice }) => notice.id)).size, 1, 'under one id');
  t.equal(world.log.at(-1), 'a push was given up');
});

void t.test('a device that its service does not know any more is dropped', async (t) => {
  const world = new World();
  const { hamlet, services } = world;
  services.answer = () => ({ kind: 'gone' });
  world.send([hamlet], 'hello');
  await world.pass(0);
  t.equal(world.org.pushTokens.countOf(hamlet.user_id), 0);
  world.send([hamlet], 'again');
  await world.pass(0);
  t.equal(services.sent.length, 1);
});

void t.test('what is read elsewhere is taken off the devices', async (t) => {
  const world = new World();
  const { hamlet, services } = world;
  const ids = [
    world.send([hamlet], 'one'),
    world.send([hamlet], 'two'),
    world.send([hamlet], 'three'),
  ];
  await world.pass(0);
  t.strictSame(world.org.pushedMessages.get(hamlet.user_id)!.messages, ids);
  services.sent.length = 0;
  world.read(hamlet, ids[0]!);
  world.read(hamlet, ids[2]!);
  await world.pass(1.5);
  await world.pass(0);
  t.strictSame(services.told, [`remove ${ids[0]},${ids[2]} to phone`], 'by one push');
  t.match(services.sent[0]!.notice, { isUrgent: false, collapse: null });
  t.notOk(services.sent[0]!.notice.apns.alert);
  t.strictSame(world.org.pushedMessages.get(hamlet.user_id)!.messages, [ids[1]]);

  // A deleted message is taken away as well.
  const deleted = world.send([hamlet], 'four');
  await world.pass(0);
  services.sent.length = 0;
  const { recipient_id } = world.org.messages.peek(deleted)!;
  world.transact((tx) =>
    removeMessages(tx, { recipientId: recipient_id, actor: null, topic: '', ids: [deleted] }),
  );
  await world.pass(1.5);
  await world.pass(0);
  t.strictSame(services.told, [`remove ${deleted} to phone`]);

  // Read while nobody leads.
  world.notifications.stop();
  world.read(hamlet, ids[1]!);
  world.notifications = world.leader();
  await world.pass(1.5);
  await world.pass(0);
  t.strictSame(services.told.slice(1), [`remove ${ids[1]} to phone`]);
  t.equal(world.org.pushedMessages.size, 0);
});

void t.test('what is moved where somebody cannot read it is taken off their devices', async (t) => {
  const world = new World();
  const { hamlet, cordelia, ophelia, services } = world;
  world.device(cordelia, 'tablet');
  const secret = world.channel('secret', { invite_only: true }, [hamlet, ophelia]);
  world.alter(ophelia.user_id, { role: ROLE.administrator });
  const id = world.send('castle', '@**Hamlet** @**Cordelia** shh');
  const other = world.send('castle', '@**Cordelia** stays');
  await world.pass(0);
  t.strictSame(services.told, [
    `message ${id} to phone`,
    `message ${id} to tablet`,
    `message ${other} to tablet`,
    `message ${other} to phone`,
  ]);
  services.sent.length = 0;
  const editing = messageEditingHandler({ markdown: world.markdown });
  const move = { message_id: id, stream_id: secret.stream_id, propagate_mode: 'change_one' };
  await world.call(editing, ophelia, move);
  await world.pass(1.5);
  await world.pass(0);
  t.strictSame(services.told, [`remove ${id} to tablet`], 'Hamlet may read it there');
});

void t.test('deletions are looked for together, however many devices there are', async (t) => {
  const world = new World();
  const { hamlet, cordelia, services, org } = world;
  world.device(cordelia, 'tablet');
  const ids = ['one', 'two', 'three'].map((text) => world.send([hamlet, cordelia], text));
  await world.pass(0);
  services.sent.length = 0;
  const { pushedMessages } = org;
  let searches = 0;
  const values = pushedMessages.values.bind(pushedMessages);
  pushedMessages.values = () => {
    searches += 1;
    return values();
  };
  const { recipient_id } = org.messages.peek(ids[0]!)!;
  for (const id of ids.slice(0, 2)) {
    world.transact((tx) =>
      removeMessages(tx, { recipientId: recipient_id, actor: null, topic: '', ids: [id] }),
    );
  }
  t.equal(searches, 0, 'a deletion looks at no device');
  await world.pass(1.5);
  await world.pass(0);
  t.equal(searches, 1);
  const gone = ids.slice(0, 2).join();
  t.strictSame(services.told.sort(), [`remove ${gone} to phone`, `remove ${gone} to tablet`]);

  // So many that their numbers are not kept: everybody is asked about.
  const many = Array.from({ length: 100_002 }, (_, i) => 1_000_000 + i);
  world.hooks.notifier!.withdrawn(many);
  await world.pass(1.5);
  await world.pass(0);
  t.equal(searches, 2);
  t.equal(services.told.length, 2, 'what is unread stays');
  t.strictSame(pushedMessages.get(hamlet.user_id)!.messages, [ids[2]]);
});

void t.test(
  'what is read before it is sent is not sent; while it is sent, it is taken back',
  async (t) => {
    const world = new World();
    const { hamlet, services } = world;
    const first = world.send([hamlet], 'one');
    world.read(hamlet, first);
    await world.pass(0);
    t.strictSame(services.sent, []);
    let answer!: () => void;
    services.gate = new Promise((resolve) => (answer = resolve));
    const second = world.send([hamlet], 'two');
    await world.pass(0);
    world.read(hamlet, second);
    answer();
    await world.pass(0);
    await world.pass(0);
    t.strictSame(services.told, [`message ${second} to phone`, `remove ${second} to phone`]);
  },
);

void t.test('the outbox survives its leader', async (t) => {
  const world = new World();
  const { hamlet, services } = world;
  world.notifications.stop();
  world.notifications = world.leader();
  const id = world.send([hamlet], 'hello');
  world.notifications.stop();
  await world.pass(0);
  t.strictSame(services.sent, []);
  world.notifications = world.leader();
  await world.pass(0);
  t.strictSame(services.told, [`message ${id} to phone`]);
});

void t.test('a test notification goes to the device that is named, or to all', async (t) => {
  const world = new World();
  const { hamlet, services } = world;
  world.device(hamlet, 'tablet');
  await world.do('send-test-notification', { token: 'tablet' }, hamlet);
  await world.do('send-test-notification', {}, hamlet);
  await t.rejects(world.do('send-test-notification', { token: 'other' }, hamlet), {
    code: 'INVALID_PUSH_DEVICE_TOKEN',
  });
  await world.pass(0);
  t.strictSame(services.told, ['test  to tablet', 'test  to phone,tablet']);
  t.match(services.sent[0]!.notice.apns.alert, {
    title: 'Test notification',
    body: 'This is a test notification from Example (https://chat.example.com).',
  });
});

void t.test('a service forgets a device that is removed, or becomes somebody else’s', async (t) => {
  const world = new World();
  const { hamlet, cordelia, services } = world;
  await world.do('add-fcm-token', { token: 'phone' }, cordelia);
  await world.do('remove-fcm-token', { token: 'phone' }, cordelia);
  await world.do('add-fcm-token', { token: 'new' }, hamlet);
  await world.pass(0);
  t.strictSame(services.forgotten, ['phone', 'phone']);
  t.strictSame(services.sent, []);
  t.equal(world.org.outgoingPushes.size, 0);
});

void t.test('a push is in the language of its reader', async (t) => {
  const world = new World();
  const { services } = world;
  world.presetSettings(world.hamlet, { default_language: 'fr' });
  world.send('', '@**Hamlet** hello');
  await world.pass(0);
  t.match(services.sent.at(-1)!.notice.apns.alert, {
    title: '#general > discussion générale',
    subtitle: 'Ophelia vous a mentionné\u00a0:',
  });
});
