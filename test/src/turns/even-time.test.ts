import t from 'tap';
import { SimulatedClock } from '../../fixtures/simulated-clock.js';
import { inEvenTime } from '../../../src/turns/even-time.js';

void t.test(
  'work ends a quarter of a second after it began, or at a multiple of that',
  async (t) => {
    for (const [takes, ends] of [
      [0, 250],
      [3, 250],
      [249, 250],
      [250, 250],
      [251, 500],
      [700, 750],
    ] as const) {
      for (const fails of [false, true]) {
        const clock = new SimulatedClock(1_700_000_000_000);
        let end: ((value: string) => void) | undefined;
        let ended: string | undefined;
        const work = new Promise<string>((resolve, reject) => {
          end = fails ? (text) => reject(new Error(text)) : resolve;
        });
        const all = inEvenTime(() => work, clock).then(
          (text) => (ended = text),
          (error: Error) => (ended = `failed: ${error.message}`),
        );
        clock.advance(takes);
        end!('done');
        await nextRound();
        clock.advance(ends - takes - 1);
        await nextRound();
        if (takes < ends) t.equal(ended, undefined, `${takes} ms: not before`);
        clock.advance(1);
        await all;
        t.equal(ended, fails ? 'failed: done' : 'done', `${takes} ms`);
      }
    }
  },
);

function nextRound(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
