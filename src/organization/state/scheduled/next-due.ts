/* When an organization must be in memory again, for what happens by itself: milliseconds since 1970, or one of these. */

/** Something is under way: the organization must stay in memory. */
export const NOW = -Infinity;
/** Nothing is planned. */
export const NEVER = Infinity;

/** The earliest of some times; {@link NEVER} of none. */
export function earliest(times: Iterable<number>): number {
  let first = NEVER;
  for (const time of times) if (time < first) first = time;
  return first;
}
