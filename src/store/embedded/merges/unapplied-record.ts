/** The record of merges that are durable before their documents are written (`unapplied.ts`): its text and its mark. */
import { unsealEntry } from '../../checksum.js';
import { ByDocument } from '../../commits.js';
import type { Document, DocumentKey } from '../../port.js';
import { UNAPPLIED_MERGES_KEY, type Environment } from '../environment.js';

/** One merge; a process that read it from the record has no whole document. */
export interface Merge {
  readonly key: DocumentKey;
  readonly fields: Document;
  readonly document?: Document;
}

/** The last merge of each document. */
export type Merges = ByDocument<Merge>;

interface RecordJson {
  /** The values that merges have, each once. */
  readonly fields: readonly Document[];
  /** Per collection the ids, and by number the fields of each. */
  readonly of: readonly (readonly [string, readonly string[], readonly number[]])[];
}

export class RecordMaker {
  /** UTF-16 units. */
  fieldsLength = 0;
  private readonly fields = new Map<Document, number>();
  private readonly texts: string[] = [];
  private readonly of = new Map<string, [ids: string[], numbers: number[]]>();

  add({ key: { collection, id }, fields }: Merge): void {
    let number = this.fields.get(fields);
    if (number === undefined) {
      this.fields.set(fields, (number = this.fields.size));
      const text = JSON.stringify(fields);
      this.texts.push(text);
      this.fieldsLength += text.length;
    }
    let lists = this.of.get(collection);
    if (!lists) this.of.set(collection, (lists = [[], []]));
    lists[0].push(id);
    lists[1].push(number);
  }

  text(): string {
    const of: RecordJson['of'] = Array.from(this.of, ([name, lists]) => [name, ...lists] as const);
    return `{"fields":[${this.texts.join(',')}],"of":${JSON.stringify(of)}}`;
  }
}

/**
 * What tells a record from another: position of the commit that left it, by which it is sealed, and that of the first
 * entry with merges in it. A record of the first builds that made any has no second one.
 */
export function markOf(seq: number, since: number): string {
  return `${seq} ${since}`;
}

export function seqOf(mark: string): number {
  return Number(mark.split(' ')[0]);
}

export function sinceOf(mark: string): number {
  return Number(mark.split(' ')[1] ?? 0);
}

/** The merges of a record; null where it is not what was written. */
export function intact(mark: string, meta: Environment['meta']): Merges | null {
  const text = unsealEntry(seqOf(mark), meta.get(UNAPPLIED_MERGES_KEY) ?? '');
  return text ? mergesOf(JSON.parse(text) as RecordJson) : null;
}

function mergesOf({ fields, of }: RecordJson): Merges {
  const merges = new ByDocument<Merge>();
  for (const [collection, ids, numbers] of of) {
    ids.forEach((id, i) => merges.set({ key: { collection, id }, fields: fields[numbers[i]!]! }));
  }
  return merges;
}
