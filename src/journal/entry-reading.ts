/** Stored entries read back: for replay, by nodes that follow, and by checks of a store. */
import type { EntryChange, EntryChanges, StoredEntry } from '../store/port.js';
import { isEntry, MAX_SPAN, type ChangeText, type EntryJson } from './entry-form.js';
import {
  type JournalEvent,
  type Position,
  type SubjectDocument,
  type SubjectReference,
} from './entry.js';

/** The changes that an entry made in the store. @throws Error for a text that is not an entry */
export function changesOf({ text }: StoredEntry): EntryChanges {
  const json = JSON.parse(text) as unknown;
  if (!isEntry(json)) throw new Error('The text is not an entry');
  const { changes, due = [] } = json;
  return { changes: changes.map(changeOf), due };
}

function changeOf([collection, id, op, fields]: ChangeText): EntryChange {
  const key = { collection, id };
  return op === 'delete' ? { op, key } : { op, key, fields };
}

/** A stored entry read back for replay: its events, each with the document it shows. */
export interface ReplayedEntry {
  readonly position: Position;
  /** When it was written, milliseconds since 1970. */
  readonly at: number;
  readonly events: readonly { event: JournalEvent; subject: SubjectDocument | undefined }[];
}

/** Event ids that earlier software gave to the events of one position. */
const FORMER_EVENTS_PER_SEQ = 512;

/** Positions of an entry that does not say them: one, or what earlier software gave it. */
function formerSpanOf(slots: number): number {
  return Math.max(1, Math.ceil(slots / FORMER_EVENTS_PER_SEQ));
}

/**
 * The position of a stored entry. One that cannot be read gets as many positions as an entry may have, because the real
 * number is unknown; a term that finds too many ids used begins them anew.
 */
export function positionOf(stored: StoredEntry): Position {
  const position = readEntry(stored)?.position;
  if (position) return position;
  return { seq: stored.seq, span: MAX_SPAN, slots: MAX_SPAN };
}

/** The position of the entry that follows this one. */
export function endOf({ seq, span }: Position): number {
  return seq + span;
}

/** Decodes a stored entry; null where it is damaged or not an entry. */
export function readEntry(stored: StoredEntry): ReplayedEntry | null {
  return readAs(stored, (json) => decode(stored.seq, json));
}

/** A stored entry read by a node that follows: its events, and what it changed. */
export interface FollowedEntry extends ReplayedEntry {
  readonly changes: readonly EntryChange[];
}

/** Like `readEntry`, with the changes; the text is parsed once. */
export function readFollowedEntry(stored: StoredEntry): FollowedEntry | null {
  return readAs(stored, (json) => ({
    ...decode(stored.seq, json),
    changes: json.changes.map(changeOf),
  }));
}

function readAs<T>(stored: StoredEntry, decoded: (json: EntryJson) => T): T | null {
  if (stored.damaged) return null;
  try {
    const json = JSON.parse(stored.text) as unknown;
    return isEntry(json) ? decoded(json) : null;
  } catch {
    return null;
  }
}

function decode(seq: number, json: EntryJson): ReplayedEntry {
  const subjects = new Map<string, SubjectDocument>();
  for (const [collection, id, op, value] of json.changes) {
    if (op === 'set' && collection === 'message') {
      subjects.set(`${collection}:${id}`, value as SubjectDocument);
    }
  }
  let slots = 0;
  const events = json.events.map((event) => {
    const { type, audience, data, slots: own = 1, subject: named, first } = event;
    slots += own;
    const subject = subjectReference(named);
    const full: JournalEvent = { type, audience, data, slots: own, subject, first };
    return { event: full, subject: named ? subjects.get(named) : undefined };
  });
  return { position: { seq, span: json.span ?? formerSpanOf(slots), slots }, at: json.at, events };
}

/** The reference in a stored event. */
function subjectReference(text: string | undefined): SubjectReference | undefined {
  const [collection, id] = text?.split(':') ?? [];
  return collection === 'message' ? { collection, id: Number(id) } : undefined;
}
