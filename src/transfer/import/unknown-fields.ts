/**
 * Fields that no reader knows: whatever they say is missing here, so the operator hears of them. Each reader names the
 * fields of each kind of row that it takes, and those that say nothing once the row is here; every other field with
 * something in it is counted by its name.
 */
import type { JsonRow } from './json-rows.js';

/** Notes what is left out. @param what in the plural @param example one of them; empty where only its place is known */
export type NoteLeft = (what: string, example: string) => void;

/** A kind of row. */
export interface RowKind {
  /** What its rows are called in reports. */
  readonly rows: string;
  /** Fields that are taken or say nothing. */
  readonly known: ReadonlySet<string>;
  /** Beginnings of such fields, where there are many. */
  readonly beginnings: readonly string[];
  /** Fields that hold a row or a list of rows, with its kind. */
  readonly within: Readonly<Record<string, RowKind>>;
}

/**
 * @param rows what the rows are called in reports, in the plural
 * @param known names of fields; `thumb_*` is each that begins so
 * @param within fields that hold rows
 */
export function rowKind(
  rows: string,
  known: readonly string[],
  within: Readonly<Record<string, RowKind>> = {},
): RowKind {
  const isBeginning = (name: string): boolean => name.endsWith('*');
  return {
    rows,
    known: new Set(known.filter((name) => !isBeginning(name))),
    beginnings: known.filter(isBeginning).map((name) => name.slice(0, -1)),
    within,
  };
}

/** What is named of a field, UTF-16 units. */
const MAX_NAME = 60;

/** Notes each field of a row, and of the rows within it, that is not known and has something in it. */
export function noteUnknown(row: JsonRow, kind: RowKind, note: NoteLeft): void {
  for (const [name, value] of Object.entries(row)) {
    if (!saysSomething(value)) continue;
    const inner = kind.within[name];
    if (inner) for (const one of rowsIn(value)) noteUnknown(one, inner, note);
    else if (!isKnown(name, kind)) {
      note(`fields of ${kind.rows} that are unknown here: ${name.slice(0, MAX_NAME)}`, '');
    }
  }
}

function isKnown(name: string, { known, beginnings }: RowKind): boolean {
  return known.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
}

function rowsIn(value: unknown): JsonRow[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is JsonRow => {
    return typeof one === 'object' && one !== null && !Array.isArray(one);
  });
}

function saysSomething(value: unknown): boolean {
  if (value === null || value === false || value === '' || value === 0) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
