/** Changes of many ids at once in an ascending list, which lies at the beginning of a column. */
import { lowerBound } from '../typed-columns.js';

/**
 * Where the list has, from the first changed id to the last, at most this many ids for each changed one, all of them
 * are looked at: quicker than a search, and a move of all that follow, for each.
 */
const DENSE = 8;

/**
 * Removes ids.
 * @param used length of the list
 * @param ids ascending
 * @returns those that were there
 */
export function removeAscending(list: Uint32Array, used: number, ids: readonly number[]): number[] {
  const start = lowerBound(list, used, ids[0]!);
  const stop = lowerBound(list, used, ids[ids.length - 1]! + 1);
  const isDense = stop - start <= DENSE * ids.length;
  return isDense ? removeDense(list, used, [start, stop], ids) : removeSparse(list, used, ids);
}

function removeDense(
  list: Uint32Array,
  used: number,
  [start, stop]: readonly [number, number],
  ids: readonly number[],
): number[] {
  const removed: number[] = [];
  let end = start;
  let next = 0;
  for (let at = start; at < stop; at++) {
    const id = list[at]!;
    while (ids[next]! < id) next += 1;
    if (ids[next] === id) removed.push(id);
    else list[end++] = id;
  }
  list.copyWithin(end, stop, used);
  return removed;
}

function removeSparse(list: Uint32Array, used: number, ids: readonly number[]): number[] {
  const removed: number[] = [];
  // The remaining ids are moved to `end`, run by run; `next` is behind the last removed one.
  let end = -1;
  let next = 0;
  for (const id of ids) {
    // Often the ids are neighbours.
    const place = next < used && list[next] === id ? next : lowerBound(list, used, id);
    if (place >= used || list[place] !== id) continue;
    removed.push(id);
    if (end < 0) end = place;
    else if (place > next) {
      list.copyWithin(end, next, place);
      end += place - next;
    }
    next = place + 1;
  }
  if (end >= 0) list.copyWithin(end, next, used);
  return removed;
}

/**
 * Adds ids that are not in the list, which has room for them.
 * @param used length of the list before
 * @param ids ascending
 */
export function addAscending(
  list: Uint32Array,
  used: number,
  ids: readonly number[] | Uint32Array,
): void {
  const start = lowerBound(list, used, ids[0]!);
  if (used - start <= DENSE * ids.length) addDense(list, used, start, ids);
  else addSparse(list, used, ids);
}

function addDense(
  list: Uint32Array,
  used: number,
  start: number,
  ids: readonly number[] | Uint32Array,
): void {
  let from = used - 1;
  let next = ids.length - 1;
  for (let at = used + ids.length - 1; next >= 0; at--) {
    if (from >= start && list[from]! > ids[next]!) list[at] = list[from--]!;
    else list[at] = ids[next--]!;
  }
}

function addSparse(list: Uint32Array, used: number, ids: readonly number[] | Uint32Array): void {
  // Ids behind were moved already.
  let end = used;
  for (let i = ids.length - 1; i >= 0; i--) {
    const place = lowerBound(list, end, ids[i]!);
    list.copyWithin(place + i + 1, place, end);
    list[place + i] = ids[i]!;
    end = place;
  }
}
