import type { Document, DueChange } from '../store/port.js';
import type { JournalEvent } from './entry.js';

/** A change of a document. */
export type ChangeText =
  | readonly [string, string, 'set' | 'merge', Document]
  | readonly [string, string, 'delete'];

/** An event; fields that nearly all events have alike are left out. */
type EventJson = Omit<JournalEvent, 'slots' | 'subject' | 'first'> & {
  first?: number | undefined;
  slots?: number | undefined;
  subject?: string | undefined;
};

/** The stored form of an entry, as JSON. */
export interface EntryJson {
  /** Milliseconds since 1970, for operators. */
  at: number;
  changes: ChangeText[];
  events: EventJson[];
  /** Changes of due indexes, where there are any. */
  due?: readonly DueChange[];
  /** Positions that it occupies, where these are several; earlier software wrote none (`formerSpanOf`). */
  span?: number | undefined;
}

/**
 * Most positions of an entry: its text has less than 2^29 characters, which is the limit of JavaScript, and two or more for
 * each id of an event.
 */
export const MAX_SPAN = 2 ** 28;

const AUDIENCES: ReadonlySet<unknown> = new Set(['all', 'users', 'subscribers']);

/**
 * Whether a text that was read back has the form of an entry: all that replaying and folding rely on. Entries written
 * before checksums were introduced may contain anything.
 *
 * The data of events and the documents in changes are not compared with their schemas here: a follower reads each
 * entry, and a transaction of this program, whose types the compiler compared, wrote what the checksum protects.
 * Documents are compared when they are loaded (`assertDocument`).
 */
export function isEntry(json: unknown): json is EntryJson {
  if (!isRecord(json)) return false;
  const { at, changes, events, due = [], span = 1 } = json;
  return (
    typeof at === 'number' &&
    Array.isArray(changes) &&
    changes.every(isChange) &&
    Array.isArray(events) &&
    events.every(isEvent) &&
    Array.isArray(due) &&
    due.every(isDueChange) &&
    Number.isSafeInteger(span) &&
    (span as number) > 0 &&
    (span as number) <= MAX_SPAN
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isChange(change: unknown): change is ChangeText {
  if (!Array.isArray(change)) return false;
  const [collection, id, op, fields] = change as readonly unknown[];
  if (typeof collection !== 'string' || typeof id !== 'string') return false;
  return op === 'delete' || ((op === 'set' || op === 'merge') && isRecord(fields));
}

function isEvent(event: unknown): event is EventJson {
  if (!isRecord(event)) return false;
  const { type, audience, data, slots = 1 } = event;
  const isAddressed = isRecord(audience) && AUDIENCES.has(audience.to);
  return typeof type === 'string' && isAddressed && isRecord(data) && Number.isSafeInteger(slots);
}

function isDueChange(change: unknown): change is DueChange {
  if (!isRecord(change)) return false;
  const { index, id, at, was = 0 } = change;
  const isTimed = (at === null || typeof at === 'number') && typeof was === 'number';
  return typeof index === 'string' && typeof id === 'string' && isTimed;
}
