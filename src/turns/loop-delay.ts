import type { IntervalHistogram } from 'node:perf_hooks';
import { monitorEventLoopDelay } from '../platform/time.js';

/** How often the event loop is looked at: the precision of its delay. Milliseconds. */
const RESOLUTION_MS = 10;
const NS_PER_MS = 1e6;

/** LoopDelay measures by how much the event loop is late, from `start` to `stop`. */
export class LoopDelay {
  private histogram: IntervalHistogram | undefined;

  /** Idempotent. */
  start(): void {
    if (this.histogram) return;
    this.histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.histogram.enable();
  }

  stop(): void {
    this.histogram?.disable();
    this.histogram = undefined;
  }

  /** Delays since the last look, milliseconds; 0 where nothing was measured. */
  look(): { readonly p50: number; readonly p99: number; readonly max: number } {
    const { histogram } = this;
    if (!histogram) return { p50: 0, p99: 0, max: 0 };
    const [p50, p99, max] = [histogram.percentile(50), histogram.percentile(99), histogram.max];
    histogram.reset();
    return { p50: late(p50), p99: late(p99), max: late(max) };
  }
}

/** Nanoseconds between two looks at the event loop, as the milliseconds by which the second was late, in tenths. */
function late(ns: number): number {
  const ms = Math.max(0, (Number.isFinite(ns) ? ns : 0) / NS_PER_MS - RESOLUTION_MS);
  return Math.round(ms * 10) / 10;
}
