import type { PostingList } from './posting-lists.js';

/** Message ids from the first to the second number, both included. */
export type Interval = readonly [from: number, to: number];

/** Ascending and disjoint. */
export type Intervals = readonly Interval[];

/** Every id. */
export const ALL_IDS: Intervals = [[0, Number.MAX_SAFE_INTEGER]];
/** No id. */
export const NO_IDS: Intervals = [];

/** Position of the first interval that ends at or after `id`; the length when there is none. */
export function intervalAtOrAfter(intervals: Intervals, id: number): number {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (intervals[middle]![1] < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether an interval contains the id. */
export function contains(intervals: Intervals, id: number): boolean {
  const interval = intervals[intervalAtOrAfter(intervals, id)];
  return interval !== undefined && interval[0] <= id;
}

/** The ids in `left` and not in `right`. */
export function subtract(left: Intervals, right: Intervals): Intervals {
  if (right.length === 0 || left.length === 0) return left;
  const rest: [number, number][] = [];
  for (const [from, to] of left) {
    let start = from;
    for (let i = intervalAtOrAfter(right, from); i < right.length && right[i]![0] <= to; i++) {
      if (right[i]![0] > start) rest.push([start, right[i]![0] - 1]);
      start = right[i]![1] + 1;
    }
    if (start <= to) rest.push([start, to]);
  }
  return rest;
}

/** The ids in both. Costs their lengths. */
export function intersect(left: Intervals, right: Intervals): Intervals {
  const found: Interval[] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const from = Math.max(left[i]![0], right[j]![0]);
    const to = Math.min(left[i]![1], right[j]![1]);
    if (from <= to) found.push([from, to]);
    if (left[i]![1] < right[j]![1]) i++;
    else j++;
  }
  return found;
}

/** The ids in either of them. Costs their lengths. */
export function unite(left: Intervals, right: Intervals): Intervals {
  const united: [number, number][] = [];
  for (let i = 0, j = 0; i < left.length || j < right.length;) {
    const isLeft = j >= right.length || (i < left.length && left[i]![0] <= right[j]![0]);
    const [from, to] = isLeft ? left[i++]! : right[j++]!;
    const last = united[united.length - 1];
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else united.push([from, to]);
  }
  return united;
}

/** The ids of a sublist as intervals that contain no other ids of the list. Costs the length of the sublist. */
export function runsOf(part: PostingList, list: PostingList): Intervals {
  const runs: [number, number][] = [];
  let place = -1;
  for (let i = 0; i < part.length; i++) {
    const id = part.at(i)!;
    const run = runs[runs.length - 1];
    if (run && list.at(place + 1) === id) {
      run[1] = id;
      place += 1;
    } else {
      runs.push([id, id]);
      place = list.lowerBound(id);
    }
  }
  return runs;
}

/** Ascending ids as intervals; ids that are neighbours in `list` share one. */
function runs(ids: readonly number[], list: PostingList): [number, number][] {
  const found: [number, number][] = [];
  for (const id of ids) join(found, [id, id], list);
  return found;
}

/** Appends an interval, merged with the last one where `list` has no id in between. */
function join(target: [number, number][], next: Interval, list: PostingList): void {
  const last = target[target.length - 1];
  if (last && (next[0] <= last[1] || !list.hasBetween(last[1], next[0]))) {
    if (next[1] > last[1]) last[1] = next[1];
  } else target.push([next[0], next[1]]);
}

/**
 * Adds ids of `list` (ascending) to intervals. Intervals without an id of the list in between are merged,
 * so that a user who reads in order has a single interval.
 */
export function addIds(
  intervals: Intervals,
  ids: readonly number[],
  list: PostingList,
): [number, number][] {
  return merge(intervals, runs(ids, list), list);
}

/** Like `addIds`, with all ids of `list` that lie in other intervals. Costs the intervals, not the ids. */
export function addIntervals(
  intervals: Intervals,
  within: Intervals,
  list: PostingList,
): [number, number][] {
  return merge(intervals, trimmed(within, list), list);
}

/** Trims intervals so that they begin and end with ids of `list`. */
function trimmed(intervals: Intervals, list: PostingList): [number, number][] {
  const kept: [number, number][] = [];
  for (const [from, to] of intervals) {
    const start = list.lowerBound(from);
    const end = list.lowerBound(to + 1);
    if (start < end) kept.push([list.at(start)!, list.at(end - 1)!]);
  }
  return kept;
}

function merge(intervals: Intervals, added: Intervals, list: PostingList): [number, number][] {
  const merged: [number, number][] = [];
  let i = 0;
  for (const next of added) {
    while (i < intervals.length && intervals[i]![0] <= next[0]) join(merged, intervals[i++]!, list);
    join(merged, next, list);
  }
  while (i < intervals.length) join(merged, intervals[i++]!, list);
  return merged;
}

/** Removes ids (ascending) from intervals and trims the rest to ids of `list`. */
export function removeIds(
  intervals: Intervals,
  ids: readonly number[],
  list: PostingList,
): [number, number][] {
  const points = ids.map((id): Interval => [id, id]);
  return trimmed(subtract(intervals, points), list);
}

/** The newest ids of a list that lie in the intervals, ascending; at most `limit`. */
export function newestIds(list: PostingList, intervals: Intervals, limit: number): number[] {
  const found: number[] = [];
  for (let i = intervals.length - 1; i >= 0 && found.length < limit; i--) {
    const [from, to] = intervals[i]!;
    for (let at = list.lowerBound(to + 1) - 1; at >= 0 && found.length < limit; at--) {
      const id = list.at(at)!;
      if (id < from) break;
      found.push(id);
    }
  }
  return found.reverse();
}

/** Ids of a list that lie in the intervals, ascending. Costs the result and the intervals. */
export function intersectIds(list: PostingList, intervals: Intervals): number[] {
  const found: number[] = [];
  for (const [from, to] of intervals) {
    for (let i = list.lowerBound(from); i < list.length && list.at(i)! <= to; i++) {
      found.push(list.at(i)!);
    }
  }
  return found;
}

/** Whether an id of the list lies in the intervals. */
export function touches(list: PostingList, intervals: Intervals): boolean {
  return intervals.some(([from, to]) => {
    const next = list.at(list.lowerBound(from));
    return next !== undefined && next <= to;
  });
}

/** Whether one interval contains all of the ids (ascending), as is usual for users who read everything. */
export function isWithinOne(intervals: Intervals, ids: readonly number[]): boolean {
  if (ids.length === 0) return true;
  const interval = intervals[intervalAtOrAfter(intervals, ids[0]!)];
  return interval !== undefined && interval[0] <= ids[0]! && ids[ids.length - 1]! <= interval[1];
}
