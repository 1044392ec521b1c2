import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What the operating system says about a process. */
export interface ProcessUsage {
  /** User and system time of all threads, milliseconds. */
  readonly cpuMs: number;
  /** Resident set, bytes. */
  readonly residentBytes: number;
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
 * CPU time and memory of a process, from `/proc`. CPU time has the resolution of the scheduler's
 * tick (usually 10 ms), so windows should hold a few hundred of them.
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
    cpuMs: (ticks * 1000) / clockTicks(),
    residentBytes: Number(resident?.[1] ?? 0) * 1024,
  };
}
