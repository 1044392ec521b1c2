/** A part of a schedule: a rate that stays, or changes evenly. */
export interface Stage {
  readonly seconds: number;
  /** Events or requests a second when it begins and when it ends. */
  readonly from: number;
  readonly to: number;
}

/** When what is intended when. The rate with which the last stage ends goes on. */
export type Pace = readonly Stage[];

/** As good as all at once: a million in a millisecond. */
const AT_ONCE = 1e9;

/** The same rate all the time. */
export function steadyPace(perSecond: number): Pace {
  return [{ seconds: 1, from: perSecond, to: perSecond }];
}

/** One each so many milliseconds; 0: all at once. */
export function everyMs(intervalMs: number): Pace {
  return steadyPace(intervalMs === 0 ? AT_ONCE : 1000 / intervalMs);
}

/** Whether a pace is a rate, and not everything at once. */
export function isRate(pace: Pace): boolean {
  return pace.every(({ from, to }) => from < AT_ONCE && to < AT_ONCE);
}

/** How many are intended in all stages. */
export function countOf(pace: Pace): number {
  return Math.round(
    pace.reduce((sum, { seconds, from, to }) => sum + (seconds * (from + to)) / 2, 0),
  );
}

export function secondsOf(pace: Pace): number {
  return pace.reduce((sum, { seconds }) => sum + seconds, 0);
}

/** When number `i` of a schedule is intended, from 0 on. Milliseconds from its beginning. */
export function intendedMs(pace: Pace, i: number): number {
  let left = i;
  let began = 0;
  for (const { seconds, from, to } of pace) {
    const count = (seconds * (from + to)) / 2;
    if (left < count) return (began + timeIn(left, from, (to - from) / seconds)) * 1000;
    left -= count;
    began += seconds;
  }
  return (began + left / pace.at(-1)!.to) * 1000;
}

/** Seconds after which a rate that begins with `from` and grows by `growth` a second has made `count`. */
function timeIn(count: number, from: number, growth: number): number {
  if (count === 0) return 0;
  if (growth === 0) return count / from;
  // The root of count = from · t + growth / 2 · t², in the form that a small growth does not blur.
  return (2 * count) / (from + Math.sqrt(from * from + 2 * growth * count));
}
