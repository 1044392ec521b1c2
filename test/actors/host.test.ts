import t from 'tap';
import { ActorRestoreError, type PersistedActor } from '../../actors/host.js';
import { lamp, press, START, TICK, setUpLamps as setUp } from './fixtures/lamp.js';

void t.test('an actor is spawned, counted, persisted and told of its deadline', async (t) => {
  const { clock, host, wheel, log, store } = setUp();
  host.spawn('a', { id: 'a', deadline: null });
  t.same(host.countByState(), { off: 1 });
  t.equal(wheel.size, 0);
  t.equal(host.send('a', press(START + 1000)), true);
  t.equal(host.valueOf('a'), 'on');
  t.same(host.countByState(), { on: 1 });
  t.same(store.get('a'), {
    machine: 'lamp',
    version: 2,
    value: 'on',
    context: { id: 'a', deadline: START + 1000, presses: 1 },
  });
  t.same(host.snapshotOf('a'), store.get('a'));
  clock.advance(1000 + TICK);
  t.equal(host.valueOf('a'), 'off');
  t.same(log, ['a off', 'a on', 'a off']);
  t.equal(wheel.size, 0, 'a deadline that was cleared is disarmed');
  t.equal(clock.pending, 0);
});

void t.test('a final state drops the actor, persists null and reports it', async (t) => {
  const { clock, host, wheel, store, done } = setUp();
  host.spawn('a', { id: 'a', deadline: START + 10 });
  t.ok(store.has('a'));
  clock.advance(2 * TICK);
  t.same(done, ['a done']);
  t.equal(store.size, 0);
  t.equal(host.size, 0);
  t.same(host.countByState(), {});
  t.equal(wheel.size, 0);
  t.equal(host.send('a', press(null)), false, 'a send to an actor that is gone says so');
  host.spawn('a', { id: 'a', deadline: null });
  t.equal(host.size, 1, 'the id is free again');
});

void t.test('only changes of the durable part are written', async (t) => {
  const all = setUp();
  all.host.spawn('a', { id: 'a', deadline: null });
  all.host.send('a', { type: 'note' });
  all.host.send('a', { type: 'run' });
  t.equal(all.written(), 2, 'by default every change of context, and nothing else');

  const some = setUp({}, { sameDurable: (stored, current) => stored.value === current.value });
  some.host.spawn('a', { id: 'a', deadline: null });
  some.host.send('a', { type: 'note' });
  t.equal(some.written(), 1);
  some.host.send('a', press(null));
  t.equal(some.written(), 2);
  t.equal(some.store.get('a')?.context.presses, 2, 'the rest is written along');
});

void t.test('a failed write is reported, costs no actor, and is tried again', async (t) => {
  let full = true;
  const written: string[] = [];
  const { host, errors } = setUp({
    persist(_id, persisted) {
      if (full) throw new Error('disk full');
      written.push(persisted?.value ?? 'null');
    },
  });
  host.spawn('a', { id: 'a', deadline: null });
  t.same(errors, [['a', 'disk full']]);
  full = false;
  host.send('a', { type: 'run' });
  t.same(written, ['off']);
});

void t.test('a restored actor keeps its state and does not replay entry actions', async (t) => {
  const { clock, host, log, written } = setUp();
  const document = lamp('on', START + 5000);
  host.restore('a', document);
  t.equal(host.valueOf('a'), 'on');
  t.same(log, []);
  t.equal(written(), 0, 'what was just read is not written back');
  t.same(host.snapshotOf('a'), document);
  clock.advance(4999);
  t.equal(host.valueOf('a'), 'on');
  clock.advance(1 + TICK);
  t.same(log, ['a off']);
  t.same(document, lamp('on', START + 5000), 'the document was copied, not adopted');
});

void t.test(
  'a deadline that passed while the process was down fires on the next tick',
  async (t) => {
    const { clock, host } = setUp();
    host.restore('a', lamp('on', START - 86_400_000));
    t.equal(host.valueOf('a'), 'on', 'not inside restore');
    clock.advance(TICK);
    t.equal(host.valueOf('a'), 'off');
  },
);

void t.test('a machine that leaves its deadline in the past is told on every tick', async (t) => {
  const { clock, host } = setUp({}, { deadlineEvent: () => ({ type: 'note' }) });
  host.spawn('a', { id: 'a', deadline: START });
  clock.advance(3 * TICK);
  t.equal(host.snapshotOf('a')?.context.presses, 3);
});

void t.test('documents that cannot become an actor are refused', async (t) => {
  const { host } = setUp();
  const refused: [PersistedActor, RegExp][] = [
    [lamp('on', null, { machine: 'door' }), /machine door is no lamp/],
    [lamp('on', null, { version: 1 }), /migrate version 1 of machine lamp to version 2/],
    [lamp('dim', null), /no state dim/],
    [lamp('toString', null), /no state toString/],
    [lamp('done', null), /finished in state done/],
  ];
  for (const [document, message] of refused) {
    t.throws(() => host.restore('a', document), ActorRestoreError);
    t.throws(() => host.restore('a', document), { message });
  }
  t.equal(host.size, 0);
});

void t.test('a document of an older version is migrated and written', async (t) => {
  const { host, store } = setUp(
    {},
    { migrate: (old) => ({ ...old, version: old.version + 1, value: 'on' }) },
  );
  host.restore('a', lamp('bright', null, { version: 1 }));
  t.equal(host.valueOf('a'), 'on');
  t.same(store.get('a'), lamp('on', null));
  t.throws(() => host.restore('b', lamp('bright', null, { version: 0 })), ActorRestoreError);
});

void t.test('an id is taken once', async (t) => {
  const { host } = setUp();
  host.spawn('a', { id: 'a', deadline: null });
  t.throws(() => host.spawn('a', { id: 'a', deadline: null }), /already/);
  t.throws(() => host.restore('a', lamp('on', null)), /already/);
  t.throws(() => host.adopt('a', null), /already/);
  host.passivate('a');
  t.throws(() => host.spawn('a', { id: 'a', deadline: null }), /already/);
});

void t.test('an error in an action removes only that actor, and is reported', async (t) => {
  const { clock, host, wheel, errors, store } = setUp();
  host.spawn('a', { id: 'a', deadline: START + 1000 });
  host.spawn('b', { id: 'b', deadline: null });
  host.send('a', { type: 'break' });
  t.same(errors, [['a', 'broken lamp']]);
  t.notOk(host.isLive('a'));
  t.equal(wheel.size, 0);
  t.same(host.countByState(), { off: 1 });
  t.ok(store.has('a'), 'the document is the caller’s to judge');
  t.equal(host.send('a', press(null)), false);
  clock.advance(10_000);
  t.equal(errors.length, 1);
  t.equal(host.send('b', press(null)), true);
});

void t.test('an error while an actor starts is reported', async (t) => {
  const { host, errors } = setUp();
  host.spawn('a', { id: '', deadline: null });
  t.same(errors, [['a', 'no id']]);
  t.equal(host.size, 0);
});

void t.test('errors of the callbacks themselves stay inside', async (t) => {
  let reports = 0;
  const { clock, host } = setUp({
    onDone() {
      throw new Error('onDone');
    },
    onError() {
      reports++;
      throw new Error('onError');
    },
  });
  host.spawn('a', { id: 'a', deadline: START });
  clock.advance(TICK);
  t.equal(reports, 1);
  host.spawn('b', { id: 'b', deadline: null });
  host.send('b', { type: 'break' });
  t.equal(reports, 2);
  t.equal(host.size, 0);
});

void t.test(
  'a delayed transition fails loudly, since it would not survive a restart',
  async (t) => {
    const { host, errors } = setUp();
    host.spawn('a', { id: 'a', deadline: null });
    host.send('a', { type: 'wait' });
    t.match(errors, [['a', /not durable/]]);
    t.notOk(host.isLive('a'));
  },
);

void t.test('stop forgets an actor and its deadline without a word', async (t) => {
  const { clock, host, wheel, done, store } = setUp();
  host.spawn('live', { id: 'live', deadline: START + 1000 });
  host.spawn('passive', { id: 'passive', deadline: START + 1000 });
  host.passivate('passive');
  t.equal(host.stop('live'), true);
  t.equal(host.stop('passive'), true);
  t.equal(host.stop('passive'), false);
  t.equal(wheel.size, 0);
  clock.advance(10_000);
  t.same(done, []);
  t.equal(store.size, 2);
  t.equal(host.send('passive', { type: 'note' }), false);
});

void t.test('an action may stop its own actor or send to it, but not passivate it', async (t) => {
  const { host, hooks, errors, written, done } = setUp();
  host.spawn('a', { id: 'a', deadline: null });
  hooks.run = () => host.send('a', press(null));
  host.send('a', { type: 'run' });
  t.equal(host.valueOf('a'), 'on', 'the nested event was handled after the first');

  const before = written();
  hooks.run = () => host.stop('a');
  host.send('a', { type: 'run' });
  t.notOk(host.has('a'));
  t.equal(written(), before);

  host.spawn('a', { id: 'a', deadline: null });
  hooks.run = () => host.passivate('a');
  host.send('a', { type: 'run' });
  t.match(errors, [['a', /cannot be passivated/]]);
  t.same(done, []);
});

void t.test('after stopAll the host holds nothing and starts nothing', async (t) => {
  const { clock, host, wheel, log } = setUp({ restoreWith: () => lamp('on', START) });
  host.spawn('a', { id: 'a', deadline: START + 1000 });
  host.adopt('b', START + 1000);
  host.stopAll();
  t.equal(host.size, 0);
  t.equal(host.send('a', press(null)), false);
  t.throws(() => host.spawn('c', { id: 'c', deadline: null }), /stopped/);
  clock.advance(10_000);
  t.same(log, ['a off']);
  t.equal(wheel.size, 0);
});

void t.test('hosts on one wheel do not disturb each other', async (t) => {
  const { clock, wheel, host } = setUp();
  const other = setUp({ wheel, clock });
  host.spawn('a', { id: 'a', deadline: START + 1000 });
  other.host.spawn('a', { id: 'a', deadline: START + 2000 });
  t.equal(wheel.size, 2);
  host.stop('a');
  clock.advance(1000 + TICK);
  t.equal(other.host.valueOf('a'), 'off');
  clock.advance(1000);
  t.same(other.done, ['a done']);
});
