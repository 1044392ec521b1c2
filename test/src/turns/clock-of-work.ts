import type { Test } from 'tap';

/**
 * What the clock of a test says: only work moves it, so that other processes of the machine do not count. It goes on
 * from test to test, as the stretch does that all work of the process shares.
 */
export const clock = { now: 0 };

/** `performance.now` is the clock of work until the test ends. */
export function useClockOfWork(t: Test): void {
  const real = performance.now.bind(performance);
  performance.now = () => clock.now;
  t.teardown(() => (performance.now = real));
}

export function work(ms: number): void {
  clock.now += ms;
}

/** The longest time between two rounds of the event loop, by the clock of work, until something is done. */
export async function longestRound(done: Promise<unknown>): Promise<number> {
  let [longest, last, ended] = [0, clock.now, false];
  const look = (): void => {
    longest = Math.max(longest, clock.now - last);
    last = clock.now;
    if (!ended) setImmediate(look);
  };
  setImmediate(look);
  await done;
  ended = true;
  return Math.max(longest, clock.now - last);
}
