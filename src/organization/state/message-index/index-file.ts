import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { open, readFile, rename } from '../../../platform/files.js';
import { nextTurn } from '../../../platform/timers.js';
import { endOf, readEntry, readFollowedEntry } from '../../../journal/entry-reading.js';
import type { EntryChange, Store } from '../../../store/port.js';
import { FoldError } from '../fold.js';
import { bytesOf, imageFrom, SUM_BYTES, sumBytes, type IndexOrigin } from './index-bytes.js';
import type { IndexImage } from './index-image.js';
import { MessageIndex } from './message-index.js';

/** Only the account of the server may read and write it: it names topics. */
const FILE_MODE = 0o600;
/** Bytes that are summed and written at once: half a millisecond. */
const PIECE_BYTES = 1024 * 1024;
/** Bytes of a file that are summed at once when it is read: some milliseconds. */
const SUMMED_BYTES = 16 * 1024 * 1024;
/** Rows of the largest index that is kept: its file can be read into one buffer, which ends at 2 GB. */
const MAX_ROWS = 60_000_000;
/** Journal entries read at a time. */
const BATCH = 500;
/** An entry costs about as much as so many messages that are loaded from their documents. */
const MESSAGES_PER_ENTRY = 4;
/** Entries that are folded in any case. */
const FEW_ENTRIES = 10_000;

/** Rows that are looked at together: some milliseconds. */
const ROWS_AT_ONCE = 1_000_000;
const GAP = 'needs journal entries that are missing or damaged';

/** Where an index comes from. */
interface KeptIndex {
  readonly index: MessageIndex;
  /** Entries that were folded into it. */
  readonly folded: number;
  /** Where the journal goes on after them. */
  readonly next: number;
}

/**
 * Why an index that is kept is not used, as a phrase after "it", and is made anew of the messages.
 * @param isDamage it is not what was written; otherwise it does not fit the journal, or another version wrote it
 */
type Unused = (why: string, isDamage: boolean) => void;

/** An image of the index, and the journal entry that it was made at. */
export interface KeptImage {
  readonly image: IndexImage;
  readonly seq: number;
  /** The newest message id that was assigned. */
  readonly lastId: number;
}

/**
 * IndexFile keeps an image of the message index beside the store, so that a start need not read every
 * message: it reads the image, and folds what the journal has after it. The image is derived. One that is
 * damaged, of another format, of another journal, or older than the journal is told, and the messages are read.
 */
export class IndexFile {
  private saving: Promise<void> = Promise.resolve();
  private kept: number | null = null;

  /** @param path null: nothing is kept */
  constructor(
    private readonly path: string | null,
    private readonly store: Pick<Store, 'readJournal' | 'lastEntry'>,
    private readonly failed: (error: unknown) => void,
    private readonly unused: Unused = () => undefined,
  ) {}

  /**
   * The index as the documents have it now; null where the messages must be read.
   * @param lastId the newest message id that was assigned, as the documents say
   */
  async load(lastId: number): Promise<KeptIndex | null> {
    const found = await this.read();
    if (!found) return null;
    let next = await this.endOfOrigin(found.origin);
    if (next === null) return this.notUsed('is of another journal than the store has');
    if (!(await isSound(found.image))) return this.notUsed('contradicts itself', true);
    const index = await made(found.image);
    const most = Math.max(FEW_ENTRIES, index.size / MESSAGES_PER_ENTRY);
    let { lastId: assigned } = found.origin;
    let folded = 0;
    for (;;) {
      const entries = await this.store.readJournal(next, Number.MAX_SAFE_INTEGER, BATCH);
      // The index lacks what was written past the journal, and what the newest entries changed if these are gone.
      if (entries.length === 0) {
        if (lastId > assigned) return this.notUsed('lacks what was written past the journal');
        if ((await this.store.lastEntry())?.damaged) return this.notUsed(GAP);
        this.kept = found.origin.seq;
        return { index, folded, next };
      }
      folded += entries.length;
      if (folded > most) return this.notUsed('is too old for the journal');
      for (const stored of entries) {
        const entry = readFollowedEntry(stored);
        // Where one is missing, the documents have what it changed.
        if (!entry || stored.seq !== next) return this.notUsed(GAP);
        if (!folds(index, stored.seq, entry.changes)) {
          return this.notUsed('is not what the journal was written from', true);
        }
        assigned = assignedBy(entry.changes) ?? assigned;
        next = endOf(entry.position);
      }
      await nextTurn();
    }
  }

  /** Whether an index is kept at all. */
  get isKept(): boolean {
    return this.path !== null;
  }

  /** Position up to which the journal is not needed any more for the file; null where there is none. */
  get position(): number | null {
    return this.kept;
  }

  /**
   * Writes an image that has everything up to its position. What it has besides must be durable. A failure is
   * reported.
   */
  save({ image, seq, lastId }: KeptImage): Promise<void> {
    const { path } = this;
    if (path === null || image.rows.id.length > MAX_ROWS) return this.saving;
    this.saving = this.saving
      .then(async () => {
        const [entry] = await this.store.readJournal(seq, seq, 1);
        if (entry?.seq !== seq || entry.damaged) return;
        await this.write(path, bytesOf(image, { seq, entry: digestOf(entry.text), lastId }));
        this.kept = seq;
      })
      .catch((error: unknown) => this.failed(error));
    return this.saving;
  }

  /** Resolves when everything is written that was to be. */
  settled(): Promise<void> {
    return this.saving;
  }

  private notUsed(why: string, isDamage = false): null {
    this.unused(why, isDamage);
    return null;
  }

  private async read() {
    if (this.path === null) return null;
    try {
      const bytes = await readFile(this.path);
      if (!(await isWhole(bytes))) return this.notUsed('has another checksum', true);
      return imageFrom(bytes) ?? this.notUsed('has the format of another version');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.failed(error);
      return null;
    }
  }

  /** Where the journal goes on after the entry that an image ends with; null where it does not have it. */
  private async endOfOrigin({ seq, entry }: IndexOrigin): Promise<number | null> {
    const [found] = await this.store.readJournal(seq, seq, 1);
    if (found?.seq !== seq || digestOf(found.text) !== entry) return null;
    const read = readEntry(found);
    return read && endOf(read.position);
  }

  /** Replaces the file. A power cut may leave a part of it, whose checksum differs. */
  private async write(path: string, bytes: Iterable<Uint8Array>): Promise<void> {
    const draft = `${path}.part`;
    const file = await open(draft, 'w', FILE_MODE);
    try {
      let sum = 0;
      for (const part of bytes) {
        if (part.length === 0) await nextTurn();
        for (let from = 0; from < part.length; from += PIECE_BYTES) {
          const piece = part.subarray(from, from + PIECE_BYTES);
          sum = crc32(piece, sum);
          await file.writeFile(piece);
        }
      }
      await file.writeFile(sumBytes(sum));
    } finally {
      await file.close();
    }
    await rename(draft, path);
  }
}

/** Whether the rows of an image ascend, and name spellings and topics that it has. */
async function isSound({ rows, spellings, topics }: IndexImage): Promise<boolean> {
  if (spellings.some(([topic]) => topics[topic] === undefined)) return false;
  for (let from = 0; from < rows.id.length; from += ROWS_AT_ONCE) {
    const end = Math.min(rows.id.length, from + ROWS_AT_ONCE);
    for (let row = from; row < end; row++) {
      if (rows.topic[row]! >= spellings.length) return false;
      if (row > 0 && rows.id[row]! <= rows.id[row - 1]!) return false;
    }
    await nextTurn();
  }
  return true;
}

async function made(image: IndexImage): Promise<MessageIndex> {
  const work = MessageIndex.from(image);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** Whether a file has all of what was written. */
async function isWhole(bytes: Buffer): Promise<boolean> {
  const end = bytes.length - SUM_BYTES;
  if (end < 0) return false;
  let sum = 0;
  for (let from = 0; from < end; from += SUMMED_BYTES) {
    sum = crc32(bytes.subarray(from, Math.min(end, from + SUMMED_BYTES)), sum);
    await nextTurn();
  }
  return sum === bytes.readUInt32LE(end);
}

/** Folds an entry; false where the index is not what the journal was written from. */
function folds(index: MessageIndex, seq: number, changes: readonly EntryChange[]): boolean {
  const own = changes.filter(({ key }) => key.collection === 'message');
  if (own.length === 0) return true;
  try {
    index.fold(own, { seq, tolerant: false });
    return true;
  } catch (error) {
    if (error instanceof FoldError) return false;
    throw error;
  }
}

/** The newest message id that an entry assigned, if it assigned one. */
function assignedBy(changes: readonly EntryChange[]): number | undefined {
  for (const change of changes) {
    if (change.op === 'delete' || change.key.collection !== 'counter') continue;
    if (change.key.id === 'message') return Number(change.fields['last']);
  }
  return undefined;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
