/**
 * How every adapter takes commits: which it refuses, checked in one place so that all refuse the same, and the queue
 * that keeps their order. With the rules of ids, whose one order all adapters keep, and values by document.
 */
import { queueMicrotask } from '../platform/timers.js';
import type { Commit, DocumentKey } from './port.js';
import { unstorable } from './storable.js';
import { onceSettled } from '../turns/background.js';

/** Longest document or due id, in UTF-8 bytes: what a key of the embedded store has room for. */
const MAX_ID_BYTES = 1024;

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;
const LONGEST_SAFE_INTEGER = 16;

/** The number a canonical decimal id stands for (`0`, `17`, no sign, no leading zero), else -1. */
export function numericId(id: string): number {
  const length = id.length;
  if (length === 0 || length > LONGEST_SAFE_INTEGER) return -1;
  if (length > 1 && id.charCodeAt(0) === DIGIT_ZERO) return -1;
  let value = 0;
  for (let i = 0; i < length; i++) {
    const code = id.charCodeAt(i);
    if (code < DIGIT_ZERO || code > DIGIT_NINE) return -1;
    value = value * 10 + (code - DIGIT_ZERO);
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : -1;
}

/** Whether an id can name something: well-formed Unicode of at most `MAX_ID_BYTES` bytes. */
export function isStorableId(id: string): boolean {
  if (id.length > MAX_ID_BYTES / 3 && Buffer.byteLength(id) > MAX_ID_BYTES) return false;
  return numericId(id) >= 0 || !LONE_SURROGATE.test(id);
}

/** Whether a collection or due index may have this name. */
export function isStorableName(name: string): boolean {
  return NAME.test(name);
}

/** The order of ids in a collection: numbers first, by number; then the others, by UTF-8 bytes. */
export function compareIds(a: string, b: string): number {
  const left = numericId(a);
  const right = numericId(b);
  if (left >= 0 && right >= 0) return left - right;
  if (left >= 0) return -1;
  if (right >= 0) return 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * The reason to refuse a commit, or null.
 * @param lastSeq the newest position before this commit, 0 if there is none
 */
export function refusal(commit: Commit, lastSeq: number): Error | null {
  let last = lastSeq;
  for (const { seq } of commit.entries) {
    if (!Number.isSafeInteger(seq) || seq <= last) {
      return new RangeError(`Journal position ${seq} does not follow ${last}`);
    }
    last = seq;
  }
  // Nearly all documents are of the same collection as the one before.
  let storable: string | null = null;
  for (const { key } of commit.writes) {
    const { collection, id } = key;
    const isName = collection === storable || isStorableName(collection);
    if (!isName || !isStorableId(id)) return badKey(collection, id);
    storable = collection;
  }
  for (const { index, id, at } of commit.due) {
    if (!isStorableName(index) || !isStorableId(id)) return badKey(index, id);
    if (at !== null && (!Number.isSafeInteger(at) || at < 0)) {
      return new RangeError(`Not a due time in milliseconds: ${at}`);
    }
  }
  return unstorable(commit.writes);
}

function badKey(name: string, id: string): Error {
  return new RangeError(`Not a storable key: ${JSON.stringify(`${name}:${id.slice(0, 80)}`)}`);
}

/** What a store that was closed refuses everything with. */
export function closedError(): Error {
  return new Error('The store is closed');
}

/** Most commits waiting; callers bound what they have under way, this is the backstop. */
const MAX_WAITING = 65_536;

interface Waiting<T> {
  /** Null for a commit refused before it was written. */
  readonly item: T | null;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Rejects a commit that was given while one before it was failing. */
export class EarlierCommitError extends Error {
  constructor(cause: unknown) {
    super('An earlier commit failed', { cause });
    this.name = 'EarlierCommitError';
  }
}

/**
 * CommitQueue writes commits one at a time, in the order in which they were given; a failure rejects everything
 * behind it. Callers put together what belongs together (architecture.md#group-commit).
 */
export class CommitQueue<T> {
  #waiting: Waiting<T>[] = [];
  #scheduled = false;
  #writing = false;
  /** Why the last commit in line will be rejected: everything behind it is rejected at once. */
  #refused: Error | null = null;
  #idle: (() => void)[] = [];

  /**
   * @param write makes a commit durable, all or nothing; called for one at a time
   * @param emptied called when everything in line was rejected: what is durable is all there is
   */
  constructor(
    private readonly write: (item: T) => Promise<unknown>,
    private readonly emptied: () => void,
  ) {}

  /** Queues a commit. */
  push(item: T): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      return this.refuse(new Error(`More than ${MAX_WAITING} commits are waiting`));
    }
    return this.#enqueue(item);
  }

  /** Rejects a commit in its turn: those before it are written, those behind it are not. */
  refuse(error: Error): Promise<void> {
    if (this.#refused !== null) return Promise.reject(new EarlierCommitError(this.#refused));
    const refused = this.#enqueue(null);
    this.#refused = error;
    return refused;
  }

  /** Resolves when nothing is waiting or being written. */
  drain(): Promise<void> {
    if (!this.#writing && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #enqueue(item: T | null): Promise<void> {
    if (this.#refused !== null) return Promise.reject(new EarlierCommitError(this.#refused));
    const result = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
    });
    this.#schedule();
    return result;
  }

  /** A microtask later, so that whoever gives several commits gives them all before one is refused. */
  #schedule(): void {
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#next();
    });
  }

  #next(): void {
    const next = this.#waiting[0];
    if (!next || next.item === null) {
      this.#rejectWaiting(this.#refused);
      return;
    }
    this.#waiting.shift();
    this.#writing = true;
    onceSettled(
      this.#attempt(next.item),
      () => {
        this.#writing = false;
        next.resolve();
        this.#continue();
      },
      (error: unknown) => {
        this.#writing = false;
        next.reject(error);
        this.#rejectWaiting(error);
      },
    );
  }

  async #attempt(item: T): Promise<void> {
    await this.write(item);
  }

  /** Rejects everything in line; the refused one, if any, with its own reason. */
  #rejectWaiting(error: unknown): void {
    const waiting = this.#waiting;
    const refused = this.#refused;
    this.#waiting = [];
    this.#refused = null;
    for (const { item, reject } of waiting) {
      reject(item === null ? refused : new EarlierCommitError(error));
    }
    this.emptied();
    this.#continue();
  }

  #continue(): void {
    if (this.#waiting.length > 0) {
      this.#schedule();
      return;
    }
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}

/** Values by the documents that they are of, the last one of each; no name is made for a value. */
export class ByDocument<V extends { readonly key: DocumentKey }> {
  size = 0;
  private readonly byCollection = new Map<string, Map<string, V>>();

  get({ collection, id }: DocumentKey): V | undefined {
    return this.byCollection.get(collection)?.get(id);
  }

  has(key: DocumentKey): boolean {
    return this.get(key) !== undefined;
  }

  /** @returns whether the document had none */
  set(value: V): boolean {
    const { collection, id } = value.key;
    let byId = this.byCollection.get(collection);
    if (!byId) this.byCollection.set(collection, (byId = new Map<string, V>()));
    const { size } = byId;
    byId.set(id, value);
    this.size += byId.size - size;
    return byId.size > size;
  }

  delete({ collection, id }: DocumentKey): void {
    if (this.byCollection.get(collection)?.delete(id)) this.size -= 1;
  }

  /** What `make` makes of each, those of a collection together. */
  map<T>(make: (value: V) => T): T[] {
    const made: T[] = [];
    for (const byId of this.byCollection.values()) {
      for (const value of byId.values()) made.push(make(value));
    }
    return made;
  }

  /** All, those of a collection together. */
  *values(): Generator<V> {
    for (const byId of this.byCollection.values()) yield* byId.values();
  }
}
