import type { MessageDocument } from '../../schemas/messages/message-document.js';
import type { EventLoopYield } from '../event-loop-yield.js';
import type {
  Document,
  DueChange,
  EntryChange,
  EntryChanges,
  StoredEntry,
  Write,
} from '../store/port.js';

/**
 * Who receives an event, resolved when the entry is made (architecture.md#audiences).
 *
 * - `all`: every queue of the organization, except those of the users named.
 * - `users`: the users named.
 * - `subscribers`: who was subscribed to the channel at the entry's position, and the users named beside
 *   them, who are not. Stored by name only, so that a message to ten thousand people costs the journal
 *   nothing per person.
 */
export type Audience =
  | { readonly to: 'all'; readonly except?: readonly number[] }
  | { readonly to: 'users'; readonly users: readonly number[] }
  | {
      readonly to: 'subscribers';
      readonly channel: number;
      readonly also?: readonly number[];
      readonly except?: readonly number[];
    };

/** The data of an event before a renderer adapts it to a receiver; plain JSON. */
export type EventData = Readonly<Record<string, unknown>>;

/** The collections whose documents events show, and what their documents are. */
interface SubjectDocuments {
  readonly message: MessageDocument;
}

/** A document that an event shows. */
export type SubjectDocument = SubjectDocuments[keyof SubjectDocuments];

/**
 * Names a document that the event's own entry sets. Kept once, in the entry's changes; stored as
 * `collection:id`.
 */
export interface SubjectReference {
  readonly collection: keyof SubjectDocuments;
  readonly id: number;
}

/** One event as a transaction emits it and the journal keeps it. */
export interface JournalEvent {
  readonly type: string;
  readonly audience: Audience;
  readonly data: EventData;
  /** Ids the event takes; above 1 where some receivers get several bodies (one-by-one deletions). */
  readonly slots: number;
  /** The document the event shows, such as the message of a `message` event. */
  readonly subject?: SubjectReference;
  /** This user's queues are served before the others (events.md#order). */
  readonly first?: number;
}

/** The documents and events of one transaction, which commit together. */
export interface EntryContent {
  readonly writes: readonly Write[];
  readonly events: readonly JournalEvent[];
  readonly due: readonly DueChange[];
}

/** Event ids per journal position. The upper half stays free for queue-local events (heartbeats). */
export const EVENT_STRIDE = 1024;
const EVENTS_PER_SEQ = EVENT_STRIDE / 2;

/** The position of an entry in the journal and its distance to the next entry. */
export interface Position {
  readonly seq: number;
  /** The next entry's position is `seq + span`. */
  readonly span: number;
  /** Ids taken by the entry's events. */
  readonly slots: number;
}

/** Positions that an entry with so many event ids occupies; usually 1. */
export function spanOf(slots: number): number {
  return Math.max(1, Math.ceil(slots / EVENTS_PER_SEQ));
}

/** The cursor of a client that has received everything before the events of `seq`. */
export function cursorBefore(seq: number): number {
  return seq * EVENT_STRIDE;
}

/** Id of the `slot`-th event (from 0) of an entry. Ids stay below 2^53 for 2^43 entries. */
export function eventId(seq: number, slot: number): number {
  return seq * EVENT_STRIDE + 1 + slot;
}

/** The newest event id of an entry; its cursor where it has no events. */
export function lastEventId(position: Position): number {
  return position.seq * EVENT_STRIDE + position.slots;
}

/** The first id that belongs to a later entry. */
export function endOfIds(position: Position): number {
  return (position.seq + position.span) * EVENT_STRIDE;
}

/** Journal position an event id or cursor belongs to (entries of several positions: the first or later). */
export function seqOfId(id: number): number {
  return Math.floor(id / EVENT_STRIDE);
}

type ChangeText =
  | readonly [string, string, 'set' | 'merge', Document]
  | readonly [string, string, 'delete'];

type EventJson = Omit<JournalEvent, 'slots' | 'subject' | 'first'> & {
  first?: number | undefined;
  slots?: number | undefined;
  subject?: string | undefined;
};

interface EntryJson {
  /** Milliseconds since 1970, for operators. */
  at: number;
  changes: ChangeText[];
  events: EventJson[];
  /** Changes of due indexes, where there are any. */
  due?: readonly DueChange[];
}

function changeText(write: Write): ChangeText {
  const { collection, id } = write.key;
  if (write.op === 'delete') return [collection, id, 'delete'];
  return [collection, id, write.op, write.op === 'set' ? write.document : write.fields];
}

/** The stored form of an entry. */
export function encodeEntry(seq: number, at: number, content: EntryContent): StoredEntry {
  const { writes } = content;
  const encode = writes.length >= MANY_WRITES ? changeEncoder() : changeJson;
  return storedEntry(seq, at, writes.map(encode), content);
}

/** Element of `changes`. The text of a whole document is kept for the store, which encodes it otherwise once more. */
function changeJson(write: Write): string {
  if (write.op !== 'set') return JSON.stringify(changeText(write));
  const { collection, id } = write.key;
  write.text ??= JSON.stringify(write.document);
  return `[${JSON.stringify(collection)},${JSON.stringify(id)},"set",${write.text}]`;
}

/** From this number of writes on, encoding yields to the event loop; smaller entries take at most 2 ms. */
export const LARGE_ENTRY_WRITES = 500;

/**
 * Like `encodeEntry`, but yields to the event loop in between. Documents are immutable, so encoding them
 * later gives the same text.
 */
export async function encodeLargeEntry(
  seq: number,
  at: number,
  content: EntryContent,
  pause: EventLoopYield,
): Promise<StoredEntry> {
  const encode = changeEncoder();
  const changes: string[] = [];
  for (const write of content.writes) {
    changes.push(encode(write));
    if (pause.isDue) await pause.take();
  }
  return storedEntry(seq, at, changes, content);
}

function eventsJson({ events }: EntryContent): EntryJson['events'] {
  // Each field by its name: to copy the rest of an object takes as long as to encode it.
  return events.map(({ type, audience, data, first, slots, subject }) => ({
    type,
    audience,
    data,
    first,
    slots: slots === 1 ? undefined : slots,
    subject: subject && `${subject.collection}:${subject.id}`,
  }));
}

/** The reference in a stored event. */
function subjectReference(text: string | undefined): SubjectReference | undefined {
  const [collection, id] = text?.split(':') ?? [];
  return collection === 'message' ? { collection, id: Number(id) } : undefined;
}

/** The document of a reference, set by the same entry. */
export function subjectOf(
  { writes }: EntryContent,
  { collection, id }: SubjectReference,
): SubjectDocument | undefined {
  const text = String(id);
  for (const write of writes) {
    if (write.op === 'set' && write.key.id === text && write.key.collection === collection) {
      return write.document as SubjectDocument;
    }
  }
  return undefined;
}

function storedEntry(
  seq: number,
  at: number,
  changes: readonly string[],
  content: EntryContent,
): StoredEntry {
  const events = JSON.stringify(eventsJson(content));
  const due = dueJson(content);
  const rest = due === undefined ? '' : `,"due":${JSON.stringify(due)}`;
  return { seq, text: `{"at":${at},"changes":[${changes.join()}],"events":${events}${rest}}` };
}

function dueJson({ due }: EntryContent): readonly DueChange[] | undefined {
  return due.length > 0 ? due : undefined;
}

/** The changes that an entry made in the store. @throws Error for a text that is not an entry */
export function changesOf({ text }: StoredEntry): EntryChanges {
  const { changes, due = [] } = JSON.parse(text) as EntryJson;
  return { changes: changes.map(changeOf), due };
}

function changeOf([collection, id, op, fields]: ChangeText): EntryChange {
  const key = { collection, id };
  return op === 'delete' ? { op, key } : { op, key, fields };
}

/**
 * From this number of writes on an entry most likely comes from one change of many documents that share the
 * changed fields.
 */
const MANY_WRITES = 100;

/** Encodes the elements of `changes`; fields that documents share are encoded once. */
function changeEncoder(): (write: Write) => string {
  let value: Document | undefined;
  let valueText = '';
  return (write) => {
    const change = changeText(write);
    if (change[3] === undefined) return JSON.stringify(change);
    if (change[3] !== value) {
      value = change[3];
      valueText = JSON.stringify(value);
    }
    return `[${JSON.stringify(change[0])},${JSON.stringify(change[1])},"${change[2]}",${valueText}]`;
  };
}

/** A stored entry read back for replay: its events, each with the document it shows. */
export interface ReplayedEntry {
  readonly position: Position;
  /** When it was written, milliseconds since 1970. */
  readonly at: number;
  readonly events: readonly { event: JournalEvent; subject: SubjectDocument | undefined }[];
}

/**
 * Positions reserved for a damaged entry, whose real number is unknown: far more than any entry takes.
 * Positions are plentiful.
 */
const DAMAGED_SPAN = 1024;

/** The position of a stored entry; an unreadable entry gets more room than any entry needs. */
export function positionOf(stored: StoredEntry): Position {
  const position = readEntry(stored)?.position;
  if (position) return position;
  return { seq: stored.seq, span: DAMAGED_SPAN, slots: DAMAGED_SPAN * EVENTS_PER_SEQ };
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
    if (op === 'set') subjects.set(`${collection}:${id}`, value as SubjectDocument);
  }
  let slots = 0;
  const events = json.events.map((event) => {
    const { slots: own = 1, subject, ...rest } = event;
    slots += own;
    const full: JournalEvent = { ...rest, slots: own, subject: subjectReference(subject) };
    return { event: full, subject: subject ? subjects.get(subject) : undefined };
  });
  return { position: { seq, span: spanOf(slots), slots }, at: json.at, events };
}

/** Entries written before checksums were introduced may contain anything. */
function isEntry(json: unknown): json is EntryJson {
  const { changes, events } = (json ?? {}) as Partial<EntryJson>;
  return Array.isArray(changes) && Array.isArray(events) && events.every(isEvent);
}

function isEvent(event: Partial<EventJson> | null): boolean {
  const { type, audience, data, slots = 1 } = event ?? {};
  const isAddressed = AUDIENCES.has((audience as { to?: unknown } | undefined)?.to);
  const isShown = typeof data === 'object' && data !== null;
  return typeof type === 'string' && isAddressed && isShown && Number.isSafeInteger(slots);
}

const AUDIENCES: ReadonlySet<unknown> = new Set(['all', 'users', 'subscribers']);
