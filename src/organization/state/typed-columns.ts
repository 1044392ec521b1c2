/** Columns of numbers in typed arrays, of which the first `used` places are filled. */
type Column = Uint8Array | Uint32Array | Int32Array | Float64Array;

/** Capacity for a quarter more than is used, so that appending rarely copies. */
export function roomFor(used: number): number {
  return Math.ceil(used * 1.25);
}

/** Copies a column to the beginning of another one and returns that. */
export function filled<T extends Column>(target: T, source: ArrayLike<number>): T {
  target.set(source);
  return target;
}

/** Number of places whose value is below `value`, in a column of which `used` places ascend. */
export function lowerBound(column: Column, used: number, value: number): number {
  let low = 0;
  let high = used;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
