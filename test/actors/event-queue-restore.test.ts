import t from 'tap';
import type { PersistedActor } from '../../actors/host.js';
import { START, TICK, TIMEOUT, setUpQueue as setUp } from './fixtures/queue.js';

const STORED = {
  machine: 'event-queue',
  version: 2,
  value: 'live',
  context: { queue_id: 'q', idle_timeout_ms: TIMEOUT, deadline: START + TIMEOUT },
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
  const input = { queue_id: 'q', idle_timeout_ms: TIMEOUT, now: START };
  t.same(host.documentOf(input), STORED, 'the same without an actor');
  host.send('q', { type: 'delete' });
  t.equal(writesSoFar(), 2);
});

void t.test('a queue survives JSON and goes on where it was', async (t) => {
  for (const attached of [false, true]) {
    const before = setUp();
    before.spawn();
    if (attached) before.attach();
    const text = JSON.stringify(before.host.snapshotOf('q'));

    const after = setUp();
    if (attached) after.use.deliveredAt = START;
    after.host.restore('q', JSON.parse(text) as PersistedActor);
    t.same(after.log, [], 'entry actions are not replayed');
    t.equal(JSON.stringify(after.host.snapshotOf('q')), text);
    after.clock.advance((attached ? 50_000 : TIMEOUT) + TICK);
    t.same(after.what(), [attached ? 'heartbeat q' : 'expired q']);
  }
});

void t.test('queues of version 1, which knew of consumers, go on without one', async (t) => {
  for (const value of ['idle', 'polling', 'streaming']) {
    const { host, clock, what } = setUp();
    const context = { ...STORED.context, touched_at: START };
    host.restore('q', { ...STORED, version: 1, value, context });
    t.same(host.snapshotOf('q'), STORED);
    clock.advance(TIMEOUT + TICK);
    t.same(what(), ['expired q']);
  }
});

void t.test('after a restart the idle time counts from the last touch', async (t) => {
  const { clock, host, use, what } = setUp();
  const boot = START + 10 * TIMEOUT;
  clock.jumpTo(boot);
  use.touchedAt = boot;
  host.restore('q', STORED);
  clock.advance(TIMEOUT - 1);
  t.equal(host.valueOf('q'), 'live');
  clock.advance(1 + TICK);
  t.same(what(), ['expired q']);
});

void t.test('a restored queue whose time has passed expires at once', async (t) => {
  const { clock, host, what } = setUp();
  clock.jumpTo(START + 2 * TIMEOUT);
  host.restore('q', STORED);
  t.same(what(), []);
  clock.advance(TICK);
  t.same(what(), ['expired q']);
});

void t.test('an error in an effect is reported and ends only the actor', async (t) => {
  const { clock, host, errors, spawn, attach, store } = setUp({
    heartbeat() {
      throw new Error('no socket');
    },
  });
  spawn();
  attach();
  clock.advance(60_000);
  t.match(errors, [{ message: 'no socket' }]);
  t.notOk(host.isLive('q'));
  t.ok(store.has('q'), 'the queue can be restored from its document');
});
