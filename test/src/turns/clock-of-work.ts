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
