import t from 'tap';
import type { ActorSnapshot } from '../../actors/host.js';
import {
  createPresenceSessionMachine,
  DEFAULT_PRESENCE_TIMING,
  type PresenceSessionContext,
  type PresenceStatus,
} from '../../actors/presence-session.js';
import { SimulatedClock } from '../fixtures/simulated-clock.js';
import { storedTime } from '../../schemas/store/stored-time.js';
import { storedHost } from './fixtures/stored-host.js';

const START = 1_800_000_000_000;
const TICK = 250;
const IDLE_AFTER = 130_000;
const OFFLINE_AFTER = 200_000;

function setUp(startMs = START) {
  const clock = new SimulatedClock(startMs);
  const wall = (): number => clock.now();
  const stored = storedHost(createPresenceSessionMachine(), clock, { wall });
  const { host } = stored;
  const ping = (status: PresenceStatus): boolean =>
    host.send('s', { type: 'ping', status, now: storedTime(clock.now()) });
  const begin = (status: PresenceStatus): void => {
    host.begin('s', { user_id: 7, client: 'web', now: storedTime(clock.now()) });
    if (status === 'active') ping(status);
  };
  const state = (): string | undefined => stored.valueOf('s');
  return { ...stored, clock, begin, ping, state };
}

void t.test('a session starts idle, and is active from its first report of activity', async (t) => {
  const active = setUp();
  active.begin('active');
  t.equal(active.state(), 'active');
  t.same(active.store.get('s')?.context, {
    user_id: 7,
    client: 'web',
    last_active_at: START,
    last_seen_at: START,
    deadline: START + IDLE_AFTER,
  });

  const idle = setUp();
  idle.begin('idle');
  t.equal(idle.state(), 'idle');
  t.equal(idle.store.get('s')?.context.last_active_at, null);
});

void t.test('without reports a session turns idle after 130 s, offline after 200 s', async (t) => {
  const { clock, wheel, done, store, begin, state } = setUp();
  begin('active');
  clock.advance(IDLE_AFTER - 1);
  t.equal(state(), 'active');
  clock.advance(1 + TICK);
  t.equal(state(), 'idle');
  t.equal(store.get('s')?.value, 'idle', 'which is written');
  clock.advance(OFFLINE_AFTER - IDLE_AFTER - TICK - 1);
  t.equal(state(), 'idle');
  clock.advance(1 + TICK);
  t.same(done, ['s offline']);
  t.equal(store.size, 0);
  t.equal(wheel.size, 0);
});

void t.test('active reports keep a session active', async (t) => {
  const { clock, begin, ping, state } = setUp();
  begin('active');
  for (let i = 0; i < 10; i++) {
    clock.advance(60_000);
    ping('active');
  }
  t.equal(state(), 'active');
});

void t.test('idle reports keep a session online but let it turn idle', async (t) => {
  const { clock, done, begin, ping, state } = setUp();
  begin('active');
  clock.advance(60_000);
  ping('idle');
  t.equal(state(), 'active', 'recent activity still counts');
  clock.advance(60_000);
  ping('idle');
  clock.advance(10_000 + TICK);
  t.equal(state(), 'idle');
  for (let i = 0; i < 10; i++) {
    clock.advance(180_000);
    ping('idle');
  }
  t.equal(state(), 'idle');
  clock.advance(OFFLINE_AFTER - 1);
  t.equal(state(), 'idle', 'offline counts from the last report of any kind');
  clock.advance(1 + TICK);
  t.same(done, ['s offline']);
});

void t.test('an active report brings an idle session back', async (t) => {
  const { clock, begin, ping, state } = setUp();
  begin('idle');
  clock.advance(60_000);
  ping('active');
  t.equal(state(), 'active');
  clock.advance(IDLE_AFTER - 1);
  t.equal(state(), 'active');
  clock.advance(1 + TICK);
  t.equal(state(), 'idle');
});

void t.test('a report after the end is of no session', async (t) => {
  const { clock, begin, ping, state } = setUp();
  begin('active');
  clock.advance(OFFLINE_AFTER + 2 * TICK);
  t.equal(ping('active'), false);
  begin('active');
  t.equal(state(), 'active');
});

void t.test('a session can be forgotten in each state', async (t) => {
  for (const status of ['active', 'idle'] as const) {
    const { clock, host, done, store, begin } = setUp();
    begin(status);
    host.send('s', { type: 'forget' });
    clock.advance(OFFLINE_AFTER * 2);
    t.same(done, ['s forgotten']);
    t.equal(store.size, 0);
  }
});

void t.test(
  'report times are written at most once per 55 s, changes of state always',
  async (t) => {
    const { clock, begin, ping, newest, store, writesSoFar } = setUp();
    begin('idle');
    for (let i = 0; i < 5; i++) {
      clock.advance(10_000);
      ping('idle');
    }
    t.equal(writesSoFar(), 1);
    t.equal(newest.get('s')?.context.last_seen_at, START + 50_000, 'memory has the newest');
    clock.advance(5000);
    ping('idle');
    t.equal(writesSoFar(), 2);
    ping('active');
    t.equal(writesSoFar(), 3);
    t.equal(store.get('s')?.value, 'active');
  },
);

void t.test('every state survives JSON and a restart', async (t) => {
  for (const status of ['active', 'idle'] as const) {
    const before = setUp();
    before.begin(status);
    const text = JSON.stringify(before.newest.get('s'));
    const stored = (): ActorSnapshot<PresenceSessionContext> => JSON.parse(text) as never;

    const soon = setUp(START + 20_000);
    soon.restore('s', stored());
    t.equal(soon.state(), status);
    soon.clock.advance(OFFLINE_AFTER - 20_000 + 2 * TICK);
    t.same(soon.done, ['s offline']);

    const late = setUp(START + 10 * OFFLINE_AFTER);
    late.restore('s', stored());
    late.clock.advance(2 * TICK);
    t.same(
      late.done,
      ['s offline'],
      'a long silence is over as soon as the wheel has turned twice',
    );
  }
});

void t.test(
  'a clock that was set while a session waits makes it neither early nor late',
  async (t) => {
    for (const hours of [-1, 1]) {
      const clock = new SimulatedClock(START);
      let ahead = 0;
      const wall = (): number => clock.now() + ahead;
      const { host, valueOf, done } = storedHost(createPresenceSessionMachine(), clock, { wall });
      host.begin('s', { user_id: 7, client: 'web', now: storedTime(wall()) });
      host.send('s', { type: 'ping', status: 'active', now: storedTime(wall()) });
      ahead = hours * 3_600_000;
      clock.advance(IDLE_AFTER - 1);
      t.equal(valueOf('s'), 'active');
      clock.advance(1 + 2 * TICK);
      t.equal(valueOf('s') ?? 'offline', hours < 0 ? 'idle' : 'offline', `${hours} h`);
      t.same(
        done,
        hours < 0 ? [] : ['s offline'],
        'by a clock that was set forward it was seen long ago',
      );
    }
  },
);

void t.test('timing that leaves no active time is refused', async (t) => {
  for (const offlineThresholdMs of [70_000, Number.NaN]) {
    const timing = { ...DEFAULT_PRESENCE_TIMING, offlineThresholdMs };
    t.throws(() => createPresenceSessionMachine(timing), RangeError);
  }
});
