import type { Test } from 'tap';

/** Whether the sizes of the acceptance criteria are asked for, instead of the modest default ones. */
export const fullScale = process.env.PARLEY_TEST_SCALE === 'full';

/** The modest size, or the full one where that is asked for. */
export function scaled(modest: number, full: number): number {
  return fullScale ? full : modest;
}

/**
 * Random numbers in [0, 1) for a test, from the seed given by `PARLEY_TEST_SEED` or a new one, which the
 * test's output names so that the run can be repeated.
 */
export function randomOfRun(t: Test): () => number {
  const given = process.env.PARLEY_TEST_SEED;
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  t.comment(`seed ${seed} (PARLEY_TEST_SEED)`);
  return seeded(seed);
}

/** Reproducible numbers in [0, 1): mulberry32. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
