/** Values of rows that nobody has checked. */
import type { JsonRow } from '../json-rows.js';

/** A text of a row; empty where there is none. */
export function text(row: JsonRow, field: string): string {
  const value = row[field];
  return typeof value === 'string' ? value : '';
}

/** A part of a row that is one of its own; empty where there is none. */
export function part(row: JsonRow, field: string): JsonRow {
  return rowsIn([row[field]])[0] ?? {};
}

/** Rows of a list; none where there is no list. */
export function listIn(row: JsonRow, field: string): readonly JsonRow[] {
  const list = row[field];
  return Array.isArray(list) ? rowsIn(list) : [];
}

/** Texts of a list. */
export function textsIn(row: JsonRow, field: string): string[] {
  const list = row[field];
  return Array.isArray(list) ? (list as unknown[]).filter((one) => typeof one === 'string') : [];
}

function rowsIn(list: readonly unknown[]): readonly JsonRow[] {
  return list.filter((one): one is JsonRow => {
    return typeof one === 'object' && one !== null && !Array.isArray(one);
  });
}

/** Milliseconds since 1970 of a date as text; 0 where it is none, or before 1970. */
export function timeOf(date: string): number {
  const time = Date.parse(date);
  return time > 0 ? time : 0;
}
