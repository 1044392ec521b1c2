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
  readonly seen: T;
  /** It is that of the generators: the server's is higher. */
  readonly isGenerators: boolean;
}

/** The highest rate that is kept and the lowest that is not lie no further apart, as a ratio. */
const NEAR = 1.04;
/** A rate that is not kept is tried again: once may be the machine's fault. */
const TRIES = 2;
/** A million times the first rate: nothing is faster. */
const MOST_DOUBLINGS = 20;

/**
 * Looks for the highest rate that is kept: doubles it, then halves the distance.
 * @returns null when not even the first is kept
 */
export async function findLimit<T>(
  from: number,
  probe: (rate: number) => Promise<Probe<T>>,
): Promise<Limit<T> | null> {
  let isGenerators = false;
  const tried = async (rate: number): Promise<Probe<T>> => {
    for (let i = 1; ; i++) {
      const one = await probe(rate);
      if (one.isKept || one.isAtEnd || i === TRIES) return one;
    }
  };
  let kept: { rate: number; seen: T } | null = null;
  let failed = Infinity;
  let rate = from;
  for (let i = 0; i < MOST_DOUBLINGS && failed === Infinity; i++) {
    const { isKept, isAtEnd, seen } = await tried(rate);
    if (isKept && !isAtEnd) kept = { rate, seen };
    else [failed, isGenerators] = [rate, isAtEnd];
    rate *= 2;
  }
  if (!kept) return null;
  while (failed / kept.rate > NEAR) {
    // Ratios count: the middle is the geometric one, in three digits.
    rate = Number(Math.sqrt(failed * kept.rate).toPrecision(3));
    if (rate <= kept.rate || rate >= failed) break;
    const { isKept, isAtEnd, seen } = await tried(rate);
    if (isKept && !isAtEnd) kept = { rate, seen };
    else [failed, isGenerators] = [rate, isAtEnd];
  }
  return { ...kept, isGenerators };
}
