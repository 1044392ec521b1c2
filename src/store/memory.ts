/** A store in memory, for tests: the contract without a disk. */
import { setTimeout, clearTimeout } from '../platform/timers.js';
import { CommitQueue, closedError, compareIds, refusal } from './commits.js';
import { CommitSignal, follow } from './follow.js';
import { FencedError, type Commit, type Document, type Lease, type Store } from './port.js';

/** What outlives a store that is closed; two stores on one memory compete for its lease. */
export interface Memory {
  readonly collections: Map<string, Map<string, string>>;
  /** Texts by position, in order. */
  readonly journal: Map<number, string>;
  readonly due: Map<string, Map<string, number>>;
  trimmedThrough: number;
  token: number;
  held: boolean;
  /** Told when the lease is given up. */
  readonly freed: CommitSignal;
  /** Told of each commit, whichever store wrote it. */
  readonly committed: CommitSignal;
}

/** Memory in which nothing is stored yet. */
export function createMemory(): Memory {
  return {
    collections: new Map(),
    journal: new Map(),
    due: new Map(),
    trimmedThrough: 0,
    token: 0,
    held: false,
    freed: new CommitSignal(),
    committed: new CommitSignal(),
  };
}

interface Prepared {
  readonly commit: Commit;
  /** The documents of `commit.writes` as they were when it was given. */
  readonly texts: readonly (string | null)[];
}

/** Creates a store over fresh memory, or over memory that another one left. */
export function createMemoryStore(memory: Memory = createMemory()): Store {
  return new MemoryStore(memory);
}

class MemoryStore implements Store {
  readonly description = 'memory:';
  readonly leasesExpire = false;
  readonly tellsLeaseEnd = true;
  readonly #queue: CommitQueue<Prepared>;
  readonly #closing = new AbortController();
  #lease: Lease | null = null;
  #lastSeq = 0;

  constructor(private readonly memory: Memory) {
    this.#queue = new CommitQueue(
      async (prepared) => this.#write(prepared),
      () => this.#resetPosition(),
    );
    this.#resetPosition();
  }

  async acquireLease(): Promise<Lease | null> {
    if (this.#open.held) return null;
    this.memory.held = true;
    this.#resetPosition();
    this.#lease = { token: ++this.memory.token };
    return this.#lease;
  }

  async renewLease(lease: Lease): Promise<void> {
    if (!this.#holds(lease)) throw new FencedError();
  }

  async releaseLease(lease: Lease): Promise<void> {
    await this.#queue.drain();
    if (!this.#holds(lease)) return;
    this.memory.held = false;
    this.#lease = null;
    this.memory.freed.notify();
  }

  async leaseFreed(withinMs: number, signal: AbortSignal): Promise<void> {
    const enough = new AbortController();
    const timer = setTimeout(() => enough.abort(), withinMs);
    await this.memory.freed.next(AbortSignal.any([signal, enough.signal]));
    clearTimeout(timer);
  }

  commit(lease: Lease, commit: Commit): Promise<void> {
    if (this.#closing.signal.aborted) return this.#queue.refuse(closedError());
    const error = this.#holds(lease) ? refusal(commit, this.#lastSeq) : new FencedError();
    if (error !== null) return this.#queue.refuse(error);
    this.#lastSeq = commit.entries.at(-1)?.seq ?? this.#lastSeq;
    const texts = commit.writes.map((write) =>
      write.op === 'delete' ? null : JSON.stringify(write.document),
    );
    return this.#queue.push({ commit, texts });
  }

  async getMany(keys: Parameters<Store['getMany']>[0]): Promise<(Document | undefined)[]> {
    const { collections } = this.#open;
    return keys.map(({ collection, id }) => parse(collections.get(collection)?.get(id)));
  }

  async getManyWithLast(keys: Parameters<Store['getMany']>[0]) {
    return { documents: await this.getMany(keys), last: await this.lastEntry() };
  }

  async *scan(name: string, { after, batch = 256 }: { after?: string; batch?: number } = {}) {
    for (let last = after; ;) {
      const found = [...(this.#open.collections.get(name) ?? [])]
        .filter(([id]) => last === undefined || compareIds(id, last) > 0)
        .sort(([a], [b]) => compareIds(a, b))
        .slice(0, batch)
        .map(([id, text]) => ({ id, document: parse(text) ?? {} }));
      if (found.length === 0) return;
      yield found;
      last = found.at(-1)?.id;
    }
  }

  async lastEntry() {
    return this.#read(0, Infinity).at(-1) ?? null;
  }

  async firstSeq() {
    return this.#read(0, Infinity)[0]?.seq ?? null;
  }

  async readJournal(from: number, to: number, limit: number) {
    return this.#read(from, to).slice(0, limit);
  }

  follow(after: number, signal: AbortSignal) {
    const journal = {
      hasAfter: () => true,
      read: (from: number, limit: number) => this.#read(from + 1, Infinity).slice(0, limit),
      trimmedThrough: () => this.#open.trimmedThrough,
    };
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    return follow(journal, this.memory.committed, after, ended);
  }

  async trimJournal(before: number): Promise<void> {
    if (this.#lease === null) throw new FencedError();
    const end = Math.min(before, (await this.lastEntry())?.seq ?? 0);
    for (const { seq } of this.#read(0, end - 1)) {
      this.memory.journal.delete(seq);
      this.memory.trimmedThrough = seq;
    }
  }

  async due(index: string, at: number, limit: number) {
    return [...(this.#open.due.get(index) ?? [])]
      .map(([id, time]) => ({ id, at: time }))
      .filter((slot) => slot.at <= at)
      .sort((a, b) => a.at - b.at || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)))
      .slice(0, limit);
  }

  async collections(): Promise<string[]> {
    return namesIn(this.#open.collections);
  }

  async dueIndexes(): Promise<string[]> {
    return namesIn(this.#open.due);
  }

  async *scanDue(index: string, { batch = 256 }: { batch?: number } = {}) {
    const slots = await this.due(index, Infinity, Infinity);
    for (let from = 0; from < slots.length; from += batch) yield slots.slice(from, from + batch);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue.drain();
    if (this.#lease !== null) await this.releaseLease(this.#lease);
  }

  #write({ commit, texts }: Prepared): void {
    const { journal, collections, due } = this.memory;
    for (const { seq, text } of commit.entries) journal.set(seq, text);
    commit.writes.forEach(({ key }, i) => {
      put(collections, key.collection, key.id, texts[i] ?? null);
    });
    for (const { index, id, at } of commit.due) put(due, index, id, at);
    this.memory.committed.notify();
  }

  #holds(lease: Lease): boolean {
    return this.#lease?.token === lease.token;
  }

  get #open(): Memory {
    if (this.#closing.signal.aborted) throw closedError();
    return this.memory;
  }

  #read(from: number, to: number) {
    const entries = [...this.#open.journal].filter(([seq]) => seq >= from && seq <= to);
    return entries.map(([seq, text]) => ({ seq, text }));
  }

  #resetPosition(): void {
    this.#lastSeq = [...this.memory.journal.keys()].at(-1) ?? 0;
  }
}

function parse(text: string | undefined): Document | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Document);
}

function namesIn(maps: Map<string, Map<string, unknown>>): string[] {
  return [...maps].flatMap(([name, { size }]) => (size > 0 ? [name] : [])).sort();
}

function put<T>(maps: Map<string, Map<string, T>>, name: string, id: string, value: T | null) {
  let map = maps.get(name);
  if (map === undefined) maps.set(name, (map = new Map<string, T>()));
  if (value === null) map.delete(id);
  else map.set(id, value);
}
