import type * as PerfHooks from 'node:perf_hooks';
import { bound } from './bound.js';

/* The time, as `Platform` says. What ends with the process counts by the monotonic time, what is stored by the wall's. */

export function wallTime(): number {
  return bound().time.wallTime();
}

export function monotonicTime(): number {
  return bound().time.monotonicTime();
}

export function machineTime(): bigint {
  return bound().time.machineTime();
}

export function uptime(): number {
  return bound().time.uptime();
}

export function monitorEventLoopDelay(
  options: PerfHooks.EventLoopMonitorOptions,
): PerfHooks.IntervalHistogram {
  return bound().time.monitorEventLoopDelay(options);
}
