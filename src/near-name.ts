/** Which of some names was meant by one that is none of them; for refusals. */

/** A name further from what was typed than this share of its length is another word. */
const MOST_TYPOS = 0.4;

/** The nearest name, or null where none is near. */
export function nearName(typed: string, names: Iterable<string>): string | null {
  let best: string | null = null;
  let least = Infinity;
  for (const name of names) {
    const typos = distance(typed, name);
    if (typos < least && typos <= Math.max(typed.length, name.length) * MOST_TYPOS) {
      least = typos;
      best = name;
    }
  }
  return best;
}

/** Letters to insert, remove, replace or exchange with a neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        next[j] = Math.min(next[j]!, before[j - 2]! + 1);
      }
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
