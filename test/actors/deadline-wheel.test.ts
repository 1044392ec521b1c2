import fc from 'fast-check';
import t from 'tap';
import { type CancelTimer, type Clock, MAX_TIMER_MS } from '../../actors/clock.js';
import { DeadlineWheel } from '../../actors/deadline-wheel.js';
import { SimulatedClock } from '../fixtures/simulated-clock.js';

const START = Date.UTC(2026, 0, 1) + 137;
const TICK = 250;
const DAY = 24 * 3600 * 1000;

function setUp(options: { tickMs?: number; sliceSize?: number } = {}) {
  const clock = new SimulatedClock(START);
  const errors: unknown[] = [];
  const wheel = new DeadlineWheel(clock, { onError: (error) => errors.push(error), ...options });
  const fired: [key: string, at: number][] = [];
  const fire = (key: string): void => void fired.push([key, clock.now()]);
  return { clock, wheel, errors, fired, fire };
}

/** Some time in 2027. */
const START_OF_STEPS = 1_800_000_000_000;

void t.test('a deadline fires once, not early, and at most one tick late', async (t) => {
  const { clock, wheel, fired, fire } = setUp();
  wheel.arm('a', START + 1000, fire);
  clock.advance(999);
  t.same(fired, []);
  t.ok(wheel.has('a'));
  clock.advance(1 + TICK);
  t.equal(fired.length, 1);
  t.ok((fired[0]?.[1] ?? 0) >= START + 1000);
  t.notOk(wheel.has('a'));
  clock.advance(DAY);
  t.equal(fired.length, 1);
});

void t.test('a deadline already past fires on the next tick, never inside arm', async (t) => {
  const { clock, wheel, fired, fire } = setUp();
  wheel.arm('past', START - 5 * DAY, fire);
  wheel.arm('ancient', -1, fire);
  wheel.arm('now', START, fire);
  t.same(fired, []);
  clock.advance(TICK);
  t.same(fired.map(([key]) => key).sort(), ['ancient', 'now', 'past']);
});

void t.test('re-arming replaces time and callback; disarming forgets', async (t) => {
  const { clock, wheel, fired, fire } = setUp();
  wheel.arm('later', START + 1000, () => t.fail('the replaced callback'));
  wheel.arm('later', START + 60_000, fire);
  wheel.arm('sooner', START + 60_000, fire);
  wheel.arm('sooner', START + 500, fire);
  wheel.arm('same', START + 700, () => t.fail('the replaced callback'));
  wheel.arm('same', START + 700, fire);
  wheel.arm('gone', START + 1000, fire);
  t.equal(wheel.disarm('gone'), true);
  t.equal(wheel.disarm('gone'), false);
  t.equal(wheel.size, 3);
  clock.advance(1000 + TICK);
  t.same(
    fired.map(([key]) => key),
    ['sooner', 'same'],
  );
  clock.advance(60_000);
  t.equal(fired.length, 3);
  t.equal(wheel.size, 0);
});

void t.test('one timer at most, and none while nothing is armed', async (t) => {
  const { clock, wheel, fire } = setUp();
  t.equal(clock.pending, 0);
  for (let i = 0; i < 100; i++) wheel.arm(`k${i}`, START + (100 - i) * 10_000, fire);
  t.equal(clock.pending, 1);
  clock.advance(500_000);
  t.equal(clock.pending, 1);
  for (let i = 0; i < 100; i++) wheel.disarm(`k${i}`);
  t.equal(clock.pending, 0);
  wheel.arm('again', clock.now() + 10, fire);
  clock.advance(2 * TICK);
  t.equal(clock.pending, 0);
});

void t.test('deadlines 40 days and 3 years away fire in time, without a long timer', async (t) => {
  const { clock, wheel, fired, fire } = setUp();
  const dues = [40 * DAY, 3 * 365 * DAY, 30 * DAY + 1].map((delay) => START + delay);
  dues.forEach((due, index) => wheel.arm(String(index), due, fire));
  clock.advance(3 * 365 * DAY + TICK);
  t.same(
    fired.map(([key]) => key),
    ['2', '0', '1'],
  );
  for (const [key, at] of fired) {
    const late = at - (dues[Number(key)] ?? 0);
    t.ok(late >= 0 && late <= TICK, `${late} ms late`);
  }
});

void t.test('the last instant a Date can name is accepted, and nothing beyond', async (t) => {
  const { clock, wheel, fire } = setUp({ tickMs: 1 });
  wheel.arm('end', 8.64e15, fire);
  t.ok(clock.pending === 1);
  for (const wrong of [8.64e15 + 1, Infinity, Number.NaN]) {
    t.throws(() => wheel.arm('wrong', wrong, fire), RangeError);
  }
  t.equal(wheel.size, 1);
});

void t.test('settings that cannot work are refused', async (t) => {
  for (const options of [{ tickMs: 0 }, { tickMs: 0.5 }, { sliceSize: 0 }]) {
    t.throws(() => setUp(options), RangeError);
  }
});

void t.test('100,000 deadlines at one instant fire in slices, with turns between', async (t) => {
  const simulated = new SimulatedClock(START);
  let slice = 0;
  let slices = 1;
  let largestSlice = 0;
  const clock: Clock = {
    now: () => simulated.now(),
    setTimer: (delayMs, fn) => simulated.setTimer(delayMs, fn),
    defer(fn) {
      slices++;
      slice = 0;
      return simulated.defer(fn);
    },
  };
  const wheel = new DeadlineWheel(clock, { onError: (error) => t.fail(String(error)) });
  const keys = new Set<string>();
  const fire = (key: string): void => {
    keys.add(key);
    largestSlice = Math.max(largestSlice, ++slice);
  };
  for (let i = 0; i < 100_000; i++) wheel.arm(`k${i}`, START + 100_000, fire);
  simulated.advance(99_999);
  t.equal(keys.size, 0);
  t.equal(slices, 20, 'moving deadlines to a lower level is sliced as well');
  simulated.advance(1 + TICK);
  t.equal(keys.size, 100_000);
  t.equal(largestSlice, 5000);
  t.equal(slices, 39);
  t.equal(simulated.pending, 0);
});

void t.test('an error in a callback is reported and stops no other', async (t) => {
  const { clock, wheel, errors, fired, fire } = setUp();
  wheel.arm('a', START + 10, fire);
  wheel.arm('bad', START + 10, () => {
    throw new Error('boom');
  });
  wheel.arm('b', START + 10, fire);
  clock.advance(2 * TICK);
  t.match(errors, [{ message: 'boom' }]);
  t.same(
    fired.map(([key]) => key),
    ['a', 'b'],
  );
});

void t.test('a callback may disarm and arm others, and itself', async (t) => {
  const { clock, wheel, fired, fire } = setUp();
  let again = 0;
  wheel.arm('first', START + 10, () => {
    wheel.disarm('second');
    wheel.arm('third', START + 20_000, fire);
  });
  wheel.arm('second', START + 10, fire);
  wheel.arm('third', START + 10, fire);
  wheel.arm('self', START + 10, function self(key) {
    if (++again < 5) wheel.arm(key, START, self);
  });
  clock.advance(2 * TICK);
  t.same(fired, []);
  t.ok(again <= 2, 'a deadline in the past waits for the next tick, even when armed by a callback');
  clock.advance(4 * TICK);
  t.equal(again, 5);
  clock.advance(20_000);
  t.same(
    fired.map(([key]) => key),
    ['third'],
  );
});

void t.test('key sets of one wheel do not see each other', async (t) => {
  const { clock, wheel, fired, fire } = setUp();
  const one = wheel.keySet();
  const two = wheel.keySet();
  one.arm('k', START + 10, fire);
  two.arm('k', START + 60_000, fire);
  wheel.arm('k', START + 60_000, fire);
  t.equal(wheel.size, 3);
  t.equal(two.disarm('k'), true);
  t.same([one.has('k'), two.has('k'), wheel.has('k')], [true, false, true]);
  clock.advance(2 * TICK);
  t.same([one.size, two.size, wheel.size, fired.length], [0, 0, 1, 1]);
  t.equal(clock.pending, 1);
});

void t.test('after stop nothing fires and nothing is armed', async (t) => {
  const { clock, wheel, fired, fire } = setUp();
  wheel.arm('a', START + 10, () => wheel.stop());
  wheel.arm('b', START + 10, fire);
  wheel.keySet().arm('c', START + 10, fire);
  clock.advance(2 * TICK);
  wheel.arm('d', START + 10, fire);
  clock.advance(DAY);
  t.same(fired, []);
  t.equal(wheel.size, 0);
  t.equal(clock.pending, 0);
});

void t.test(
  'corrections of the wall clock make no deadline early, and late by no more',
  async (t) => {
    const { clock, wheel, fired, fire } = setUp();
    wheel.arm('a', START + 3600_000, fire);
    clock.jumpTo(START - 7200_000);
    clock.advance(7200_000 + 3599_000);
    t.same(fired, []);
    clock.advance(1000 + TICK);
    t.equal(fired.length, 1);

    wheel.arm('b', clock.now() + 20 * DAY, fire);
    clock.jumpTo(clock.now() + 21 * DAY);
    clock.advance(10 * 60_000);
    t.equal(fired.length, 2, 'a step forward is noticed within minutes');
  },
);

void t.test('a timer that comes a little early does not make a deadline early', async (t) => {
  const simulated = new SimulatedClock(START);
  const hasty: Clock = {
    now: () => simulated.now(),
    defer: (fn) => simulated.defer(fn),
    setTimer(delayMs, fn): CancelTimer {
      t.ok(delayMs <= MAX_TIMER_MS);
      return simulated.setTimer(delayMs > 1 ? delayMs - 1 : delayMs, fn);
    },
  };
  const wheel = new DeadlineWheel(hasty, { onError: (error) => t.fail(String(error)) });
  const fired: number[] = [];
  wheel.arm('a', START + 1000, () => fired.push(simulated.now()));
  simulated.advance(999);
  t.same(fired, []);
  simulated.advance(1 + TICK);
  t.equal(fired.length, 1);
});

type Step =
  | { readonly do: 'arm'; readonly key: number; readonly delay: number }
  | { readonly do: 'disarm'; readonly key: number }
  | { readonly do: 'advance'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('arm' as const),
    key: fc.integer({ min: 0, max: 20 }),
    delay: fc.oneof(
      fc.integer({ min: -5000, max: 20_000 }),
      fc.integer({ min: 0, max: 3 * 3600_000 }),
      fc.integer({ min: 0, max: 40 * DAY }),
    ),
  }),
  fc.record({ do: fc.constant('disarm' as const), key: fc.integer({ min: 0, max: 20 }) }),
  fc.record({
    do: fc.constant('advance' as const),
    ms: fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: DAY })),
  }),
);

void t.test('property: whatever is done, each deadline fires once, on time', async () => {
  const run = (steps: readonly Step[], sliceSize: number): void => {
    const { clock, wheel, errors } = setUp({ sliceSize });
    const expected = new Map<string, number>();
    const fire = (key: string): void => {
      const due = expected.get(key);
      if (due === undefined) throw new Error(`${key} is not armed`);
      const late = clock.now() - due;
      if (late < 0 || late > TICK) throw new Error(`${key} is ${late} ms late`);
      expected.delete(key);
    };
    for (const step of steps) {
      if (step.do === 'advance') clock.advance(step.ms);
      else if (step.do === 'disarm') {
        if (wheel.disarm(`k${step.key}`) !== expected.delete(`k${step.key}`))
          throw new Error('has');
      } else {
        wheel.arm(`k${step.key}`, clock.now() + step.delay, fire);
        expected.set(`k${step.key}`, clock.now() + Math.max(0, step.delay));
      }
      if (wheel.size !== expected.size) throw new Error('size');
    }
    clock.advance(40 * DAY + TICK);
    if (errors.length > 0) throw errors[0];
    if (expected.size + wheel.size + clock.pending !== 0) throw new Error('left over');
  };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(1, 3, 5000), (steps, slice) => {
      run(steps, slice);
    }),
    { numRuns: 200 },
  );
});

void t.test('the clock is set back: deadlines keep their instants', async (t) => {
  const clock = new SimulatedClock(START_OF_STEPS);
  const wheel = new DeadlineWheel(clock, { onError: (error) => t.fail(String(error)) });
  const fired: string[] = [];
  const arm = (key: string, inMs: number) =>
    wheel.arm(key, clock.now() + inMs, () => void fired.push(key));
  arm('far', 90 * 60_000);
  clock.advance(60 * 60_000);
  clock.jumpTo(clock.now() - 50 * 60_000);
  arm('near', 60_000);
  clock.advance(59_000);
  t.same(fired, []);
  clock.advance(1500);
  t.same(fired, ['near'], 'what is armed after the step comes in time');
  wheel.checkClock();
  clock.advance(78 * 60_000);
  t.same(fired, ['near']);
  clock.advance(2 * 60_000);
  t.same(fired, ['near', 'far'], 'what was armed before waits for its instant');
  // Before the wheel was made.
  clock.jumpTo(START_OF_STEPS - 5 * 60 * 60_000);
  arm('long ago', 1000);
  clock.advance(1500);
  t.equal(fired.at(-1), 'long ago');
});

void t.test(
  'the clock is set forward: what is due fires when the clock is looked at',
  async (t) => {
    const clock = new SimulatedClock(START_OF_STEPS);
    const wheel = new DeadlineWheel(clock, { onError: (error) => t.fail(String(error)) });
    const fired: string[] = [];
    wheel.arm('a', clock.now() + 60 * 60_000, (key) => void fired.push(key));
    wheel.arm('b', clock.now() + 120 * 60_000, (key) => void fired.push(key));
    clock.advance(1000);
    wheel.checkClock();
    t.same(fired, []);
    clock.jumpTo(clock.now() + 61 * 60_000);
    wheel.checkClock();
    t.same(fired, ['a']);
    clock.advance(60 * 60_000);
    t.same(fired, ['a', 'b']);
  },
);
