/**
 * Fields that no reader knows: whatever they say is missing here, so the operator hears of them. Each reader names the
 * fields that it takes of a kind of row, and those that say nothing once the row is here.
 */
import type { JsonRow } from './json-rows.js';

/** Notes what is left out. @param what in the plural @param example one of them */
export type NoteLeft = (what: string, example: string) => void;

/** Notes each field of a row that is not among the known ones and has something in it. @param rows what they are called */
export function noteUnknown(
  row: JsonRow,
  known: ReadonlySet<string>,
  rows: string,
  note: NoteLeft,
): void {
  for (const [name, value] of Object.entries(row)) {
    if (!known.has(name) && saysSomething(value))
      note(`fields of ${rows} that are unknown here`, name);
  }
}

function saysSomething(value: unknown): boolean {
  if (value === null || value === false || value === '' || value === 0) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
