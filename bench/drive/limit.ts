/** What a rate showed. */
export interface Probe<T> {
  /** Whether the goal was kept. */
  readonly isKept: boolean;
  /** Whether those who make the load can do no more. */
  readonly isAtEnd: boolean;
  readonly seen: T;
}

export interface Limit<T> {
  readonly rate: number;
  /** Each time that it was kept, of `tries`. */
  readonly seen: readonly T[];
  readonly tries: number;
  /** The next rate that was tried, which was not kept; null where every rate was. */
  readonly failed: number | null;
  /** It is that of the generators: the server's is higher. */
  readonly isGenerators: boolean;
}

/** `coarse`: the first look at a rate, which need not take long. */
export type Try<T> = (rate: number, coarse: boolean) => Promise<Probe<T>>;

/** The highest rate that is kept and the lowest that is not lie no further apart, as a ratio. */
const NEAR = 1.04;
/** A rate is kept, or not, when two tries say so: one may be the machine's fault, either way. */
const AGREEING = 2;
/** A million times the first rate: nothing is faster. */
const MOST_DOUBLINGS = 20;

/** What the tries of a rate agreed on. */
interface Agreed<T> {
  readonly isKept: boolean;
  readonly isAtEnd: boolean;
  readonly seen: readonly T[];
  readonly tries: number;
}

class Search<T> {
  private readonly agreed = new Map<number, Agreed<T>>();
  /** The rate that was tried last. */
  private last = 0;

  constructor(private readonly probe: Try<T>) {}

  /**
   * Looks for the limit between what a ramp showed, whose rates are believed only once tries agreed: the server was
   * cold then, and each was tried once.
   */
  async run(from: number): Promise<Limit<T> | null> {
    let [low, high] = await this.bracket(from);
    if (low === from && !(await this.verdict(from)).isKept) return null;
    for (;;) {
      while (high / low > NEAR) {
        // Ratios count: the middle is the geometric one, in three digits.
        const middle = Number(Math.sqrt(high * low).toPrecision(3));
        if (middle <= low || middle >= high) break;
        if ((await this.verdict(middle)).isKept) low = middle;
        else high = middle;
      }
      if (!(await this.verdict(low)).isKept) {
        if (low <= from) return null;
        [low, high] = [Math.max(from, low / 2), low];
      } else if (await this.isHigher(high, from)) {
        [low, high] = [high, high * 2];
      } else return this.limit(low, high);
    }
  }

  /** Whether the upper end is kept after all: what was not may have been when the server was cold. */
  private async isHigher(high: number, from: number): Promise<boolean> {
    if (high >= from * 2 ** MOST_DOUBLINGS) return false;
    if (this.agreed.has(high) && this.last !== high) {
      if (!isGood(await this.probe(high, false))) return false;
      for (const rate of this.agreed.keys()) if (rate >= high) this.agreed.delete(rate);
    }
    return (await this.verdict(high)).isKept;
  }

  /** Doubles the rate until it is not kept, twice. @returns the last one that was, and the first that was not */
  private async bracket(from: number): Promise<[number, number]> {
    const most = from * 2 ** MOST_DOUBLINGS;
    for (let rate = from; ; rate *= 2) {
      if (rate === most) return [rate / 2, rate];
      const isKept = isGood(await this.probe(rate, true)) || isGood(await this.probe(rate, false));
      if (!isKept) return [Math.max(from, rate / 2), Math.max(from * 2, rate)];
    }
  }

  /** Tries a rate until two tries agree; what they agreed on stays. */
  private async verdict(rate: number): Promise<Agreed<T>> {
    const former = this.agreed.get(rate);
    if (former) return former;
    this.last = rate;
    const kept: Probe<T>[] = [];
    const failed: Probe<T>[] = [];
    while (kept.length < AGREEING && failed.length < AGREEING) {
      const one = await this.probe(rate, false);
      (isGood(one) ? kept : failed).push(one);
    }
    const found: Agreed<T> = {
      isKept: kept.length === AGREEING,
      isAtEnd: failed.length === AGREEING && failed.every(({ isAtEnd }) => isAtEnd),
      seen: kept.map(({ seen }) => seen),
      tries: kept.length + failed.length,
    };
    this.agreed.set(rate, found);
    return found;
  }

  private limit(rate: number, above: number): Limit<T> {
    const { seen, tries } = this.agreed.get(rate)!;
    const next = this.agreed.get(above);
    const failed = next && !next.isKept ? above : null;
    return { rate, seen, tries, failed, isGenerators: next?.isAtEnd ?? false };
  }
}

function isGood({ isKept, isAtEnd }: Probe<unknown>): boolean {
  return isKept && !isAtEnd;
}

/**
 * Looks for the highest rate that is kept: doubles it, halves the distance, and confirms both ends of what is left.
 * One try that goes wrong, whichever and either way, changes nothing.
 * @returns null when not even the first is kept
 */
export function findLimit<T>(from: number, probe: Try<T>): Promise<Limit<T> | null> {
  return new Search(probe).run(from);
}
