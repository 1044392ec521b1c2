import fc from 'fast-check';
import t from 'tap';
import { SlidingWindow } from '../../../../src/http/limits/sliding-window.js';

void t.test('calls are forgotten a window later, one segment late at most', async (t) => {
  const window = new SlidingWindow({ max: 3, seconds: 60 });
  const start = 1_700_000_000_000;
  window.take(start);
  window.take(start + 30_000);
  t.equal(window.remaining(start + 59_999), 1);
  t.equal(window.remaining(start + 62_000), 2);
  t.equal(window.replenishedAt(start + 62_000), start + 30_000 + 62_000 - (start % 2000));
  t.equal(window.remaining(start + 92_000), 3);
  t.equal(window.replenishedAt(start + 92_000), start + 92_000);
});

void t.test('the wait is until the oldest call is forgotten', async (t) => {
  const window = new SlidingWindow({ max: 1, seconds: 60 });
  const start = 1_700_000_000_000;
  t.equal(window.msUntilNext(start), 0);
  window.take(start);
  const wait = window.msUntilNext(start + 10);
  t.equal(window.remaining(start + 10 + wait - 1), 0);
  t.equal(window.remaining(start + 10 + wait), 1);
});

void t.test('a clock that steps back gives no calls back', async (t) => {
  const window = new SlidingWindow({ max: 1, seconds: 60 });
  window.take(1_700_000_000_000);
  t.equal(window.remaining(1_600_000_000_000), 0);
});

void t.test('no window ever holds more calls than allowed', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 6 }), (delays, max) => {
      const window = new SlidingWindow({ max, seconds: 60 });
      const taken: number[] = [];
      let now = 1_700_000_000_000;
      for (const delay of delays) {
        now += delay;
        if (window.remaining(now) > 0) {
          window.take(now);
          taken.push(now);
        } else if (window.msUntilNext(now) > 62_000) {
          return false;
        }
        const recent = taken.filter((at) => at > now - 60_000).length;
        const remembered = taken.filter((at) => at > now - 62_000).length;
        const left = window.remaining(now);
        if (recent > max || left > max - recent || left < max - remembered) return false;
      }
      return true;
    }),
  );
});
