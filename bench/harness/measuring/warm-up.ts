/** Windows of load before anything is measured: at least these, so that code is compiled and caches fill. */
const FEWEST = 2;
/** At most these: a server whose cost never settles is measured as it is. */
export const MOST_WARM_UPS = 8;
/** The longest window, in seconds. */
const LONGEST_WINDOW = 0.75;
/** A quick run is warmed up no longer than it is measured: so many windows are as long as that. */
const QUICK_WINDOWS = 4;
/** Two windows in a row whose costs differ by less are alike, as a fraction of the former. */
const ALIKE = 0.05;

export interface WarmUp {
  /** Of one window. */
  readonly seconds: number;
  /** Windows, at most. */
  readonly most: number;
}

/** The warm-up before so many measured seconds. */
export function warmUpBefore(seconds: number): WarmUp {
  const window = Math.min(LONGEST_WINDOW, seconds / QUICK_WINDOWS);
  return { seconds: window, most: Math.min(MOST_WARM_UPS, Math.floor(seconds / window)) };
}

/**
 * Runs windows of load until two in a row cost about the same.
 * @param run one window, by its number from 0 on; its CPU per operation, null where nobody can tell
 * @param most at most so many
 * @returns how many windows there were
 */
export async function untilStable(
  run: (window: number) => Promise<number | null>,
  most = MOST_WARM_UPS,
): Promise<number> {
  let former: number | null = null;
  for (let window = 0; window < most; window++) {
    const cost = await run(window);
    const isAlike = cost === null || (former !== null && Math.abs(cost / former - 1) < ALIKE);
    if (isAlike && window + 1 >= FEWEST) return window + 1;
    former = cost;
  }
  return most;
}
