import t from 'tap';
import type { PersistedActor } from '../../actors/host.js';
import { lamp, press, START, TICK, setUpLamps as setUp } from './fixtures/lamp.js';

void t.test('a passivated actor is restored by the next event', async (t) => {
  const { host, log } = setUp();
  host.spawn('a', { id: 'a', deadline: null });
  host.send('a', press(START + 9000));
  const document = host.passivate('a');
  t.same(
    document,
    lamp('on', START + 9000, { context: { id: 'a', deadline: START + 9000, presses: 1 } }),
  );
  t.equal(host.size, 0);
  t.notOk(host.isLive('a'));
  t.ok(host.has('a'));
  t.equal(host.valueOf('a'), 'on');
  t.same(host.snapshotOf('a'), document);
  t.equal(host.passivate('a'), undefined);
  log.length = 0;
  t.equal(host.send('a', { type: 'note' }), true);
  t.same(log, []);
  t.same(host.snapshotOf('a')?.context, { id: 'a', deadline: START + 9000, presses: 2 });
});

void t.test('a passivated actor is restored by its deadline', async (t) => {
  const { clock, host, wheel } = setUp();
  host.spawn('a', { id: 'a', deadline: null });
  host.send('a', press(START + 9000));
  host.passivate('a');
  t.equal(wheel.size, 1);
  clock.advance(8999);
  t.notOk(host.isLive('a'));
  clock.advance(1 + TICK);
  t.ok(host.isLive('a'));
  t.equal(host.valueOf('a'), 'off');
  t.equal(wheel.size, 0);
});

void t.test('lazily restored actors cost the host nothing but a deadline', async (t) => {
  const records = new Map<string, PersistedActor>();
  const read: string[] = [];
  const { clock, host, wheel } = setUp({
    restoreWith(id) {
      read.push(id);
      return records.get(id);
    },
  });
  for (let i = 0; i < 1000; i++) {
    const deadline = START + 60_000 + i * 1000;
    records.set(`l${i}`, lamp('on', deadline));
    host.adopt(`l${i}`, deadline);
  }
  t.equal(host.size, 0);
  t.equal(wheel.size, 1000);
  t.same(read, []);
  t.equal(host.send('l500', { type: 'note' }), true);
  t.same(read, ['l500']);
  clock.advance(60_000 + TICK);
  t.same(read, ['l500', 'l0']);
  t.equal(host.valueOf('l0'), 'off');
  t.equal(host.send('unknown', { type: 'note' }), false);
  t.notOk(host.has('unknown'));

  const document = host.passivate('l500');
  records.delete('l500');
  t.equal(document?.context.presses, 8);
  t.notOk(host.has('l500'), 'the caller was given the only copy');
});

void t.test('a lazily read document decides about the deadline', async (t) => {
  const records = new Map([
    ['later', lamp('on', START + 50_000)],
    ['never', lamp('on', null)],
  ]);
  const { clock, host, wheel } = setUp({ restoreWith: (id) => records.get(id) });
  for (const id of ['later', 'never', 'lost']) host.adopt(id, START + 10);
  clock.advance(2 * TICK);
  t.same([host.valueOf('later'), host.valueOf('never')], ['on', 'on']);
  t.equal(wheel.size, 1);
  clock.advance(50_000);
  t.same([host.valueOf('later'), host.valueOf('never')], ['off', 'on']);
});

void t.test('a deadline the document no longer has is disarmed when it is read', async (t) => {
  const { host, wheel } = setUp({ restoreWith: () => lamp('on', null) });
  host.adopt('a', START + 60_000);
  t.equal(wheel.size, 1);
  host.send('a', { type: 'note' });
  t.equal(wheel.size, 0);
});

void t.test('a document that cannot be restored lazily is reported', async (t) => {
  const { clock, host, errors } = setUp({ restoreWith: () => lamp('dim', null) });
  host.adopt('a', START);
  clock.advance(TICK);
  t.match(errors, [['a', /no state dim/]]);
  t.equal(host.send('a', { type: 'note' }), false);
  t.equal(errors.length, 2);
});
