import t from 'tap';
import type { PersistedActor } from '../../actors/host.js';
import {
  createPresenceSessionMachine,
  DEFAULT_PRESENCE_TIMING,
  type PresenceSessionEffects,
  type PresenceStatus,
} from '../../actors/presence-session.js';
import { SimulatedClock } from '../../actors/simulated-clock.js';
import { storedHost } from './fixtures/stored-host.js';

const START = 1_800_000_000_000;
const TICK = 250;
const IDLE_AFTER = 130_000;
const OFFLINE_AFTER = 200_000;

function setUp(overrides: Partial<PresenceSessionEffects> = {}, startMs = START) {
  const clock = new SimulatedClock(startMs);
  const log: string[] = [];
  const kind = createPresenceSessionMachine({
    becameActive: (user, client) => log.push(`${user} ${client} active`),
    becameIdle: (user, client) => log.push(`${user} ${client} idle`),
    wentOffline: (user, client) => log.push(`${user} ${client} offline`),
    ...overrides,
  });
  const { host, store, errors, done, writesSoFar } = storedHost(kind, clock);
  const spawn = (status: PresenceStatus): void =>
    host.spawn('s', { user_id: 7, client: 'web', status, now: clock.now() });
  const ping = (status: PresenceStatus): boolean =>
    host.send('s', { type: 'ping', status, now: clock.now() });
  const state = (): string | undefined => host.valueOf('s');
  return { clock, host, log, done, errors, store, spawn, ping, state, writesSoFar };
}

void t.test('a session starts in the state it reports', async (t) => {
  const active = setUp();
  active.spawn('active');
  t.equal(active.state(), 'active');
  t.same(active.log, ['7 web active']);
  t.same(active.store.get('s')?.context, {
    user_id: 7,
    client: 'web',
    last_active_at: START,
    last_seen_at: START,
    deadline: START + IDLE_AFTER,
  });

  const idle = setUp();
  idle.spawn('idle');
  t.equal(idle.state(), 'idle');
  t.same(idle.log, ['7 web idle']);
  t.equal(idle.store.get('s')?.context.last_active_at, null);
});

void t.test('without reports a session turns idle after 130 s, offline after 200 s', async (t) => {
  const { clock, host, log, done, store, spawn, state } = setUp();
  spawn('active');
  clock.advance(IDLE_AFTER - 1);
  t.equal(state(), 'active');
  clock.advance(1 + TICK);
  t.equal(state(), 'idle');
  clock.advance(OFFLINE_AFTER - IDLE_AFTER - TICK - 1);
  t.equal(state(), 'idle');
  clock.advance(1 + TICK);
  t.same(log, ['7 web active', '7 web idle', '7 web offline']);
  t.same(done, ['s offline']);
  t.notOk(host.has('s'));
  t.equal(store.size, 0);
  clock.advance(OFFLINE_AFTER);
  t.equal(log.length, 3);
});

void t.test('active reports keep a session active without another effect', async (t) => {
  const { clock, log, spawn, ping, state } = setUp();
  spawn('active');
  for (let i = 0; i < 10; i++) {
    clock.advance(60_000);
    ping('active');
  }
  t.equal(state(), 'active');
  t.same(log, ['7 web active']);
});

void t.test('idle reports keep a session online but let it turn idle', async (t) => {
  const { clock, log, spawn, ping, state } = setUp();
  spawn('active');
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
  t.same(log, ['7 web active', '7 web idle', '7 web offline']);
});

void t.test('an active report brings an idle session back', async (t) => {
  const { clock, log, spawn, ping, state } = setUp();
  spawn('idle');
  clock.advance(60_000);
  ping('active');
  t.equal(state(), 'active');
  clock.advance(IDLE_AFTER - 1);
  t.equal(state(), 'active');
  clock.advance(1 + TICK);
  t.same(log, ['7 web idle', '7 web active', '7 web idle']);
});

void t.test('after the end a report begins a new session', async (t) => {
  const { clock, log, spawn, ping } = setUp();
  spawn('active');
  clock.advance(OFFLINE_AFTER + 2 * TICK);
  t.equal(ping('active'), false);
  spawn('active');
  t.same(log.slice(-2), ['7 web offline', '7 web active']);
});

void t.test('a forgotten session ends without an effect', async (t) => {
  for (const status of ['active', 'idle'] as const) {
    const { clock, host, log, done, store, spawn } = setUp();
    spawn(status);
    host.send('s', { type: 'forget' });
    clock.advance(OFFLINE_AFTER * 2);
    t.equal(log.length, 1);
    t.same(done, ['s forgotten']);
    t.equal(store.size, 0);
  }
});

void t.test(
  'report times are written at most once per 55 s, changes of state always',
  async (t) => {
    const { clock, spawn, ping, store, writesSoFar } = setUp();
    spawn('idle');
    for (let i = 0; i < 5; i++) {
      clock.advance(10_000);
      ping('idle');
    }
    t.equal(writesSoFar(), 1);
    clock.advance(5000);
    ping('idle');
    t.equal(writesSoFar(), 2);
    ping('active');
    t.equal(writesSoFar(), 3);
    t.equal(store.get('s')?.value, 'active');
  },
);

void t.test('every state survives JSON and a restart, without replayed effects', async (t) => {
  for (const status of ['active', 'idle'] as const) {
    const before = setUp();
    before.spawn(status);
    const text = JSON.stringify(before.host.snapshotOf('s'));

    const soon = setUp({}, START + 20_000);
    soon.host.restore('s', JSON.parse(text) as PersistedActor);
    t.equal(soon.state(), status);
    t.equal(JSON.stringify(soon.host.snapshotOf('s')), text);
    t.same(soon.log, []);
    soon.clock.advance(OFFLINE_AFTER - 20_000 + 2 * TICK);
    t.equal(soon.log.at(-1), '7 web offline');

    const late = setUp({}, START + 10 * OFFLINE_AFTER);
    late.host.restore('s', JSON.parse(text) as PersistedActor);
    late.clock.advance(TICK);
    t.same(late.log, ['7 web offline'], 'a long silence goes offline directly');
  }
});

void t.test('an error in an effect is reported and ends only the session', async (t) => {
  const { host, errors, spawn } = setUp({
    becameActive() {
      throw new Error('no bus');
    },
  });
  spawn('active');
  t.match(errors, [{ message: 'no bus' }]);
  t.equal(host.size, 0);
});

void t.test('timing that leaves no active time is refused', async (t) => {
  const effects = { becameActive() {}, becameIdle() {}, wentOffline() {} };
  for (const offlineThresholdMs of [70_000, Number.NaN]) {
    const timing = { ...DEFAULT_PRESENCE_TIMING, offlineThresholdMs };
    t.throws(() => createPresenceSessionMachine(effects, timing), RangeError);
  }
});
