import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { bodies, DeliveryWorld, kinds, type Body } from './fixtures/delivery-world.js';

type Prepare = (world: DeliveryWorld) => void;

/** A message that is due in two seconds, and what makes it impossible until then. */
interface Case {
  readonly name: string;
  readonly message: (world: DeliveryWorld) => Body;
  readonly spoil: Prepare;
  readonly failure: string;
}

const general = (world: DeliveryWorld) => world.org.channels.byName('general')!;
const toChannel = (world: DeliveryWorld): Body => ({
  type: 'channel',
  to: general(world).stream_id,
  topic: 'plot',
});
const direct = (): Body => ({});

const CASES: readonly Case[] = [
  {
    name: 'the channel was archived',
    message: toChannel,
    spoil: (world) =>
      void world.transact((tx) =>
        tx.org.channels.update(general(world).stream_id, { is_archived: true }),
      ),
    failure: "Not authorized to send to channel 'general'",
  },
  {
    name: 'the right to post was lost',
    message: toChannel,
    spoil: (world) => {
      const can_send_message_group = world.org.groups.system('role:nobody').id;
      const { stream_id } = general(world);
      world.transact((tx) => tx.org.channels.update(stream_id, { can_send_message_group }));
    },
    failure: 'You do not have permission to post in this channel.',
  },
  {
    name: 'the channel is out of sight',
    message: toChannel,
    spoil: (world) => {
      const { stream_id } = general(world);
      const { user_id } = world.user('hamlet');
      world.transact((tx) => {
        tx.org.channels.update(stream_id, { invite_only: true });
        tx.org.users.update(user_id, { role: ROLE.guest });
        const sub = tx.org.subscriptions.of(user_id, stream_id)!;
        tx.org.subscriptions.insert({ ...sub, active: false });
      });
    },
    failure: "Channel with ID '1' does not exist",
  },
  {
    name: 'the recipient is gone',
    message: direct,
    spoil: (world) => {
      const { user_id } = world.user('ophelia');
      world.transact((tx) => tx.org.users.update(user_id, { is_active: false }));
    },
    failure: "'ophelia@example.com' is no longer using Zulip.",
  },
];

void t.test('a delivery that fails tells its author the reason', async (t) => {
  for (const { name, message, spoil, failure } of CASES) {
    await t.test(name, async (t) => {
      const world = await DeliveryWorld.start();
      const at = world.inSeconds(2);
      const id = await world.schedule('doomed', at, message(world));
      const author = await world.listen('hamlet');
      spoil(world);
      await world.settle();
      const before = world.node.memory.journal.size;
      await world.advance(2250);
      t.equal(world.node.memory.journal.size - before, 2, 'its beginning, and its end');
      const events = bodies(author).filter(({ type }) => type !== 'stream');
      t.match(events[0], {
        type: 'scheduled_messages',
        op: 'update',
        scheduled_message: { scheduled_message_id: id, failed: true },
      });
      const time = new Date(at * 1000).toISOString().replace('.000Z', 'Z');
      t.match(events[1], {
        type: 'message',
        message: {
          type: 'private',
          content:
            `The message you scheduled for <time:${time}> was not sent because of the ` +
            `following error: ${failure}`,
        },
      });
      t.same(await world.texts('hamlet'), []);
      await world.advance(3000);
      t.equal((await world.texts('notification-bot')).length, 1, 'it is not tried again');
      t.same(world.faults, []);
    });
  }
});

void t.test('the reason is in the language of the author', async (t) => {
  const world = await DeliveryWorld.start();
  const { user_id } = world.user('hamlet');
  world.transact((tx) =>
    tx.org.settings.insert({ user_id, default_language: 'de', edited: ['default_language'] }),
  );
  const { message, spoil } = CASES.find(({ name }) => name === 'the right to post was lost')!;
  await world.schedule('doomed', world.inSeconds(2), message(world));
  spoil(world);
  await world.settle();
  await world.advance(2250);
  const [told] = await world.texts('notification-bot');
  t.match(
    told,
    /wegen des folgenden Fehlers nicht gesendet: In diesen Kanal darfst du nicht schreiben\.$/,
  );
});

void t.test('a deactivated author is told nothing, but the message failed', async (t) => {
  const world = await DeliveryWorld.start();
  const id = await world.schedule('doomed', world.inSeconds(2));
  const { user_id } = world.user('hamlet');
  world.transact((tx) => tx.org.users.update(user_id, { is_active: false }));
  await world.advance(2250);
  t.match(world.org.scheduledMessages.resident(id), {
    value: 'failed',
    context: { failure: 'Account is deactivated' },
  });
  t.same(await world.texts('notification-bot'), []);
});

void t.test('a deactivated organization sends nothing', async (t) => {
  const world = await DeliveryWorld.start();
  const id = await world.schedule('doomed', world.inSeconds(2));
  const author = await world.listen('hamlet');
  world.transact((tx) => tx.org.realm.update('realm', { deactivated: true }));
  await world.advance(2250);
  t.match(world.org.scheduledMessages.resident(id), {
    value: 'failed',
    context: { failure: 'This organization has been deactivated' },
  });
  t.same(kinds(author), ['scheduled_messages update']);
});

void t.test('a failed message can be sent after all', async (t) => {
  const world = await DeliveryWorld.start();
  const id = await world.schedule('at last', world.inSeconds(2));
  const { user_id } = world.user('ophelia');
  const activate = (is_active: boolean): void =>
    void world.transact((tx) => tx.org.users.update(user_id, { is_active }));
  activate(false);
  await world.advance(2250);
  activate(true);
  await world.call('update-scheduled-message', 'hamlet', {
    scheduled_message_id: id,
    scheduled_delivery_timestamp: world.inSeconds(2),
  });
  await world.advance(2250);
  t.same(await world.texts('hamlet'), ['at last']);
});

void t.test('text means what it means when it is sent', async (t) => {
  const world = await DeliveryWorld.start();
  const { user_id } = world.user('ophelia');
  await world.schedule('@**Nobody yet**', world.inSeconds(2));
  const reader = await world.listen('ophelia');
  world.transact((tx) => tx.org.users.update(user_id, { full_name: 'Nobody yet' }));
  await world.advance(2250);
  t.match(
    bodies(reader).find(({ type }) => type === 'message'),
    { flags: ['mentioned'] },
    'rendered again',
  );
});

void t.test('a reminder comes however late', async (t) => {
  const world = await DeliveryWorld.start({ start: false });
  await world.schedule('read me', world.inSeconds(1), {}, 'ophelia');
  await world.settle();
  const first = await world.restart(world.now + 1250);
  const messageId = first.org.counters.last('message');
  await first.call('create-reminder', 'ophelia', {
    message_id: messageId,
    scheduled_delivery_timestamp: first.inSeconds(5),
  });
  await first.settle();
  first.delivery.stop();
  const late = await first.restart(first.now + 24 * 3_600_000);
  const [text] = await late.texts('notification-bot');
  t.match(text, /^You requested a reminder for the following direct message\./);
  t.match(text, '```quote\nread me\n```');
  t.equal(late.org.reminders.size, 0);
});

void t.test('what cannot be read is not delivered, and delays nothing else', async (t) => {
  const first = await DeliveryWorld.start();
  const at = first.inSeconds(2);
  const lost = await first.schedule('lost', at);
  await first.schedule('kept', at);
  await first.settle();
  const world = await first.restart(first.now);
  world.node.memory.collections.get('scheduled_message')!.delete(String(lost));
  await world.advance(3000);
  t.same(await world.texts('hamlet'), ['kept']);
  t.same(world.faults, [], 'the collection has reported it');
  await world.schedule('later', world.inSeconds(1));
  await world.advance(2000);
  t.same(await world.texts('hamlet'), ['kept', 'later']);
});
