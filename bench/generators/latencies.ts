import * as hdr from 'hdr-histogram-js';

/** Percentiles that figures and plots show. */
const SHOWN_PERCENTILES = [1, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 100] as const;

/** Latencies as an HDR histogram: microseconds up to ten minutes, three significant digits. */
export class Latencies {
  private constructor(private readonly histogram: hdr.Histogram) {}

  static empty(): Latencies {
    return Latencies.withDigits(3);
  }

  /** With two digits, for one second of a run: a tenth of the memory. */
  static coarse(): Latencies {
    return Latencies.withDigits(2);
  }

  private static withDigits(numberOfSignificantValueDigits: 2 | 3): Latencies {
    return new Latencies(
      hdr.build({
        lowestDiscernibleValue: 1,
        highestTrackableValue: 600_000_000,
        numberOfSignificantValueDigits,
        useWebAssembly: false,
        bitBucketSize: 32,
      }),
    );
  }

  static decode(text: string): Latencies {
    return new Latencies(hdr.decodeFromCompressedBase64(text, 32, false));
  }

  /** Adds one; a negative one (clock noise) counts as zero, one above ten minutes as that. */
  record(milliseconds: number): void {
    this.histogram.recordValue(Math.min(600_000_000, Math.max(0, Math.round(milliseconds * 1000))));
  }

  add(other: Latencies): void {
    this.histogram.add(other.histogram);
  }

  reset(): void {
    this.histogram.reset();
  }

  get count(): number {
    return this.histogram.totalCount;
  }

  /** In milliseconds; 0 when empty. */
  percentile(percent: number): number {
    return this.count === 0 ? 0 : this.histogram.getValueAtPercentile(percent) / 1000;
  }

  /** Pairs of percentile and milliseconds, for plots. */
  distribution(): [number, number][] {
    if (this.count === 0) return [];
    return SHOWN_PERCENTILES.map((percent) => [percent, this.percentile(percent)]);
  }

  encode(): string {
    return hdr.encodeIntoCompressedBase64(this.histogram);
  }
}
