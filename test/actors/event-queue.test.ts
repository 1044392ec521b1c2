import fc from 'fast-check';
import t from 'tap';
import { heartbeatDelay } from '../../actors/event-queue.js';
import { START, TICK, TIMEOUT, setUpQueue as setUp } from './fixtures/queue.js';

void t.test('a queue nobody polls expires after its idle time, never early', async (t) => {
  const { clock, host, log, spawn, store } = setUp();
  spawn();
  clock.advance(TIMEOUT - 1);
  t.equal(host.valueOf('q'), 'idle');
  clock.advance(1 + TICK);
  t.match(log, [['expired q', Number]]);
  t.ok((log[0]?.[1] ?? 0) >= TIMEOUT);
  t.notOk(host.has('q'));
  t.equal(store.size, 0);
});

void t.test('polls answered at once postpone the expiry without an event', async (t) => {
  const { clock, host, log, spawn, times } = setUp();
  spawn();
  times.touched = START + 400_000;
  clock.advance(TIMEOUT + TICK);
  t.equal(host.valueOf('q'), 'idle');
  clock.advance(400_000 - TICK - 1);
  t.same(log, []);
  clock.advance(1 + TICK);
  t.match(log, [['expired q', Number]]);
});

void t.test('a waiting poll keeps the queue alive and gets a heartbeat', async (t) => {
  const { clock, host, what, spawn, send } = setUp();
  spawn();
  send('poll');
  t.equal(host.valueOf('q'), 'polling');
  clock.advance(49_999);
  t.same(what(), []);
  clock.advance(1 + TICK);
  t.same(what(), ['heartbeat q']);
  t.equal(host.valueOf('q'), 'polling', 'until the answer is released');
  clock.advance(2 * TIMEOUT);
  t.equal(host.valueOf('q'), 'polling', 'an attached consumer keeps the queue alive');
  send('release');
  t.equal(host.valueOf('q'), 'idle');
});

void t.test('a heartbeat may release the poll it answers', async (t) => {
  const heartbeats: number[] = [];
  const { clock, host, spawn, send } = setUp({
    heartbeat() {
      heartbeats.push(clock.now() - START);
      send('release');
    },
  });
  spawn();
  send('poll');
  clock.advance(TIMEOUT);
  t.equal(heartbeats.length, 1, 'an idle queue gets no heartbeats');
  t.equal(host.valueOf('q'), 'idle');
  const { deadline, touched_at } = host.snapshotOf('q')?.context ?? {};
  t.equal(touched_at, START + (heartbeats[0] ?? 0));
  t.equal(deadline, START + (heartbeats[0] ?? 0) + TIMEOUT, 'idle time counts from the answer');
});

void t.test('a newer poll has a heartbeat time of its own', async (t) => {
  const { clock, what, spawn, send } = setUp();
  spawn();
  send('poll');
  clock.advance(40_000);
  send('poll');
  clock.advance(49_999);
  t.same(what(), []);
  clock.advance(1 + TICK);
  t.same(what(), ['heartbeat q']);
});

void t.test('a socket gets a heartbeat after each silent interval', async (t) => {
  const { clock, host, log, spawn, send } = setUp();
  spawn();
  send('stream');
  clock.advance(150_000 + 3 * TICK);
  t.equal(host.valueOf('q'), 'streaming');
  t.equal(log.length, 3);
  let previous = 0;
  for (const [, at] of log) {
    t.ok(at - previous >= 50_000 && at - previous <= 50_000 + TICK);
    previous = at;
  }
});

void t.test('a socket that got an event meanwhile is not sent a heartbeat', async (t) => {
  const { clock, log, spawn, send, times } = setUp();
  spawn();
  send('stream');
  times.delivered = START + 30_000;
  clock.advance(79_999);
  t.same(log, []);
  clock.advance(1 + TICK);
  t.equal(log.length, 1, 'the interval counts from the delivery');
});

void t.test('the caller may postpone a heartbeat with an event', async (t) => {
  const { clock, host, what, spawn, send } = setUp();
  spawn();
  send('delivered');
  t.equal(host.snapshotOf('q')?.context.deadline, START + TIMEOUT, 'nothing to postpone in idle');
  send('stream');
  clock.advance(30_000);
  send('delivered');
  clock.advance(49_999);
  t.same(what(), []);
  clock.advance(1 + TICK);
  t.same(what(), ['heartbeat q']);
});

void t.test('a client goes from poll to socket and back', async (t) => {
  const { host, spawn, send } = setUp();
  spawn();
  const states = (
    ['poll', 'stream', 'stream', 'poll', 'release', 'stream', 'release'] as const
  ).map((type) => {
    send(type);
    return host.valueOf('q');
  });
  t.same(states, ['polling', 'streaming', 'streaming', 'polling', 'idle', 'streaming', 'idle']);
});

void t.test('a queue can be deleted, revoked or overflow in every state', async (t) => {
  for (const state of ['idle', 'polling', 'streaming'] as const) {
    for (const [type, end] of [
      ['delete', 'deleted q'],
      ['overflow', 'overflowed q'],
      ['revoke', 'revoked q'],
    ] as const) {
      const { clock, host, what, spawn, send, store } = setUp();
      spawn();
      if (state === 'polling') send('poll');
      if (state === 'streaming') send('stream');
      t.equal(host.valueOf('q'), state);
      host.send('q', { type });
      t.same(what(), [end]);
      t.notOk(host.has('q'));
      t.equal(store.size, 0);
      t.equal(send('poll'), false);
      clock.advance(2 * TIMEOUT);
      t.equal(what().length, 1, 'no deadline is left behind');
    }
  }
});

void t.test(
  'after a restart, release or the last touch gives the queue its time anew',
  async (t) => {
    const before = setUp();
    before.spawn();
    before.send('poll');
    const document = before.host.snapshotOf('q');
    if (!document) throw new Error('no document');
    const boot = START + 10 * TIMEOUT;

    const released = setUp();
    released.clock.jumpTo(boot);
    released.host.restore('q', document);
    released.send('release');
    released.clock.advance(TIMEOUT - 1);
    t.equal(released.host.valueOf('q'), 'idle');
    released.clock.advance(1 + TICK);
    t.same(released.what(), ['expired q']);

    const touched = setUp();
    touched.clock.jumpTo(boot);
    touched.times.touched = boot;
    touched.host.restore('q', { ...document, value: 'idle' });
    touched.clock.advance(TIMEOUT - 1);
    t.equal(touched.host.valueOf('q'), 'idle');
    touched.clock.advance(1 + TICK);
    t.same(touched.what(), ['expired q']);
  },
);

void t.test('heartbeat delays lie between 45 and 55 s', async (t) => {
  t.equal(heartbeatDelay(0), 45_000);
  t.equal(heartbeatDelay(1 - Number.EPSILON), 54_999);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
      const delay = heartbeatDelay(random);
      return Number.isInteger(delay) && delay >= 45_000 && delay < 55_000;
    }),
  );
});

void t.test('property: a socket is silent for 45 to 55 s before each heartbeat', async () => {
  const gap = fc.integer({ min: 1, max: 120_000 });
  const jitter = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
  fc.assert(
    fc.property(fc.array(gap, { maxLength: 30 }), jitter, (gaps, random) => {
      let sentAt = START;
      const draw = (): number => random.next().value as number;
      const { clock, spawn, send, times, errors } = setUp({
        heartbeatDelayMs: () => heartbeatDelay(draw()),
        heartbeat() {
          const silence = clock.now() - sentAt;
          sentAt = clock.now();
          if (silence < 45_000 || silence > 55_000 + TICK) throw new Error(`after ${silence} ms`);
        },
      });
      spawn();
      send('stream');
      for (const ms of gaps) {
        clock.advance(ms);
        sentAt = times.delivered = clock.now();
      }
      clock.advance(200_000);
      if (errors.length > 0) throw errors[0];
      return clock.now() - sentAt <= 55_000 + TICK;
    }),
  );
});

void t.test('property: whatever is polled, a queue never expires early', async () => {
  const step = fc.record({
    ms: fc.integer({ min: 0, max: TIMEOUT + 1000 }),
    use: fc.constantFrom('instant', 'held', 'none'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let usedAt = START;
      let endedAt: number | undefined;
      const { clock, host, spawn, send, times } = setUp({
        ended: () => void (endedAt = clock.now()),
      });
      spawn();
      for (const { ms, use } of steps) {
        clock.advance(ms);
        if (!host.has('q') || use === 'none') continue;
        if (use === 'held') {
          send('poll');
          clock.advance(20_000);
          send('release');
        }
        usedAt = clock.now();
        if (use === 'instant') times.touched = usedAt;
      }
      clock.advance(2 * TIMEOUT);
      if (endedAt === undefined) throw new Error('not expired');
      const late = endedAt - usedAt - TIMEOUT;
      return late >= 0 && late <= 2 * TICK;
    }),
  );
});
