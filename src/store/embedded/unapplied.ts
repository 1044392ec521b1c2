/**
 * Merges that are durable before their documents are written. To write ten thousand documents takes half a
 * second in which every other commit would wait, though what changes of them is a few fields that they share. So a
 * commit of many merges writes them as one record, and small transactions behind it apply them to the documents,
 * others' commits in between. The record has as much room as the fields take; there is one at most.
 *
 * Whoever reads documents, in any process, puts the fields of the record over them: reads see the commit whole from
 * the moment it is durable. Merging once more changes nothing, so it does not matter how many are applied by then,
 * nor after a kill. A commit of many merges on top of unapplied ones makes one record of both; any other that writes a
 * document of the record has all of it applied first.
 */
import { EventLoopYield } from '../../event-loop-yield.js';
import { unsealDocument, unsealEntry } from '../checksum.js';
import { DamagedError, type Document, type DocumentKey, type Write } from '../port.js';
import { UNAPPLIED_KEY, UNAPPLIED_MERGES_KEY, type Environment } from './environment.js';
import type { LargeWrites } from './encoding.js';

/** Fewer merges than this are written at once: their documents take some milliseconds. */
const LEAST = 500;
/** Most in a record: a commit that needs all of them applied waits some seconds for that. */
const MOST = 100_000;
/** Documents of one transaction that applies: a commit may wait behind it. */
const SLICE = 200;

/** One merge; a process that read it from the record has no whole document. */
export interface Merge {
  readonly key: DocumentKey;
  readonly fields: Document;
  readonly document?: Document;
}

/** Merges by `collection:id`. */
export type Merges = ReadonlyMap<string, Merge>;

interface RecordJson {
  /** The values that merges have, each once. */
  readonly fields: readonly Document[];
  /** Per collection the ids, and by number the fields of each. */
  readonly of: readonly (readonly [string, readonly string[], readonly number[]])[];
}

/** What a commit leaves to be applied. */
export interface Deferred {
  readonly merges: Merges;
  /** The record. */
  readonly text: string;
  /** The writes that are not deferred. */
  readonly rest: readonly Write[];
}

export function nameOf({ collection, id }: DocumentKey): string {
  return `${collection}:${id}`;
}

/**
 * What of a large commit is deferred; null where it has too few merges, or writes a document twice.
 * @param left what earlier commits left to be applied
 */
export async function defer(
  { writes }: LargeWrites,
  left: readonly Merge[],
): Promise<Deferred | null> {
  const pause = new EventLoopYield(true);
  const names = new Set<string>();
  const merges = new Map<string, Merge>();
  for (const merge of left) merges.set(nameOf(merge.key), merge);
  const rest: Write[] = [];
  const joined = new JoinedFields();
  let count = 0;
  for (const write of writes) {
    const name = nameOf(write.key);
    names.add(name);
    const earlier = merges.get(name);
    if (write.op === 'merge') {
      merges.set(name, earlier ? joined.merge(earlier, write) : write);
      count += 1;
    } else {
      // It would be written before the earlier merge of the same document is applied.
      if (earlier) return null;
      rest.push(write);
    }
    if (pause.isDue) await pause.take();
  }
  if (count < LEAST || names.size < writes.length || merges.size > MOST) return null;
  const record = new RecordMaker();
  for (const merge of merges.values()) {
    record.add(merge);
    if (pause.isDue) await pause.take();
  }
  return { merges, rest, text: record.text() };
}

/** JoinedFields are the fields of two merges of one document; documents that share both share them. */
class JoinedFields {
  private readonly known = new Map<Document, Map<Document, Document>>();

  merge({ fields: earlier }: Merge, later: Merge): Merge {
    let known = this.known.get(earlier);
    if (!known) this.known.set(earlier, (known = new Map<Document, Document>()));
    let fields = known.get(later.fields);
    if (!fields) known.set(later.fields, (fields = { ...earlier, ...later.fields }));
    return new JoinedMerge(later, fields);
  }
}

/** The document is made when it is asked for. */
class JoinedMerge implements Merge {
  constructor(
    private readonly later: Merge,
    readonly fields: Document,
  ) {}

  get key(): DocumentKey {
    return this.later.key;
  }

  get document(): Document | undefined {
    return this.later.document;
  }
}

class RecordMaker {
  private readonly fields = new Map<Document, number>();
  private readonly of = new Map<string, [ids: string[], numbers: number[]]>();

  add({ key: { collection, id }, fields }: Merge): void {
    let number = this.fields.get(fields);
    if (number === undefined) this.fields.set(fields, (number = this.fields.size));
    let lists = this.of.get(collection);
    if (!lists) this.of.set(collection, (lists = [[], []]));
    lists[0].push(id);
    lists[1].push(number);
  }

  text(): string {
    const of = Array.from(this.of, ([collection, lists]) => [collection, ...lists] as const);
    return JSON.stringify({ fields: [...this.fields.keys()], of } satisfies RecordJson);
  }
}

function mergesOf({ fields, of }: RecordJson): Merges {
  const merges = new Map<string, Merge>();
  for (const [collection, ids, numbers] of of) {
    ids.forEach((id, i) => {
      const key = { collection, id };
      merges.set(nameOf(key), { key, fields: fields[numbers[i]!]! });
    });
  }
  return merges;
}

/** UnappliedMerges is the record of a store, as a process last saw it. */
export class UnappliedMerges {
  /** Position of the commit that left the record, as text. */
  #mark: string | undefined;
  #merges: Merges | null = null;
  /** Of the writer: the record, and what of it is left to be applied. */
  #written: Merges | null = null;
  #left: readonly Merge[] = [];

  /** @param store how the operator calls it */
  constructor(private readonly store: string) {}

  /**
   * The merges that documents read from the environment lack.
   * @throws DamagedError where the record is not what was written
   */
  of({ meta }: Pick<Environment, 'meta'>): Merges | null {
    const mark = meta.get(UNAPPLIED_KEY);
    if (mark === this.#mark) return this.#merges;
    const merges = mark === undefined ? null : this.#read(mark, meta.get(UNAPPLIED_MERGES_KEY));
    this.#mark = mark;
    this.#merges = merges;
    return merges;
  }

  #read(mark: string, stored: string | undefined): Merges {
    const text = unsealEntry(Number(mark), stored ?? '');
    if (!text) throw new DamagedError(this.store, 'unapplied merges', 'their checksum differs');
    return mergesOf(JSON.parse(text) as RecordJson);
  }

  /** What is left to be applied, for the writer. */
  get merges(): readonly Merge[] {
    return this.#left;
  }

  /** Whether anything is left to be applied, for the writer. */
  get isLeft(): boolean {
    return this.#left.length > 0;
  }

  /** Begins to write: what a former writer left. */
  begin(environment: Environment): void {
    this.#written = this.of(environment);
    this.#left = [...(this.#written?.values() ?? [])];
  }

  /** A commit left its merges. */
  left(seq: number, merges: Merges): void {
    this.#mark = String(seq);
    this.#merges = merges;
    this.#written = merges;
    this.#left = [...merges.values()];
  }

  /** Whether a commit with these writes must find all of them applied. */
  concerns(writes: readonly { readonly key: DocumentKey }[]): boolean {
    const merges = this.#written;
    return this.isLeft && merges !== null && writes.some(({ key }) => merges.has(nameOf(key)));
  }

  /** The next documents to be applied, as they have to be written, and whether they are the last. */
  slice({ documents }: Environment): { readonly writes: Write[]; readonly isLast: boolean } {
    const writes: Write[] = [];
    for (const merge of this.#left.slice(0, SLICE)) {
      const document = merge.document ?? stored(documents.get(merge.key), merge);
      if (document) writes.push({ op: 'set', key: merge.key, document });
    }
    return { writes, isLast: this.#left.length <= SLICE };
  }

  /** The slice is written. */
  applied(): void {
    this.#left = this.#left.slice(SLICE);
    if (this.isLeft) return;
    this.#mark = undefined;
    this.#merges = this.#written = null;
  }
}

/** A document with the merge; undefined for one that is damaged, which whoever reads it is told. */
function stored(text: string | undefined, { key, fields }: Merge): Document | undefined {
  const intact = text === undefined ? null : unsealDocument(key, text);
  return intact === null ? undefined : { ...(JSON.parse(intact) as Document), ...fields };
}

/** A document as it is after the merges. */
export function merged(merges: Merges | null, key: DocumentKey, document: Document): Document {
  const merge = merges?.get(nameOf(key));
  return merge ? { ...document, ...merge.fields } : document;
}
