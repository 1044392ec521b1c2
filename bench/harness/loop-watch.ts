import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Loaded into a server process (`--import`): tells the longest time for which its event loop was blocked
 * since somebody last asked. Whoever asks removes the file, and finds a new one at the next tick.
 *
 * A block is the shorter of two times, on the wall and on the main thread's processor: other processes of a
 * busy machine, which take the processor away, block nobody's code.
 */

const TICK_MS = 2;
const SCHEDULER = `/proc/self/task/${process.pid}/schedstat`;

/** Processor time of the main thread, milliseconds. */
function ownTime(): number {
  return Number(readFileSync(SCHEDULER, 'utf8').split(' ')[0]) / 1e6;
}

const path = process.env.PARLEY_LOOP_WATCH;

if (path) {
  let longest = 0;
  let wall = performance.now();
  let own = ownTime();
  setInterval(() => {
    const now = performance.now();
    const spent = ownTime();
    longest = Math.max(longest, Math.min(now - wall - TICK_MS, spent - own));
    if (!existsSync(path)) {
      writeFileSync(`${path}.new`, String(longest));
      renameSync(`${path}.new`, path);
      longest = 0;
    }
    wall = performance.now();
    own = ownTime();
  }, TICK_MS).unref();
}
