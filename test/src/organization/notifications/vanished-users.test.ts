import t from 'tap';
import { NotifiedWorld } from '../../../fixtures/notified-world.js';
import { PushWorld } from '../../../fixtures/push-world.js';

const MINUTE = 60;
const TO_HAMLET = 'hamlet@example.com: Direct messages with Ophelia';

/** Hamlet is at a client, as far as the server knows. */
class World extends NotifiedWorld {
  constructor() {
    super();
    this.there.add(this.hamlet.user_id);
  }

  /** Hamlet's lid closed so many seconds ago; nobody takes messages for him ten minutes after that. */
  closed(secondsAgo: number): void {
    this.used.set(this.hamlet.user_id, this.clock.now() - secondsAgo * 1000);
  }

  gone(): void {
    this.there.delete(this.hamlet.user_id);
  }

  /** His last queue ends. */
  lost(unusedSeconds: number, expired: boolean): void {
    this.gone();
    this.onLost(this.hamlet.user_id, unusedSeconds * 1000, expired);
  }

  get watched(): number {
    return this.org.notificationWatches.size;
  }
}

// [c:vanished-told]
void t.test(
  'who vanished just before a message is told when nobody takes them any more',
  async (t) => {
    const world = new World();
    world.closed(MINUTE);
    world.send([world.hamlet], 'are you there?');
    t.strictSame(world.org.missedMessages.size, 0, 'not at once');
    await world.pass(9 * MINUTE);
    world.gone();
    t.strictSame(world.arrived, []);
    await world.pass(MINUTE + 1);
    t.strictSame(world.arrived, [], 'the batching period counts from here');
    await world.pass(2 * MINUTE + 1);
    t.strictSame(world.arrived, [TO_HAMLET]);
    t.equal(world.watched, 0);
    world.onLost(world.hamlet.user_id, 0, true);
    await world.pass(60 * MINUTE);
    t.equal(world.sent.length, 1, 'once');
    t.match(world.sent[0]!.text, 'are you there?');
  },
);

void t.test('at once when the last queue expires', async (t) => {
  const world = new World();
  world.closed(MINUTE);
  world.send([world.hamlet], 'hello');
  world.send([world.cordelia], 'to others');
  world.send('castle', '@**Hamlet** look');
  await world.pass(5);
  world.onLost(world.hamlet.user_id, 65_000, true);
  await world.pass(1);
  t.equal(world.org.missedMessages.get(world.hamlet.user_id), undefined, 'he has another one');
  world.lost(65, true);
  await world.pass(1);
  t.strictSame(
    world.org.missedMessages.get(world.hamlet.user_id)?.messages.map(({ trigger }) => trigger),
    ['direct_message', 'mention'],
  );
  t.equal(world.watched, 0);
});

void t.test('who ends the last queue has ten seconds to come back', async (t) => {
  const world = new World();
  world.send([world.hamlet], 'old');
  await world.pass(3 * MINUTE);
  world.send([world.hamlet], 'new');
  await world.pass(MINUTE);
  world.lost(0, false);
  await world.pass(9);
  world.there.add(world.hamlet.user_id);
  await world.pass(5);
  t.equal(world.org.missedMessages.size, 0, 'came back');
  world.lost(0, false);
  await world.pass(11);
  const { messages } = world.org.missedMessages.get(world.hamlet.user_id)!;
  t.strictSame(messages.length, 1, 'what was shown for three minutes is not told');
  await world.pass(2 * MINUTE);
  t.match(world.sent[0]!.text, 'new');
  t.notMatch(world.sent[0]!.text, 'old');
});

void t.test('who is there has seen it, whatever becomes of them', async (t) => {
  const world = new World();
  world.send([world.hamlet], 'hello');
  t.equal(world.watched, 1);
  await world.pass(10 * MINUTE + 1);
  t.equal(world.watched, 0, 'nothing is left behind');
  world.lost(0, true);
  await world.pass(20 * MINUTE);
  t.strictSame(world.sent, []);
});

void t.test('whose client was heard of later is asked again later', async (t) => {
  const world = new World();
  world.send([world.hamlet], 'hello');
  await world.pass(2 * MINUTE);
  world.closed(0);
  await world.pass(8 * MINUTE + 1);
  t.equal(world.watched, 1, 'still there, perhaps');
  await world.pass(MINUTE);
  world.gone();
  await world.pass(MINUTE + 1);
  await world.pass(2 * MINUTE + 1);
  t.strictSame(world.arrived, [TO_HAMLET]);
});

void t.test('what was read or deleted is not told, nor what nobody asked for', async (t) => {
  const world = new World();
  const { hamlet } = world;
  world.closed(MINUTE);
  const read = world.send([hamlet], 'read');
  const deleted = world.send([hamlet], 'deleted');
  world.send('castle', 'to all');
  t.equal(world.watched, 2, 'nobody is told of all messages to a channel');
  world.read(hamlet, read);
  world.transact(({ org }) => org.messages.delete(org.messages.resident(deleted)!));
  await world.pass(9 * MINUTE);
  world.gone();
  await world.pass(20 * MINUTE);
  t.strictSame(world.sent, []);
  t.equal(world.watched, 0);
});

void t.test('the next leader goes on, and tells nobody twice', async (t) => {
  const world = new World();
  world.closed(MINUTE);
  world.send([world.hamlet], 'hello');
  await world.pass(5 * MINUTE);
  world.notifications.stop();
  world.notifications = world.leader();
  await world.pass(5 * MINUTE);
  world.gone();
  await world.pass(5 * MINUTE + 1);
  world.notifications.stop();
  world.notifications = world.leader();
  await world.pass(20 * MINUTE);
  t.strictSame(world.arrived, [TO_HAMLET]);
  t.equal(world.reloaded().notificationWatches.size, 0);
});

void t.test(
  'who vanished before a push was wanted gets it later, and nobody gets it twice',
  async (t) => {
    const world = new PushWorld();
    const { hamlet, org, services } = world;
    const vanish = async (): Promise<void> => {
      world.there.delete(hamlet.user_id);
      world.onLost(hamlet.user_id, 60_000, true);
      await world.pass(1);
    };
    world.there.add(hamlet.user_id);
    const first = world.send([hamlet], 'pushed at once');
    await world.pass(1);
    t.strictSame(services.told, [`message ${first} to phone`]);
    t.equal(org.notificationWatches.size, 0, 'there is nothing to tell later');
    await vanish();
    world.there.add(hamlet.user_id);
    world.transact(({ org }) =>
      org.settings.update(hamlet.user_id, { enable_online_push_notifications: false }),
    );
    const second = world.send([hamlet], 'pushed when he is gone');
    await world.pass(1);
    t.equal(services.told.length, 1);
    await vanish();
    t.strictSame(services.told.slice(1), [`message ${second} to phone`]);
    world.there.add(hamlet.user_id);
    world.transact(({ org }) =>
      org.settings.update(hamlet.user_id, {
        enable_online_push_notifications: true,
        enable_offline_email_notifications: true,
      }),
    );
    world.send([hamlet], 'pushed at once and mailed when he is gone');
    await world.pass(1);
    t.equal(services.told.length, 3);
    await vanish();
    await world.pass(121);
    t.equal(services.told.length, 3);
    t.equal(world.sent.length, 1);
  },
);
