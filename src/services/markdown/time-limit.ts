import { createContext, Script } from 'node:vm';
import { workStopwatch } from '../../platform/figures.js';

/** The only thing that the context has: what is to be done. */
const context = createContext({ work: undefined }) as { work: (() => unknown) | undefined };
const script = new Script('work()');

/** How often work is begun again that got no processor. */
const MAX_TRIES = 4;

/**
 * Milliseconds of the processor that libraries may take for one message, so that with the rest of it no message takes
 * half of what nobody may wait longer for. What their bounds of length let through takes a third of it, but for texts that
 * are made to be expensive.
 */
const MAX_MS = 20;

/**
 * The same for the first messages of a process, until libraries had `COLD_MS` of the processor in all: before the
 * engine has compiled them they take five times as long, and what a message becomes then stays.
 */
const MAX_COLD_MS = 200;
const COLD_MS = 400;

/** What libraries took in this process, milliseconds. */
let taken = 0;

/** What one message may still take. */
export interface TimeBudget {
  left: number;
}

/**
 * The budget of a message that has taken nothing.
 * @param left milliseconds of the processor
 */
export function timeBudget(left = taken < COLD_MS ? MAX_COLD_MS : MAX_MS): TimeBudget {
  return { left };
}

/**
 * Does work of a library that reads what people wrote, and ends it, expressions and loops alike, when the budget of
 * its message is used up. Where the machine had something else to do in that time the work begins again, so that what
 * a text becomes depends on the text. It costs 0.1 ms, and twice that in the first messages of a process.
 * @returns undefined where it took too long; then nothing more of the message is worked on
 * @throws what the work throws
 */
export function withinTime<T>(work: () => T, budget: TimeBudget): T | undefined {
  for (let tries = 0; tries < MAX_TRIES && budget.left >= 1; tries += 1) {
    const timeout = Math.ceil(budget.left);
    const done = charged(() => attempt(work, timeout), budget);
    if (done) return done.result;
  }
  budget.left = 0;
  return undefined;
}

/**
 * The same for work so short that it needs no end.
 * @returns undefined where the budget of its message is used up
 * @throws what the work throws
 */
export function shortWithinTime<T>(work: () => T, budget: TimeBudget): T | undefined {
  return budget.left >= 1 ? charged(work, budget) : undefined;
}

/** Does work, and takes its time from a budget. */
function charged<T>(work: () => T, budget: TimeBudget): T {
  const workedMs = workStopwatch();
  try {
    return work();
  } finally {
    const used = workedMs();
    budget.left -= used;
    taken += used;
  }
}

/** @returns null where the time was over */
function attempt<T>(work: () => T, timeout: number): { readonly result: T } | null {
  context.work = work;
  try {
    return { result: script.runInContext(context, { timeout }) as T };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  } finally {
    context.work = undefined;
  }
}
