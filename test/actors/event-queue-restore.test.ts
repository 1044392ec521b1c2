import t from 'tap';
import { resumedQueue, type EventQueueContext } from '../../actors/event-queue.js';
import type { ActorSnapshot } from '../../actors/host.js';
import { QUEUE, START, TICK, TIMEOUT, setUpQueue as setUp } from './fixtures/queue.js';

const STORED: ActorSnapshot<EventQueueContext> = {
  machine: 'event-queue',
  version: 4,
  value: 'live',
  context: { ...QUEUE, deadline: START + TIMEOUT },
};

void t.test('a queue is written when it begins and when it ends, not on every poll', async (t) => {
  const { host, spawn, attach, detach, store, writesSoFar } = setUp();
  spawn();
  for (let i = 0; i < 10; i++) {
    attach();
    detach();
  }
  t.equal(writesSoFar(), 1);
  t.same(store.get('q'), STORED);
  host.send('q', { type: 'delete' });
  t.equal(writesSoFar(), 2);
});

void t.test('a later beginning is written, an earlier one is none', async (t) => {
  const { host, spawn, store, writesSoFar } = setUp();
  spawn();
  t.equal(host.send('q', { type: 'begin_later', since: 9 }), true);
  t.equal(store.get('q')?.context.since, 9);
  t.equal(host.send('q', { type: 'begin_later', since: 9 }), false);
  t.equal(writesSoFar(), 2);
});

void t.test('a queue survives JSON and goes on where it was', async (t) => {
  for (const attached of [false, true]) {
    const before = setUp();
    before.spawn();
    if (attached) before.attach();
    const text = JSON.stringify(before.newest.get('q'));

    const after = setUp();
    if (attached) after.use.deliveredAt = START;
    after.restore('q', JSON.parse(text) as ActorSnapshot<EventQueueContext>);
    t.same(after.log, [], 'entry actions are not replayed');
    after.clock.advance((attached ? 50_000 : TIMEOUT) + TICK);
    t.same(after.what(), [attached ? 'heartbeat q' : 'expired q']);
  }
});

void t.test('the idle time of a stored queue starts anew with its process', async (t) => {
  const { clock, use, restore, valueOf, what } = setUp();
  const boot = START + 10 * TIMEOUT;
  clock.jumpTo(boot);
  use.touchedAt = boot;
  restore('q', { ...STORED, context: resumedQueue(QUEUE, boot) });
  clock.advance(TIMEOUT - 1);
  t.equal(valueOf('q'), 'live');
  clock.advance(1 + TICK);
  t.same(what(), ['expired q']);
});

void t.test('a queue that has ended never comes back', async (t) => {
  for (const value of ['expired', 'deleted', 'overflowed', 'revoked']) {
    const { clock, host, restore, attach, what } = setUp();
    restore('q', { ...STORED, value });
    t.equal(attach(), false);
    t.equal(host.send('q', { type: 'delete' }), false);
    clock.advance(2 * TIMEOUT);
    t.same(what(), []);
  }
});

void t.test('an error in an effect is reported, and the queue goes on', async (t) => {
  const { clock, errors, spawn, attach, valueOf } = setUp({
    heartbeat() {
      throw new Error('no socket');
    },
  });
  spawn();
  attach();
  clock.advance(60_000);
  t.match(errors, [['q', 'no socket']]);
  t.equal(valueOf('q'), 'live');
});
