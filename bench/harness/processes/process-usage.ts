import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What the operating system says about a process. */
export interface ProcessUsage {
  /** User and system time of all threads, milliseconds. */
  readonly cpuMs: number;
  /** Resident set, bytes. */
  readonly residentBytes: number;
  /** How long the main thread was ready and waited for a processor, milliseconds; null where nobody tells. */
  readonly waitMs?: number | null;
}

/** Largest resident set a process ever had, bytes. @throws Error where there is no such process */
export function peakResidentBytes(pid: number): number {
  const peak = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(peak?.[1] ?? 0) * 1024;
}

let ticksPerSecond: number | null = null;

function clockTicks(): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).trim());
  return ticksPerSecond;
}

/**
 * CPU time of all threads to the nanosecond; null where the scheduler does not tell. Threads that ended are
 * not in it: those of a server live as long as it.
 */
function scheduledMs(pid: number): number | null {
  try {
    let ns = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    }
    return ns / 1e6;
  } catch {
    return null;
  }
}

/**
 * CPU time and memory of a process, from `/proc`. Where the scheduler keeps no statistics, CPU time has the
 * resolution of its tick (usually 10 ms), so windows should hold a few hundred of them.
 * @throws Error where there is no such process, or no `/proc`
 */
export function processUsage(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may hold anything; fields are counted behind it. utime is field 14.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const resident = /^VmRSS:\s*(\d+) kB/m.exec(status);
  return {
    cpuMs: scheduledMs(pid) ?? (ticks * 1000) / clockTicks(),
    residentBytes: Number(resident?.[1] ?? 0) * 1024,
    waitMs: waitedMs(pid),
  };
}

function waitedMs(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return null;
  }
}
