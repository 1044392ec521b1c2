import { join } from 'node:path';
import { opendir, rm, stat } from '../platform/files.js';
import { wallTime } from '../platform/time.js';
import { pause } from '../platform/timers.js';
import { isForeignDraft } from '../platform/durable-files.js';

/** Folders read in one go, and the pause after them: some 200 a second, a few hundredths of a processor. */
const FOLDERS_PER_STRETCH = 50;
const PAUSE_MS = 250;

/** What a sweep leaves alone, and when it ends early. */
export interface SweepOptions {
  /** A younger draft may still be written by a process that shares the folder. Milliseconds. */
  readonly minAgeMs: number;
  readonly signal: AbortSignal;
}

/**
 * Removes the drafts that processes left in a folder and those below it when they were killed in the middle of
 * an upload. Slow on purpose: nothing waits for it.
 * @returns how many were removed
 * @throws Error when a folder cannot be read or a draft not be removed; AbortError when it was told to end
 */
export async function removeAbandonedDrafts(
  folder: string,
  { minAgeMs, signal }: SweepOptions,
): Promise<number> {
  const folders = [folder];
  let [read, removed] = [0, 0];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    if (++read % FOLDERS_PER_STRETCH === 0) await pause(PAUSE_MS, undefined, { signal });
    signal.throwIfAborted();
    for await (const entry of await listing(path)) {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) folders.push(inside);
      else if (isForeignDraft(entry.name) && (await ageOf(inside)) >= minAgeMs) {
        await rm(inside, { force: true });
        removed += 1;
      }
    }
  }
  return removed;
}

/** The entries of a folder; none where it is gone. */
async function listing(path: string): Promise<Awaited<ReturnType<typeof opendir>> | never[]> {
  try {
    return await opendir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Milliseconds since a file was last written; less than any age for one that is gone. */
async function ageOf(path: string): Promise<number> {
  try {
    return wallTime() - (await stat(path)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return -Infinity;
    throw error;
  }
}
