import fc from 'fast-check';
import t from 'tap';
import { heartbeatDelay } from '../../actors/event-queue.js';
import { START, TICK, TIMEOUT, setUpQueue as setUp } from './fixtures/queue.js';

void t.test('a queue nobody polls expires after its idle time, never early', async (t) => {
  const { clock, log, spawn, store, valueOf, newest } = setUp();
  spawn();
  clock.advance(TIMEOUT - 1);
  t.equal(valueOf('q'), 'live');
  clock.advance(1 + TICK);
  t.match(log, [['expired q', Number]]);
  t.ok((log[0]?.[1] ?? 0) >= TIMEOUT);
  t.notOk(newest.has('q'));
  t.equal(store.size, 0);
});

void t.test('polls answered at once postpone the expiry without an event', async (t) => {
  const { clock, log, spawn, use, valueOf } = setUp();
  spawn();
  use.touchedAt = START + 400_000;
  clock.advance(TIMEOUT + TICK);
  t.equal(valueOf('q'), 'live');
  clock.advance(400_000 - TICK - 1);
  t.same(log, []);
  clock.advance(1 + TICK);
  t.match(log, [['expired q', Number]]);
});

void t.test(
  'a consumer keeps the queue alive and gets a heartbeat after each silence',
  async (t) => {
    const { clock, log, spawn, attach, valueOf } = setUp();
    spawn();
    attach();
    clock.advance(49_999);
    t.same(log, []);
    clock.advance(2 * TIMEOUT);
    t.equal(valueOf('q'), 'live');
    t.ok(log.length >= 23 && log.length <= 24, `${log.length} heartbeats in 1,250 s`);
    let previous = 0;
    for (const [what, at] of log) {
      t.equal(what, 'heartbeat q');
      t.ok(at - previous >= 50_000 && at - previous <= 50_000 + TICK);
      previous = at;
    }
  },
);

void t.test(
  'a heartbeat may answer the poll, whose queue then expires after its idle time',
  async (t) => {
    const { clock, what, spawn, attach, detach, valueOf } = setUp({ heartbeat: () => detach() });
    spawn();
    attach();
    clock.advance(50_000 + TICK);
    clock.advance(TIMEOUT - TICK - 1);
    t.equal(valueOf('q'), 'live');
    clock.advance(1 + 2 * TICK);
    t.same(what(), ['expired q'], 'one heartbeat, and none for a queue without a consumer');
  },
);

void t.test('a consumer that got an event meanwhile gets no heartbeat', async (t) => {
  const { clock, log, spawn, attach, use } = setUp();
  spawn();
  attach();
  clock.advance(30_000);
  use.deliveredAt = clock.now();
  clock.advance(49_999);
  t.same(log, []);
  clock.advance(1 + TICK);
  t.equal(log.length, 1, 'the interval counts from the delivery');
});

void t.test('a deadline is brought forward and never put off', async (t) => {
  const { host, spawn, advance, newest } = setUp();
  const deadline = () => newest.get('q')?.context.deadline;
  spawn();
  t.equal(deadline(), START + TIMEOUT);
  advance(START + TIMEOUT + 1);
  t.equal(deadline(), START + TIMEOUT);
  advance(START + 1000);
  t.equal(deadline(), START + 1000);
  t.equal(host.deadlineOf('q'), START + 1000);
});

void t.test(
  'a queue with and without a consumer can be deleted, revoked or overflow',
  async (t) => {
    for (const attached of [false, true]) {
      for (const [type, end] of [
        ['delete', 'deleted q'],
        ['overflow', 'overflowed q'],
        ['revoke', 'revoked q'],
      ] as const) {
        const { clock, host, what, spawn, attach, store, newest } = setUp();
        spawn();
        if (attached) attach();
        host.send('q', { type });
        t.same(what(), [end]);
        t.notOk(newest.has('q'));
        t.equal(host.deadlineOf('q'), undefined);
        t.equal(store.size, 0);
        t.equal(attach(), false);
        clock.advance(2 * TIMEOUT);
        t.equal(what().length, 1, 'no deadline is left behind');
      }
    }
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
      const { clock, spawn, attach, use, errors } = setUp({
        use: () => ({
          ...use,
          heartbeatDelayMs: heartbeatDelay(random.next().value as number),
        }),
        heartbeat() {
          const silence = clock.now() - sentAt;
          sentAt = clock.now();
          use.deliveredAt = sentAt;
          if (silence < 45_000 || silence > 55_000 + TICK) throw new Error(`after ${silence} ms`);
        },
      });
      spawn();
      attach();
      for (const ms of gaps) {
        clock.advance(ms);
        sentAt = use.deliveredAt = clock.now();
      }
      clock.advance(200_000);
      if (errors.length > 0) throw new Error(errors[0]![1]);
      return clock.now() - sentAt <= 55_000 + TICK;
    }),
  );
});

void t.test('property: whatever is polled, a queue never expires early', async () => {
  const step = fc.record({
    ms: fc.integer({ min: 0, max: TIMEOUT + 1000 }),
    use: fc.constantFrom('instant', 'waiting', 'none'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let usedAt = START;
      let endedAt: number | undefined;
      const { clock, spawn, attach, detach, newest } = setUp({}, (at) => void (endedAt = at));
      spawn();
      for (const { ms, use } of steps) {
        clock.advance(ms);
        if (!newest.has('q') || use === 'none') continue;
        if (use === 'waiting') {
          attach();
          clock.advance(20_000);
        }
        detach();
        usedAt = clock.now();
      }
      clock.advance(2 * TIMEOUT);
      if (endedAt === undefined) throw new Error('not expired');
      const late = endedAt - usedAt - TIMEOUT;
      return late >= 0 && late <= 2 * TICK;
    }),
  );
});
