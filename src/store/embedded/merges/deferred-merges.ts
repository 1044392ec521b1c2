/*
 * Which merges of a large commit wait until they are applied (see `unapplied.ts`), with the record that has them.
 */
import { EventLoopYield } from '../../../turns/event-loop-yield.js';
import { ByDocument } from '../../commits.js';
import type { Document, DocumentKey, Write } from '../../port.js';
import type { LargeWrites } from '../encoding.js';
import { RecordMaker, type Merge, type Merges } from './unapplied-record.js';

/** Fewer merges than this are written at once: their documents take some milliseconds. */
const LEAST = 500;
/** Most in a record: a commit that needs all of them applied waits up to a second for that. */
const MOST = 20_000;
/**
 * Longest fields of a record together, UTF-16 units: each process makes or reads a record in one piece, a megabyte in
 * some milliseconds. Documents that share few fields are written at once.
 */
const MAX_FIELDS_LENGTH = 512 * 1024;
/** Writes between two looks at the clock, which takes as long as one of them. */
const WRITES_PER_LOOK = 16;

/** What a commit leaves to be applied. */
export interface Deferred {
  readonly merges: Merges;
  /** The record. */
  readonly text: string;
  /** The writes that are not deferred. */
  readonly rest: readonly Write[];
}

/**
 * What of a large commit is deferred; null where it has too few merges or too many, their fields are too long, or it
 * writes a document twice.
 * @param left what earlier commits left to be applied
 */
export async function defer(
  { writes }: LargeWrites,
  left: readonly Merge[],
): Promise<Deferred | null> {
  const pause = new EventLoopYield(true);
  const earlier = new ByDocument<Merge>();
  for (const merge of left) earlier.set(merge);
  const merges = new ByDocument<Merge>();
  const rest = new ByDocument<Write>();
  const joined = new JoinedFields();
  let count = 0;
  for (const write of writes) {
    const before = earlier.get(write.key);
    if (write.op === 'merge') {
      // A document that is written twice.
      if (!merges.set(before ? joined.merge(before, write) : write)) return null;
    } else {
      // It would be written before the earlier merge of the same document is applied.
      if (before) return null;
      rest.set(write);
    }
    if (++count % WRITES_PER_LOOK === 0 && pause.isDue) await pause.take();
  }
  if (merges.size < LEAST || merges.size + rest.size < writes.length) return null;
  for (const { key } of rest.values()) if (merges.has(key)) return null;
  for (const merge of left) if (!merges.has(merge.key)) merges.set(merge);
  if (merges.size > MOST) return null;
  const record = new RecordMaker();
  for (const merge of merges.values()) {
    record.add(merge);
    if (record.fieldsLength > MAX_FIELDS_LENGTH) return null;
    if (++count % WRITES_PER_LOOK === 0 && pause.isDue) await pause.take();
  }
  return { merges, rest: [...rest.values()], text: record.text() };
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
