import t from 'tap';
import { MAX_TIMER_MS } from '../../actors/clock.js';
import { createScheduledMessageMachine } from '../../actors/scheduled-message.js';
import { SimulatedClock } from '../../actors/simulated-clock.js';
import { storedHost } from './fixtures/stored-host.js';

const START = 1_800_000_000_000;
const TICK = 250;
const DAY = 86_400_000;

function setUp(deliver: (id: string) => void = () => undefined) {
  const clock = new SimulatedClock(START);
  const begun: [id: string, at: number][] = [];
  const kind = createScheduledMessageMachine({
    deliver: (id) => {
      begun.push([id, clock.now() - START]);
      deliver(id);
    },
  });
  const { host, errors, done } = storedHost(kind, clock);
  const spawn = (dueIn: number, id = 'm'): void =>
    host.spawn(id, { id, due_at: START + dueIn, now: clock.now() });
  const edit = (dueIn: number): boolean =>
    host.send('m', { type: 'edit', due_at: START + dueIn, now: clock.now() });
  return { clock, host, begun, done, errors, spawn, edit };
}

void t.test('pending until its time, then delivering', async (t) => {
  const { clock, host, begun, done, spawn } = setUp();
  spawn(1000);
  t.equal(host.valueOf('m'), 'pending');
  clock.advance(999);
  t.same(begun, []);
  clock.advance(1);
  t.same(begun, [['m', 1000]]);
  t.equal(host.valueOf('m'), 'delivering');
  clock.advance(60_000);
  t.equal(begun.length, 1, 'delivery begins once');
  host.send('m', { type: 'delivered' });
  t.same(done, ['m sent']);
  t.equal(host.size, 0);
});

void t.test('delivered at once when its time has come already', async (t) => {
  const { begun, host, spawn } = setUp();
  spawn(0, 'now');
  spawn(-5000, 'before');
  t.same(begun, [
    ['now', 0],
    ['before', 0],
  ]);
  t.same(host.countByState(), { delivering: 2 });
});

void t.test('a refused delivery ends as failed', async (t) => {
  const { host, done, spawn } = setUp();
  spawn(0);
  host.send('m', { type: 'refused' });
  t.same(done, ['m failed']);
});

void t.test('pending can be edited', async (t) => {
  const { clock, begun, spawn, edit } = setUp();
  spawn(1000);
  edit(5000);
  clock.advance(4999);
  t.same(begun, [], 'later');
  edit(4999);
  clock.advance(TICK);
  t.equal(begun.length, 1, 'and earlier, on the next tick');
});

void t.test('an edit that races delivery takes it back, if its time is later', async (t) => {
  const { clock, host, begun, spawn, edit } = setUp();
  spawn(0);
  edit(0);
  t.equal(host.valueOf('m'), 'delivering', 'an edit to a time that has come');
  edit(2000);
  t.equal(host.valueOf('m'), 'pending');
  clock.advance(2000);
  t.same(begun, [
    ['m', 0],
    ['m', 2000],
  ]);
  t.notOk(host.send('x', { type: 'delivered' }));
});

void t.test('cancelled while pending and while delivering', async (t) => {
  const { clock, host, begun, done, spawn } = setUp();
  spawn(1000);
  host.send('m', { type: 'cancel' });
  clock.advance(2000);
  t.same(begun, []);
  spawn(0, 'n');
  host.send('n', { type: 'cancel' });
  t.same(done, ['m cancelled', 'n cancelled']);
});

void t.test('a time beyond what timers take', async (t) => {
  const { clock, begun, spawn } = setUp();
  const far = 40 * DAY;
  t.ok(far > MAX_TIMER_MS);
  spawn(far);
  clock.advance(far - 1);
  t.same(begun, []);
  clock.advance(TICK);
  t.equal(begun.length, 1);
});

void t.test('the clock may be set', async (t) => {
  const { clock, begun, spawn } = setUp();
  spawn(3_600_000);
  clock.jumpTo(START - 7_200_000);
  clock.advance(3_600_000);
  t.same(begun, [], 'backwards: it waits for the time on the clock');
  clock.jumpTo(START + 3_600_000);
  clock.advance(600_000);
  t.equal(begun.length, 1, 'forwards: the wheel looks at the clock now and then');
});

void t.test('a delivery may end while it begins', async (t) => {
  const { host, done, errors, spawn } = setUp((id) => host.send(id, { type: 'delivered' }));
  spawn(0);
  t.same(done, ['m sent']);
  t.same(errors, []);
});
