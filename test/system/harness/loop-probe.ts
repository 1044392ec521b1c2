import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * Loaded into a server process (`--import`) to find what blocks its event loop. Time counts that the main
 * thread spent on a processor: other processes on a busy machine block nobody's code.
 */

/** What was found since the start, or since the file was removed. */
export interface LoopReport {
  /** The longest block, milliseconds. */
  longestMs: number;
  /** Blocks of more than five milliseconds. */
  blocks: number;
  /** Largest resident set, bytes. */
  residentBytes: number;
}

const TICK_MS = 2;
const NOTED_MS = 5;
const WRITE_MS = 100;
const SCHEDULER = `/proc/self/task/${process.pid}/schedstat`;

/** Processor time of the main thread, milliseconds. */
function ownTime(): number {
  return Number(readFileSync(SCHEDULER, 'utf8').split(' ')[0]) / 1e6;
}

function nothing(): LoopReport {
  return { longestMs: 0, blocks: 0, residentBytes: 0 };
}

const path = process.env.PARLEY_TEST_LOOP_REPORT;

if (path) {
  let report = nothing();
  let wall = performance.now();
  let own = ownTime();
  let written = wall;
  setInterval(() => {
    const now = performance.now();
    const spent = ownTime();
    const block = Math.min(now - wall - TICK_MS, spent - own);
    if (block > NOTED_MS) report.blocks += 1;
    report.longestMs = Math.max(report.longestMs, block);
    if (now - written > WRITE_MS) {
      if (!existsSync(path)) report = nothing();
      report.residentBytes = Math.max(report.residentBytes, process.memoryUsage.rss());
      // Whole at any moment: the test reads it while this goes on.
      writeFileSync(`${path}.draft`, JSON.stringify(report));
      renameSync(`${path}.draft`, path);
      written = now;
    }
    wall = performance.now();
    own = ownTime();
  }, TICK_MS).unref();
}
