import t from 'tap';
import { ActorRestoreError, type ActorSnapshot } from '../../actors/host.js';
import { lamp, press, START, TICK, setUpLamps as setUp } from './fixtures/lamp.js';

void t.test('an actor begins, is kept, and is told of its deadline', async (t) => {
  const { clock, host, wheel, log, store, valueOf } = setUp();
  host.begin('a', { id: 'a', deadline: null });
  t.equal(wheel.size, 0);
  t.equal(host.send('a', press(START + 1000)), true);
  t.equal(valueOf('a'), 'on');
  t.same(store.get('a'), {
    machine: 'lamp',
    version: 2,
    value: 'on',
    context: { id: 'a', deadline: START + 1000, presses: 1 },
  });
  clock.advance(1000 + TICK);
  t.equal(valueOf('a'), 'off');
  t.same(log, ['a off', 'a on', 'a off']);
  t.equal(wheel.size, 0, 'a deadline that was cleared is disarmed');
  t.equal(clock.pending, 0);
});

void t.test('a final state ends the actor, whose id is free again', async (t) => {
  const { clock, host, wheel, store, done } = setUp();
  host.begin('a', { id: 'a', deadline: START + 10 });
  t.ok(store.has('a'));
  clock.advance(2 * TICK);
  t.same(done, ['a done']);
  t.equal(store.size, 0);
  t.equal(wheel.size, 0);
  t.equal(host.send('a', press(null)), false, 'an event for an actor that is gone says so');
  host.begin('a', { id: 'a', deadline: null });
  t.equal(host.send('a', press(null)), true);
});

void t.test('only changes of the durable part are written', async (t) => {
  const all = setUp();
  all.host.begin('a', { id: 'a', deadline: null });
  all.host.send('a', { type: 'note' });
  all.host.send('a', { type: 'run' });
  t.equal(all.writesSoFar(), 2, 'by default every change of context, and nothing else');

  const some = setUp({}, { sameDurable: (stored, current) => stored.value === current.value });
  some.host.begin('a', { id: 'a', deadline: null });
  some.host.send('a', { type: 'note' });
  t.equal(some.writesSoFar(), 1);
  some.host.send('a', press(null));
  t.equal(some.writesSoFar(), 2);
  t.equal(some.store.get('a')?.context.presses, 2, 'the rest is written along');
});

void t.test('what cannot be kept changes nothing and has no effect', async (t) => {
  const { host, log, newest } = setUp({
    snapshots: {
      get: (id) => newest.get(id),
      put: () => {
        throw new Error('disk full');
      },
      end: () => undefined,
    },
  });
  newest.set('a', lamp('off', null));
  t.throws(() => host.send('a', press(null)), /disk full/);
  t.same(log, []);
});

void t.test('a restored actor keeps its state and does not repeat entry actions', async (t) => {
  const { clock, log, restore, valueOf, writesSoFar } = setUp();
  restore('a', lamp('on', START + 5000));
  t.same(log, []);
  t.equal(writesSoFar(), 0, 'what was just read is not written back');
  clock.advance(4999);
  t.equal(valueOf('a'), 'on');
  clock.advance(1 + TICK);
  t.same(log, ['a off']);
});

void t.test(
  'a deadline that passed while the process was down fires on the next tick',
  async (t) => {
    const { clock, restore, valueOf } = setUp();
    restore('a', lamp('on', START - 86_400_000));
    t.equal(valueOf('a'), 'on', 'not inside restore');
    clock.advance(TICK);
    t.equal(valueOf('a'), 'off');
  },
);

void t.test('a machine that leaves its deadline in the past is told on every tick', async (t) => {
  const { clock, host, newest } = setUp({}, { deadlineEvent: () => ({ type: 'note' }) });
  host.begin('a', { id: 'a', deadline: START });
  clock.advance(3 * TICK);
  t.equal(newest.get('a')?.context.presses, 3);
});

void t.test('snapshots that are not of the machine are refused', async (t) => {
  const { host, wheel } = setUp();
  const refused: [ActorSnapshot<{ id: string; deadline: null; presses: number }>, RegExp][] = [
    [{ ...lamp('on', null), machine: 'door' } as never, /is of machine door, not lamp/],
    [{ ...lamp('on', null), version: 1 } as never, /has version 1 of machine lamp/],
    [lamp('dim', null) as never, /has state dim/],
    [lamp('toString', null) as never, /has state toString/],
  ];
  for (const [snapshot, message] of refused) {
    t.throws(() => host.restore('a', snapshot), ActorRestoreError);
    t.throws(() => host.restore('a', snapshot), { message });
  }
  host.restore('a', lamp('done', START));
  t.equal(wheel.size, 0, 'an actor that has ended waits for nothing');
});

void t.test('an event that the state does not take changes nothing', async (t) => {
  const { host, restore, newest, writesSoFar } = setUp();
  for (const value of ['on', 'done']) {
    restore('a', lamp(value, null));
    const before = newest.get('a');
    t.equal(host.can('a', press(null)), false);
    t.equal(host.send('a', press(null)), false);
    t.equal(newest.get('a'), before);
  }
  restore('a', lamp('off', null));
  t.equal(host.can('a', press(null)), true);
  t.equal(host.can('nobody', press(null)), false);
  t.equal(writesSoFar(), 0);
});

void t.test('an error in an action is thrown to who sent the event', async (t) => {
  const { host } = setUp();
  host.begin('a', { id: 'a', deadline: null });
  t.throws(() => host.send('a', { type: 'break' }), /broken lamp/);
  t.equal(host.send('a', press(null)), true, 'and the actor goes on');
});

void t.test('an error at a deadline is reported, and tried again a minute later', async (t) => {
  const { clock, host, errors } = setUp({}, { deadlineEvent: () => ({ type: 'break' }) });
  host.begin('a', { id: 'a', deadline: START + 1000 });
  host.begin('b', { id: 'b', deadline: null });
  clock.advance(2000);
  t.same(errors[0], ['a', 'broken lamp']);
  t.equal(host.send('b', press(null)), true);
});

void t.test('a deadline that an event moved before it was handled does not fire', async (t) => {
  const due: string[][] = [];
  const { clock, host, valueOf } = setUp({ due: (ids) => void due.push([...ids]) });
  host.begin('a', { id: 'a', deadline: null });
  host.send('a', press(START + 1000));
  clock.advance(1000 + TICK);
  t.same(due, [['a']], 'the owner is told, and opens a transaction');
  host.arm('a', lamp('on', START + 60_000));
  host.wake('a');
  t.equal(valueOf('a'), 'on');
});

void t.test('deadlines that pass together are told together', async (t) => {
  const due: string[][] = [];
  const { clock, host } = setUp({ due: (ids) => void due.push([...ids]) });
  for (const id of ['a', 'b', 'c']) host.begin(id, { id, deadline: START + 1000 });
  clock.advance(1000 + TICK);
  t.same(due, [['a', 'b', 'c']]);
});

void t.test('a deadline of the wall clock fires in time when that clock is set', async (t) => {
  for (const hours of [-1, 1]) {
    let ahead = 0;
    const { clock, host, valueOf } = setUp({ wall: () => clock.now() + ahead });
    host.begin('a', { id: 'a', deadline: null });
    host.send('a', press(START + 10_000));
    clock.advance(5000);
    ahead = hours * 3_600_000;
    clock.advance(4999);
    t.equal(valueOf('a'), 'on', 'not before');
    clock.advance(1 + TICK);
    t.equal(valueOf('a'), 'off', `${hours} h`);
  }
});

void t.test(
  'a delayed transition fails loudly, since it would not survive a restart',
  async (t) => {
    const { host } = setUp();
    host.begin('a', { id: 'a', deadline: null });
    t.throws(() => host.send('a', { type: 'wait' }), /not durable/);
  },
);

void t.test('an action may send to its own actor', async (t) => {
  const { host, hooks, valueOf } = setUp();
  host.begin('a', { id: 'a', deadline: null });
  hooks.run = () => void host.send('a', press(null));
  host.send('a', { type: 'run' });
  t.equal(valueOf('a'), 'on', 'the nested event was handled after the first');
});

void t.test('a watcher sees each event and the state after it', async (t) => {
  const { host } = setUp();
  const seen: string[] = [];
  host.watcher = (id, event, state) => void seen.push(`${id} ${event} ${state}`);
  host.begin('a', { id: 'a', deadline: null });
  host.send('a', press(null));
  host.send('a', { type: 'note' });
  t.same(seen, ['a press on', 'a note on']);
});

void t.test('a host that has stopped does nothing', async (t) => {
  const { clock, host, log, store } = setUp();
  host.begin('a', { id: 'a', deadline: START + 1000 });
  host.stop();
  t.equal(host.send('a', press(null)), false);
  clock.advance(10_000);
  t.same(log, ['a off']);
  t.equal(store.size, 1, 'the snapshots stay');
});

void t.test('hosts on one wheel do not disturb each other', async (t) => {
  const { clock, wheel, host } = setUp();
  const other = setUp({ wheel, clock });
  host.begin('a', { id: 'a', deadline: START + 1000 });
  other.host.begin('a', { id: 'a', deadline: START + 2000 });
  t.equal(wheel.size, 2);
  host.arm('a', undefined);
  clock.advance(1000 + TICK);
  t.equal(other.valueOf('a'), 'off');
  clock.advance(1000);
  t.same(other.done, ['a done']);
});
