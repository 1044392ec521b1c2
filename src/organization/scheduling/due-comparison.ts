import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { DueSlot } from '../../store/port.js';
import type { Deadline } from './scheduled-items.js';

/** What the documents say of the items that wait for their time. */
interface WaitingItems {
  readonly waiting: number;
  deadlineOf(key: string): Deadline;
  waitingKeys(): Iterable<string>;
}

/** An id that a due index has otherwise than the documents say. */
export interface DueDifference {
  readonly id: string;
  /** When it is due by its document, milliseconds since 1970; null: it does not wait, or there is none. */
  readonly at: number | null;
  /** When it is due by the index; null: the index does not have it. */
  readonly was: number | null;
}

/**
 * Compares a due index with the documents it is derived from, item by item. Reads the index a second time only where it
 * lacks something.
 * @param scan reads the index
 * @param isChanging of an item that is written meanwhile: its place is not judged
 */
export async function dueDifferences(
  scan: () => AsyncIterable<readonly DueSlot[]>,
  items: WaitingItems,
  isChanging: (key: string) => boolean = () => false,
): Promise<DueDifference[]> {
  const found: DueDifference[] = [];
  const pause = new EventLoopYield();
  const isRight = ({ id, at, isBroken }: DueSlot): boolean =>
    isBroken !== true && items.deadlineOf(id) === at;
  let right = 0;
  for await (const slots of scan()) {
    for (const slot of slots) {
      if (isRight(slot)) right += 1;
      else if (!isChanging(slot.id)) {
        found.push({ id: slot.id, at: items.deadlineOf(slot.id) ?? null, was: slot.at });
      }
    }
    if (pause.isDue) await pause.take();
  }
  if (right === items.waiting) return found;
  const known = new Set(found.map(({ id }) => id));
  for await (const slots of scan()) {
    for (const slot of slots) if (isRight(slot)) known.add(slot.id);
    if (pause.isDue) await pause.take();
  }
  for (const id of items.waitingKeys()) {
    if (!known.has(id) && !isChanging(id)) {
      found.push({ id, at: items.deadlineOf(id) ?? null, was: null });
    }
  }
  return found;
}

/** What an operator reads of differences. */
export function countDifferences(found: readonly DueDifference[]): {
  readonly missing: number;
  readonly moved: number;
  readonly surplus: number;
} {
  const missing = found.filter(({ was }) => was === null).length;
  const surplus = found.filter(({ at }) => at === null).length;
  return { missing, moved: found.length - missing - surplus, surplus };
}
