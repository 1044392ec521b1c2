/**
 * Merges that are durable before their documents are written. To write ten thousand documents takes half a
 * second in which every other commit would wait, though what changes of them is a few fields that they share. So a
 * commit of many merges writes them as one record, and small transactions behind it apply them to the documents,
 * others' commits in between. The record has as much room as the fields take; there is one at most.
 *
 * Whoever reads documents, in any process, puts the fields of the record over them: reads see the commit whole from
 * the moment it is durable. Merging once more changes nothing, so it does not matter how many are applied by then,
 * nor after a kill. A commit of many merges on top of unapplied ones makes one record of both; any other that writes a
 * document of the record has all of it applied first. A damaged record is made again of the journal
 * (`recovered-merges.ts`), else everything that needs it is refused.
 */
import { monotonicTime } from '../../../platform/time.js';
import { pause as delay } from '../../../platform/timers.js';
import { unsealDocument } from '../../checksum.js';
import {
  DamagedError,
  type Document,
  FencedError,
  UnusableStoreError,
  type DocumentKey,
  type StoredEntry,
  type Write,
} from '../../port.js';
import { UNAPPLIED_KEY, type Environment } from '../environment.js';
import type { EmbeddedStoreOptions } from '../options.js';
import { bringUpToDate, mergesOfJournal } from './recovered-merges.js';
import { intact, markOf, seqOf, sinceOf, type Merge, type Merges } from './unapplied-record.js';

/** Documents of one transaction that applies: a commit may wait behind it. */
const SLICE = 200;
/** The same while a commit waits until all are applied: each transaction waits for the disk twice. */
const LARGE_SLICE = 2000;
/** Text that one transaction reads from the store at most, UTF-16 units: it is parsed in one piece. */
const MAX_SLICE_LENGTH = 512 * 1024;

/** Before it is tried again where the store took no commit, as on a full disk. */
const RETRY_MS = 1000;
/** How long the end waits for what is left, milliseconds: another process waits to take over, and can go on with it. */
const END_MS = 300;

/** Documents that one transaction applies. */
export interface MergeSlice {
  readonly writes: readonly Write[];
  /** Merges that it applies; those of damaged documents have no write. */
  readonly count: number;
  readonly isLast: boolean;
}

/** UnappliedMerges is the record of a store, as a process last saw it. */
export class UnappliedMerges {
  /** {@link markOf} the record. */
  #mark: string | undefined;
  #merges: Merges | null = null;
  /** Position of the journal up to which entries were looked through for changes of these documents. */
  #head = 0;
  /** Mark of a damaged record, and what the journal up to a position has instead. */
  #damaged: { mark: string; head: number; merges: Merges } | null = null;
  /** Of the writer: the record, and what of it is left to be applied. */
  #written: Merges | null = null;
  #left: readonly Merge[] = [];
  #since = 0;

  /** @param store how the operator calls it */
  constructor(
    private readonly store: string,
    private readonly readChanges?: EmbeddedStoreOptions['readChanges'],
  ) {}

  /**
   * The merges that documents read from the environment lack.
   * @throws DamagedError where the record is not what was written, and the journal does not have them
   */
  of(environment: Environment): Merges | null {
    const { meta } = environment;
    const mark = meta.get(UNAPPLIED_KEY);
    if (mark === undefined || this.#written !== null) {
      if (mark === this.#mark) return this.#merges;
    } else if (mark === this.#mark && this.#merges !== null) {
      const head = headOf(environment);
      if (head === this.#head) return this.#merges;
      // A snapshot may be older: its merges are made anew.
      if (head > this.#head) return this.#upToDate(this.#merges, environment, head);
    }
    const isIntact = mark === undefined || this.#damaged?.mark !== mark;
    const merges = mark !== undefined && isIntact ? intact(mark, meta) : null;
    if (mark !== undefined && merges === null) return this.#recovered(mark, environment);
    this.#mark = mark;
    this.#merges = merges;
    if (merges === null) return null;
    this.#head = seqOf(mark!);
    return this.#upToDate(merges, environment, headOf(environment));
  }

  /** Merges with what a writer that does not know of the record has changed since. */
  #upToDate(merges: Merges, environment: Environment, head: number): Merges {
    if (this.readChanges) bringUpToDate(merges, environment, this.#head, this.readChanges);
    this.#head = head;
    return merges;
  }

  /** What is wrong with the record; null where nothing is. */
  fault({ meta }: Environment): DamagedError | null {
    const mark = meta.get(UNAPPLIED_KEY);
    return mark === undefined || intact(mark, meta) ? null : this.#differs();
  }

  #differs(): DamagedError {
    return new DamagedError(this.store, 'unapplied merges', 'their checksum differs');
  }

  /** Made again with each entry: the documents that it names may be written meanwhile without the record. */
  #recovered(mark: string, environment: Environment): Merges {
    const head = headOf(environment);
    const known = this.#damaged;
    if (known?.mark === mark && known.head === head) return known.merges;
    const { readChanges } = this;
    const merges = readChanges ? mergesOfJournal(environment, sinceOf(mark), readChanges) : null;
    if (merges === null) throw this.#differs();
    this.#damaged = { mark, head, merges };
    return merges;
  }

  /** What is left to be applied, for the writer. */
  get merges(): readonly Merge[] {
    return this.#left;
  }

  /** Whether anything is left to be applied, for the writer. */
  get isLeft(): boolean {
    return this.#left.length > 0;
  }

  /** Mark of the record that a commit of these entries leaves, for the writer. */
  markWith(entries: readonly StoredEntry[]): string {
    return markOf(entries.at(-1)!.seq, this.isLeft ? this.#since : entries[0]!.seq);
  }

  /** Begins to write: what a former writer left. */
  begin(environment: Environment): void {
    this.#written = this.of(environment);
    this.#mark = environment.meta.get(UNAPPLIED_KEY);
    this.#since = sinceOf(this.#mark ?? '');
    this.#merges = this.#written;
    this.#left = [...(this.#written?.values() ?? [])];
  }

  /** A commit left its merges. */
  left(mark: string, merges: Merges): void {
    this.#since = sinceOf(mark);
    this.#mark = mark;
    this.#merges = merges;
    this.#written = merges;
    this.#left = [...merges.values()];
  }

  /** Whether a commit with these writes must find all of them applied. */
  concerns(writes: readonly { readonly key: DocumentKey }[]): boolean {
    const merges = this.#written;
    return this.isLeft && merges !== null && writes.some(({ key }) => merges.has(key));
  }

  /**
   * The next documents to be applied, as they have to be written.
   * @param isAwaited a commit waits until all are applied
   */
  slice({ documents }: Environment, isAwaited: boolean): MergeSlice {
    const writes: Write[] = [];
    const most = Math.min(this.#left.length, isAwaited ? LARGE_SLICE : SLICE);
    let count = 0;
    for (let length = 0; count < most && length < MAX_SLICE_LENGTH; count += 1) {
      const merge = this.#left[count]!;
      let { document } = merge;
      if (!document) {
        const text = documents.get(merge.key);
        length += text?.length ?? 0;
        document = stored(text, merge);
      }
      if (document) writes.push({ op: 'set', key: merge.key, document });
    }
    return { writes, count, isLast: count === this.#left.length };
  }

  /** The slice is written. */
  applied({ count }: MergeSlice): void {
    this.#left = this.#left.slice(count);
    if (this.isLeft) return;
    this.#mark = undefined;
    this.#merges = this.#written = null;
  }

  /** Another process writes from now on: what is left is for it, and still read here. */
  forget(): void {
    this.#written = null;
    this.#left = [];
    if (this.#damaged === null) return;
    this.#mark = undefined;
    this.#merges = null;
  }
}

/** Position of the newest entry; 0 where there is none. */
function headOf({ journal }: Environment): number {
  const [head = 0] = journal.getKeys({ reverse: true, limit: 1 });
  return head;
}

/** A document with the merge; undefined for a damaged one, which is reported when it is read. */
function stored(text: string | undefined, { key, fields }: Merge): Document | undefined {
  const intact = text === undefined ? null : unsealDocument(key, text);
  if (intact === null) return undefined;
  try {
    return { ...(JSON.parse(intact) as Document), ...fields };
  } catch {
    // Of a format without checksums.
    return undefined;
  }
}

/** A document as it is after the merges. */
export function merged(merges: Merges | null, key: DocumentKey, document: Document): Document {
  const merge = merges?.get(key);
  return merge ? { ...document, ...merge.fields } : document;
}

/** MergeApplier has what commits left applied in the background, one small commit after another */
export class MergeApplier {
  #running: Promise<void> | null = null;
  #ending = new AbortController();
  /** When it ends whatever is left, by the steady clock. */
  #until = Infinity;

  /**
   * @param isLeft whether there is more to apply
   * @param applySome applies some of it as a commit in line with all others
   */
  constructor(
    private readonly isLeft: () => boolean,
    private readonly applySome: (token: number) => Promise<void>,
  ) {}

  /** Begins, unless it is under way or there is nothing. */
  start(token: number): void {
    if (this.#running !== null || !this.isLeft()) return;
    this.#ending = new AbortController();
    this.#until = Infinity;
    this.#running = this.#run(token, this.#ending.signal).finally(() => (this.#running = null));
  }

  /** Resolves when all is applied, or cannot be now, or has taken too long. */
  async end(): Promise<void> {
    this.#until = monotonicTime() + END_MS;
    this.#ending.abort();
    await this.#running;
  }

  async #run(token: number, ending: AbortSignal): Promise<void> {
    while (this.isLeft() && monotonicTime() < this.#until) {
      try {
        await this.applySome(token);
      } catch (error) {
        // What is left stays readable, and the next writer continues with it.
        if (error instanceof FencedError || error instanceof UnusableStoreError) return;
        if (ending.aborted) return;
        await delay(RETRY_MS, undefined, { signal: ending, ref: false }).catch(() => undefined);
      }
    }
  }
}
