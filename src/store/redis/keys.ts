/**
 * The key space. Every key of an organization carries the same hash tag, so all of them live in one
 * slot of a Cluster and one script may write them together. `@` cannot occur in the name of a
 * collection, so no document can take the place of a key below it.
 *
 * | key                               | type           | holds                                        |
 * | --------------------------------- | -------------- | -------------------------------------------- |
 * | `parley:{org}:<collection>:<id>`  | JSON or string | one document, e.g. `parley:{main}:user:4`    |
 * | `parley:{org}:@journal`           | stream         | entries `<seq>-0`, field `entry`: JSON text  |
 * | `parley:{org}:@numbers:<coll.>`   | sorted set     | decimal ids of a collection, by number       |
 * | `parley:{org}:@names:<coll.>`     | sorted set     | its other ids, score 0: by bytes             |
 * | `parley:{org}:@due:<index>`       | sorted set     | ids by due time, milliseconds since 1970     |
 * | `parley:{org}:@lease`             | string, TTL    | session of the writer while its lease runs   |
 * | `parley:{org}:@freed`             | list, TTL      | one element, wakes those waiting for a lease |
 * | `parley:{org}:@writer`            | hash           | who may write, and how far it came: below    |
 * | `parley:{org}:@replicated`        | stream         | one entry: how far replicas have the journal |
 * | `parley:{org}:@format`            | string         | `{"format":2,"documents":"json"}` or `"text"`|
 *
 * Fields of `@writer`: `token` (fencing token, grows with every writer), `session` (random, one per
 * lease given out), `holder` (its name), `attempt` (number of the last commit script that was
 * decided, within the session), `landed` (number of the last that wrote), `seq` (newest position
 * of the journal), `trimmed` (highest position ever trimmed), and `previous_session`,
 * `previous_landed` (the same of the writer before), `count:<key>`, how many members a sorted set has, and of a writer that
 * waits for replicas `replicas` (how many) and `replicated` (newest position that they are known to have).
 */
import { numericId } from '../commits.js';
import type { DocumentKey } from '../port.js';

/** The two sorted sets that list the ids of a collection. */
export interface CollectionIndex {
  readonly numbers: string;
  readonly names: string;
}

/** The names of all keys of one organization. */
export class KeySpace {
  readonly journal: string;
  readonly lease: string;
  readonly freed: string;
  readonly writer: string;
  readonly replicated: string;
  readonly format: string;
  /** A key that is never there. */
  readonly nowhere: string;
  readonly #prefix: string;
  /** Grows by one per collection the program knows. */
  readonly #indexes = new Map<string, CollectionIndex>();

  constructor(organization: string) {
    this.#prefix = `parley:{${organization}}:`;
    this.journal = `${this.#prefix}@journal`;
    this.lease = `${this.#prefix}@lease`;
    this.freed = `${this.#prefix}@freed`;
    this.writer = `${this.#prefix}@writer`;
    this.replicated = `${this.#prefix}@replicated`;
    this.format = `${this.#prefix}@format`;
    this.nowhere = `${this.#prefix}@nowhere`;
  }

  /** Key of a document. */
  document(collection: string, id: string): string {
    return `${this.#prefix}${collection}:${id}`;
  }

  /** Key of a due index, a sorted set. */
  due(index: string): string {
    return `${this.#prefix}@due:${index}`;
  }

  /** Keys of the two sets that list a collection. */
  index(collection: string): CollectionIndex {
    let index = this.#indexes.get(collection);
    if (index === undefined) {
      const numbers = `${this.#prefix}@numbers:${collection}`;
      index = { numbers, names: `${this.#prefix}@names:${collection}` };
      this.#indexes.set(collection, index);
    }
    return index;
  }

  /**
   * Of a key of this organization that lists ids: what it lists, and of which collection or due
   * index; null for any other key.
   */
  listed(key: string): { readonly what: 'documents' | 'due'; readonly name: string } | null {
    const [kind = '', name = ''] = key.slice(this.#prefix.length).split(':');
    if (!key.startsWith(this.#prefix) || name === '') return null;
    if (kind === '@numbers' || kind === '@names') return { what: 'documents', name };
    return kind === '@due' ? { what: 'due', name } : null;
  }

  /** The document that a key of this organization holds; null for any other key. */
  documentAt(key: string): DocumentKey | null {
    const name = key.slice(this.#prefix.length);
    const end = name.indexOf(':');
    if (!key.startsWith(this.#prefix) || name.startsWith('@') || end < 0) return null;
    return { collection: name.slice(0, end), id: name.slice(end + 1) };
  }

  /** A pattern that all keys of this organization match. */
  get all(): string {
    return `${this.#prefix}*`;
  }

  /** A pattern that all keys of `listed` match, and few others. */
  get listings(): string {
    return `${this.#prefix}@*:*`;
  }

  /** Where an id of the collection is listed: the sorted set and the score. */
  listing(collection: string, id: string): { readonly key: string; readonly score: string } {
    const { numbers, names } = this.index(collection);
    return numericId(id) < 0 ? { key: names, score: '0' } : { key: numbers, score: id };
  }
}
