/** Windows of load before anything is measured: at least these, so that code is compiled and caches fill. */
const FEWEST = 2;
/** At most these: a server whose cost never settles is measured as it is. */
export const MOST_WARM_UPS = 8;
/** Two windows in a row whose costs differ by less are alike, as a fraction of the former. */
const ALIKE = 0.05;

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
