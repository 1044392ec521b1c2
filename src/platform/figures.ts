import { bound } from './bound.js';
import { monotonicTime } from './time.js';

/*
 * Figures of the process and of its machine, as `Platform` says. Nothing here throws: what the system does not tell is
 * null, and whoever asked goes on without it, so that looking at a server never ends it.
 */

/** Memory that the process occupies, bytes. */
export function residentBytes(): number | null {
  return told(() => bound().figures.residentBytes());
}

/** Memory that the objects of this thread take, bytes. */
export function heapBytes(): number | null {
  return told(() => bound().figures.heapBytes());
}

/**
 * How long this process works from now on, milliseconds: not while it waits, or while the machine does other things. Its
 * other threads count as well. All time counts where the system does not tell.
 */
export function workStopwatch(): () => number {
  const began = monotonicTime();
  const cpu = told(() => bound().figures.cpuUsage());
  return () => {
    const passed = monotonicTime() - began;
    const used = cpu && told(() => bound().figures.cpuUsage(cpu));
    return used ? Math.min(passed, (used.user + used.system) / 1000) : passed;
  };
}

/** Files that the process may have open. Node raises this limit at its start. */
export function openFilesLimit(): number | null {
  return limit('Max open files');
}

/** The largest file that the process may write, bytes; such a limit may change while it runs. */
export function largestFileBytes(): number | null {
  return limit('Max file size');
}

/** Room on the disk of a folder, bytes. */
export function freeBytes(folder: string): number | null {
  return told(() => bound().figures.freeBytes(folder));
}

/** Memory of the machine, bytes. */
export function machineBytes(): number | null {
  return told(() => bound().figures.machineBytes());
}

/** Processors that the process may use. */
export function processors(): number | null {
  return told(() => bound().figures.processors());
}

/** The soft limit of a resource; null where there is none, too. */
function limit(name: string): number | null {
  const text = told(() => bound().figures.limits()) ?? '';
  const [, soft] = new RegExp(`^${name} +(\\d+) `, 'm').exec(text) ?? [];
  return soft === undefined ? null : Number(soft);
}

function told<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
