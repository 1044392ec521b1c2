/** Offset of this process's clock to the machine's. */
const OFFSET = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/**
 * Milliseconds of the machine's monotonic clock. All processes of one machine read the same clock, so
 * a generator can measure from a time another one intended.
 */
export function machineNow(): number {
  return OFFSET + performance.now();
}
