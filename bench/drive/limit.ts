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
  /** The time was over before both ends were confirmed: the limit is this or higher. */
  readonly isUnfinished: boolean;
}

/** `coarse`: the first look at a rate, which need not take long. */
export type Try<T> = (rate: number, coarse: boolean) => Promise<Probe<T>>;

/** The highest rate that is kept and the lowest that is not lie no further apart, as a ratio. */
const NEAR = 1.04;
/** A rate is kept, or not, when two tries say so: one may be the machine's fault, either way. */
const AGREEING = 2;
/** A million times the first rate: nothing is faster. */
const MOST_DOUBLINGS = 20;

/** There is no time for a further try. */
class TimeOverError extends Error {}

/** A bound of the time of a search, which no try exceeds. */
export class SearchTime {
  private readonly began: number;

  /** @param now milliseconds of a steady clock */
  constructor(
    readonly seconds: number,
    private readonly now: () => number,
  ) {
    this.began = now();
  }

  /** Seconds since the beginning. */
  get passed(): number {
    return (this.now() - this.began) / 1000;
  }

  /** Whether there is room for something that takes so long. */
  hasRoomFor(seconds: number): boolean {
    return this.passed + seconds <= this.seconds;
  }

  /** Ends the search where there is none. */
  take(seconds: number): void {
    if (!this.hasRoomFor(seconds)) throw new TimeOverError();
  }
}

/** What the tries of a rate agreed on. */
interface Agreed<T> {
  readonly isKept: boolean;
  readonly isAtEnd: boolean;
  readonly seen: readonly T[];
  readonly tries: number;
}

class Search<T> {
  private readonly agreed = new Map<number, Agreed<T>>();
  private readonly tried: { readonly rate: number; readonly one: Probe<T> }[] = [];
  /** The rate that was tried last. */
  private last = 0;

  constructor(private readonly asked: Try<T>) {}

  /** As {@link search}; what is known so far where the time is over before. */
  async run(from: number): Promise<Limit<T> | null> {
    try {
      return await this.search(from);
    } catch (error) {
      if (!(error instanceof TimeOverError)) throw error;
      return this.soFar();
    }
  }

  private async probe(rate: number, coarse: boolean): Promise<Probe<T>> {
    const one = await this.asked(rate, coarse);
    this.tried.push({ rate, one });
    return one;
  }

  /** The highest rate that was kept at its last try, and the next one that was not. */
  private soFar(): Limit<T> | null {
    const last = new Map(this.tried.map(({ rate, one }) => [rate, one]));
    const failed = [...last].filter(([, one]) => !isGood(one)).map(([rate]) => rate);
    const lowest = Math.min(...failed);
    const kept = [...last].filter(([rate, one]) => isGood(one) && rate < lowest);
    if (kept.length === 0) return null;
    const rate = Math.max(...kept.map(([one]) => one));
    const tries = this.tried.filter((one) => one.rate === rate).map(({ one }) => one);
    return {
      rate,
      seen: tries.filter(isGood).map(({ seen }) => seen),
      tries: tries.length,
      failed: failed.length === 0 ? null : lowest,
      isGenerators: last.get(lowest)?.isAtEnd ?? false,
      isUnfinished: true,
    };
  }

  /**
   * Looks for the limit between what a ramp showed, whose rates are believed only once tries agreed: the server was
   * cold then, and each was tried once.
   */
  private async search(from: number): Promise<Limit<T> | null> {
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
    const isGenerators = next?.isAtEnd ?? false;
    return { rate, seen, tries, failed, isGenerators, isUnfinished: false };
  }
}

function isGood({ isKept, isAtEnd }: Probe<unknown>): boolean {
  return isKept && !isAtEnd;
}

/**
 * Looks for the highest rate that is kept: doubles it, halves the distance, and confirms both ends of what is left.
 * One try that goes wrong, whichever and either way, changes nothing. Where a try finds that there is no time for it
 * ({@link SearchTime}), the search ends with what is known.
 * @returns null when not even the first is kept
 */
export function findLimit<T>(from: number, probe: Try<T>): Promise<Limit<T> | null> {
  return new Search(probe).run(from);
}
