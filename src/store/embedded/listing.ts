/** What an environment holds, found by leaping from one name to the next. */
import { isStorableName } from '../rules.js';
import type { Environment } from './environment.js';
import { COLLECTION_END, COLLECTION_START } from './encoding.js';

/** One slot of a due index. */
export interface DueSlot {
  readonly id: string;
  readonly at: number;
}

/** Sorts behind every key of an index: names have no such character. */
const AFTER_NAME = '\u0001';

/** Collections that have documents, ascending. */
export function collectionNames({ documents }: Environment): string[] {
  const names: string[] = [];
  for (;;) {
    const last = names.at(-1);
    const start =
      last === undefined
        ? { collection: '', id: COLLECTION_START }
        : { collection: last, id: COLLECTION_END };
    const [next] = [...documents.getKeys({ start, limit: 1 })];
    if (next === undefined) return names;
    names.push(next.collection);
  }
}

/** Due indexes that have slots, ascending. */
export function dueIndexNames({ due }: Environment): string[] {
  const names: string[] = [];
  for (;;) {
    const last = names.at(-1);
    const index = last === undefined ? '' : last + AFTER_NAME;
    const [next] = [...due.getKeys({ start: { index, at: null, id: '' }, limit: 1 })];
    if (next === undefined) return names;
    names.push(next.index);
  }
}

/** The next slots of an index after one, at most `limit`. */
export function dueSlots(
  { due }: Environment,
  index: string,
  after: DueSlot | null,
  limit: number,
): DueSlot[] {
  if (!isStorableName(index)) return [];
  const range = {
    start: { index, at: after?.at ?? 0, id: after?.id ?? '' },
    end: { index: index + AFTER_NAME, at: 0, id: '' },
    exclusiveStart: after !== null,
    limit,
  };
  const slots: DueSlot[] = [];
  for (const { id, at } of due.getKeys(range)) slots.push({ id, at: at ?? 0 });
  return slots;
}
