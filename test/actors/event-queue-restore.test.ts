import t from 'tap';
import type { PersistedActor } from '../../actors/host.js';
import { START, TICK, TIMEOUT, setUpQueue as setUp } from './fixtures/queue.js';

void t.test('a queue is written when it begins and when it ends, not on every poll', async (t) => {
  const { host, spawn, send, store, writesSoFar } = setUp();
  spawn();
  for (let i = 0; i < 10; i++) {
    send('poll');
    send('release');
  }
  t.equal(writesSoFar(), 1);
  t.same(store.get('q'), {
    machine: 'event-queue',
    version: 1,
    value: 'idle',
    context: {
      queue_id: 'q',
      idle_timeout_ms: TIMEOUT,
      touched_at: START,
      deadline: START + TIMEOUT,
    },
  });
  host.send('q', { type: 'delete' });
  t.equal(writesSoFar(), 2);
});

void t.test('every state survives JSON, and a restored queue goes on where it was', async (t) => {
  for (const [event, state] of [
    ['release', 'idle'],
    ['poll', 'polling'],
    ['stream', 'streaming'],
  ] as const) {
    const before = setUp();
    before.spawn();
    before.send(event);
    const text = JSON.stringify(before.host.snapshotOf('q'));

    const after = setUp();
    after.host.restore('q', JSON.parse(text) as PersistedActor);
    t.equal(after.host.valueOf('q'), state);
    t.same(after.log, [], 'entry actions are not replayed');
    t.equal(JSON.stringify(after.host.snapshotOf('q')), text);
    after.clock.advance((state === 'idle' ? TIMEOUT : 50_000) + TICK);
    t.same(after.what(), [state === 'idle' ? 'expired q' : 'heartbeat q']);
  }
});

void t.test('a restored queue whose time has passed expires at once', async (t) => {
  const before = setUp();
  before.spawn();
  const document = before.host.snapshotOf('q');
  if (!document) throw new Error('no document');
  const after = setUp();
  after.clock.jumpTo(START + 2 * TIMEOUT);
  after.host.restore('q', document);
  t.same(after.what(), []);
  after.clock.advance(TICK);
  t.same(after.what(), ['expired q']);
});

void t.test('an error in an effect is reported and ends only the actor', async (t) => {
  const { clock, host, errors, spawn, send, store } = setUp({
    heartbeat() {
      throw new Error('no socket');
    },
  });
  spawn();
  send('poll');
  clock.advance(60_000);
  t.match(errors, [{ message: 'no socket' }]);
  t.notOk(host.isLive('q'));
  t.ok(store.has('q'), 'the queue can be restored from its document');
});
