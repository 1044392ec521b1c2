import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { LISTED_MS, type Block } from './blocks.js';

/**
 * Loaded into a server process (`--import`): tells the longest time for which its event loop was blocked
 * since somebody last asked. Whoever asks removes the file, and finds a new one at the next tick.
 *
 * A block is the shorter of two times, on the wall and on the main thread's processor: other processes of a
 * busy machine, which take the processor away, block nobody's code. Those of `LISTED_MS` and more are also
 * appended to a file, a line each.
 */

const TICK_MS = 2;
const SCHEDULER = `/proc/self/task/${process.pid}/schedstat`;

/** Processor time of the main thread, milliseconds. */
function ownTime(): number {
  return Number(readFileSync(SCHEDULER, 'utf8').split(' ')[0]) / 1e6;
}

const path = process.env.PARLEY_LOOP_WATCH;
const list = process.env.PARLEY_LOOP_BLOCKS;

function listBlock(ms: number): void {
  if (!list || ms < LISTED_MS) return;
  const block: Block = { endUs: Number(process.hrtime.bigint() / 1000n), ms };
  appendFileSync(list, `${JSON.stringify(block)}\n`);
}

if (path) {
  let longest = 0;
  let wall = performance.now();
  let own = ownTime();
  setInterval(() => {
    const now = performance.now();
    const spent = ownTime();
    const block = Math.min(now - wall - TICK_MS, spent - own);
    listBlock(block);
    longest = Math.max(longest, block);
    if (!existsSync(path)) {
      writeFileSync(`${path}.new`, String(longest));
      renameSync(`${path}.new`, path);
      longest = 0;
    }
    wall = performance.now();
    own = ownTime();
  }, TICK_MS).unref();
}
