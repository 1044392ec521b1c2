/**
 * The Redis adapter: for production, and for more than one process.
 *
 * Durability is that of the server: with `appendfsync always` an acknowledged commit survives a kill
 * of anything at any moment; weaker settings are reported in `warnings`. A fail-over may lose what had
 * not reached the replica that takes over; the writer notices and never builds on what was lost. With
 * `replicas` a commit is durable when so many have it, and followers see nothing earlier.
 *
 * Bounds: one commit is under way at a time; requests wait for an absent server as long as
 * `Patience` says and then reject; scans and followers hold one batch.
 */
import { randomUUID } from '../../platform/randomness.js';
import { pause as sleep } from '../../platform/timers.js';
import { CommitQueue, closedError, isStorableId, isStorableName, refusal } from '../commits.js';
import type {
  Commit,
  DamagedError,
  Document,
  DocumentKey,
  Lease,
  ReplicaCount,
  Store,
  StoredEntry,
} from '../port.js';
import { NotConnectedError } from './errors.js';
import { agreeOnFormat, inspectServer, lineageIn } from './checks.js';
import { clientsOf, readTlsFiles } from './clients.js';
import { Connection, type Patience } from './connection.js';
import { fetchDocuments, type DocumentFormat, type DocumentSource } from './documents.js';
import { prepareWrite, sizeFault, type RedisCommit } from './encoding.js';
import { entriesOf, followStream, newestOf, readRange, type Newest } from './journal.js';
import { KeySpace } from './keys.js';
import { assertCounted, unlistedDocuments, type ListingCheckSource } from './listing-check.js';
import { listedNames, scanDue, slotsOf } from './listing.js';
import { scan } from './scan.js';
import { runUntilKept } from './script-runs.js';
import { Scripts } from './scripts.js';
import type { RedisTarget } from './url.js';
import { assertWaits, Replicas } from './replicas.js';
import { RedisWriter, type Session, type WriterParts } from './writer.js';

/** A store on a Redis server. */
export interface RedisStore extends Store {
  /** How documents are kept: as JSON values, or as text on a server without JSON commands. */
  readonly documents: DocumentFormat;
  /** What puts data at risk, in words for the operator's log. */
  readonly warnings: readonly string[];
}

/** How a Redis store is opened; what is absent has its default. */
export interface RedisStoreOptions extends Partial<Patience> {
  /** Makes the random name of a lease; nobody else may ever make the same. */
  readonly newSession?: () => string;
  /** How many replicas must have a commit before it is acknowledged; default: none. */
  readonly replicas?: number | undefined;
}

const PATIENCE: Patience = { replyMs: 4000, waitMs: 8000 };
const SCAN_BATCH = 1024;

/**
 * Opens the store of one organization.
 * @throws Error when the server cannot be reached, is too old, or holds another format
 */
export async function openRedisStore(
  target: RedisTarget,
  options: RedisStoreOptions = {},
): Promise<RedisStore> {
  const keys = new KeySpace(target.organization);
  const patience = { ...PATIENCE, ...options };
  const tls = await readTlsFiles(target.tls).catch((error: Error) => {
    throw new Error(`Cannot open the store ${target.description}: ${error.message}`);
  });
  const open = clientsOf(target, keys.journal, tls);
  const connect = (): Connection => new Connection(open, patience);
  const connection = connect();
  const wanted = options.replicas ?? 0;
  const second = wanted > 0 ? connect() : undefined;
  if (second) {
    connection.onSilence = () => second.doubt();
    second.onSilence = () => connection.doubt();
  }
  try {
    const server = await inspectServer(connection);
    const hasPromoters = target.kind !== 'server';
    const asked = { wanted, inLog: server.waitsForLog, hasPromoters };
    const replicas = second && new Replicas(second, asked);
    if (replicas) await assertWaits(replicas);
    const { format, isOlder, warnings } = await agreeOnFormat(
      connection,
      keys,
      server.hasJson,
      target.description,
    );
    const scripts = await Scripts.load(server.shebang);
    const newSession = options.newSession ?? randomUUID;
    return new RedisStoreImpl(
      { connection, scripts, keys, format, newSession, isOlder, replicas },
      connect,
      `${target.description} (${server.name}, documents as ${format})`,
      [...server.warnings, ...warnings],
    );
  } catch (error) {
    connection.close();
    second?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot open the store ${target.description}: ${reason}`, { cause: error });
  }
}

/** A commit with the lease that it was given under. */
interface GivenCommit {
  readonly commit: RedisCommit;
  readonly held: Session;
}

class RedisStoreImpl implements RedisStore {
  readonly leasesExpire = true;
  /** Of a release alone: a lease that runs out is a key that expires. */
  readonly tellsLeaseEnd = false;
  readonly documents: DocumentFormat;
  readonly #writer: RedisWriter;
  readonly #queue: CommitQueue<GivenCommit>;
  readonly #closing = new AbortController();
  #closed: Promise<void> | null = null;
  /** Kept while this process waits for the lease. */
  #waiting: Connection | null = null;
  /** Newest position given to `commit`; what the next one must exceed. */
  #lastSeq = 0;

  constructor(
    private readonly parts: WriterParts,
    private readonly connect: () => Connection,
    readonly description: string,
    readonly warnings: readonly string[],
  ) {
    this.documents = parts.format;
    this.#writer = new RedisWriter(parts);
    this.#queue = new CommitQueue(
      ({ commit, held }) => this.#writer.write(commit, held),
      () => {
        this.#lastSeq = this.#writer.seq;
      },
    );
  }

  get replicas(): ReplicaCount | undefined {
    return this.parts.replicas?.count;
  }

  async acquireLease(holder: string, ttlMs: number, insteadOf?: number): Promise<Lease | null> {
    this.#assertOpen();
    const lease = await this.#writer.acquire(holder, ttlMs, insteadOf);
    if (lease === null) return null;
    this.#lastSeq = this.#writer.seq;
    this.#waiting?.close();
    this.#waiting = null;
    return lease;
  }

  async renewLease(lease: Lease, ttlMs: number): Promise<void> {
    this.#assertOpen();
    await this.#writer.renew(lease, ttlMs);
  }

  async confirmLease(lease: Lease, ttlMs: number): Promise<void> {
    this.#assertOpen();
    await this.#writer.confirm(lease, ttlMs);
  }

  async releaseLease(lease: Lease): Promise<void> {
    await this.#queue.drain();
    await this.#writer.release(lease);
  }

  /** Waits on a connection of its own. */
  async leaseFreed(withinMs: number, signal: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    const connection = (this.#waiting ??= this.connect());
    const end = (): void => connection.close();
    ended.addEventListener('abort', end);
    const seconds = String(Math.max(0.001, withinMs / 1000));
    try {
      await connection.send(['BLPOP', this.parts.keys.freed, seconds], withinMs);
    } catch {
      // A server that is away, or does not let us wait.
      connection.close();
      this.#waiting = null;
      await sleep(withinMs, undefined, { signal: ended }).catch(() => undefined);
    } finally {
      ended.removeEventListener('abort', end);
    }
  }

  commit(lease: Lease, commit: Commit): Promise<void> {
    const error = this.#refusal(lease, commit);
    if (error !== null) return this.#queue.refuse(error);
    const { keys, format } = this.parts;
    const writes = commit.writes.map((write) => prepareWrite(keys, format, write));
    const prepared: RedisCommit = { ...commit, writes };
    const tooLarge = sizeFault(prepared);
    if (tooLarge !== null) return this.#queue.refuse(tooLarge);
    this.#lastSeq = commit.entries.at(-1)?.seq ?? this.#lastSeq;
    return this.#queue.push({ commit: prepared, held: this.#writer.session(lease) });
  }

  async lineage(): Promise<string> {
    return lineageIn(String(await this.#ask(['INFO'])));
  }

  async getMany(keys: readonly DocumentKey[]): Promise<(Document | undefined)[]> {
    await this.#readable(!this.#writer.mayChange(keys));
    return this.#atMaster(() => this.#documents(keys));
  }

  async getManyWithLast(keys: readonly DocumentKey[]) {
    await this.#readable();
    // Sent together, so that one server answers all, in this order.
    const [documents, { last, durable }] = await this.#atMaster(() =>
      Promise.all([this.#documents(keys), this.#newest()]),
    );
    const isUnsettled = (last?.seq ?? 0) > durable;
    return isUnsettled ? { documents, last, isUnsettled } : { documents, last };
  }

  async #documents(keys: readonly DocumentKey[]): Promise<(Document | undefined)[]> {
    const wanted = keys.filter(
      ({ collection, id }) => isStorableName(collection) && isStorableId(id),
    );
    const found = await fetchDocuments(this.#source, wanted);
    const documents = new Map(wanted.map((key, i) => [key, found[i]?.document]));
    return keys.map((key) => documents.get(key));
  }

  async *scan(
    collection: string,
    options: Parameters<Store['scan']>[1] = {},
  ): AsyncGenerator<{ id: string; document: Document }[]> {
    const { after, batch = SCAN_BATCH, ahead = false } = options;
    if (!isStorableName(collection) || !isStorableId(after ?? '')) {
      throw new RangeError(`Not a storable key: ${collection}:${after ?? ''}`);
    }
    await this.#readable();
    const { numbers, names } = this.parts.keys.index(collection);
    if (after === undefined) {
      await assertCounted(this.#source, `list of ${collection}`, [numbers, names]);
    }
    yield* scan(this.#source, collection, after, batch, ahead);
  }

  async lastEntry(): Promise<StoredEntry | null> {
    await this.#readable();
    const { connection, keys } = this.parts;
    return this.#atMaster(async () => {
      const { last, durable } = await this.#newest();
      if (last === null || last.seq <= durable) return last;
      const range = ['XREVRANGE', keys.journal, String(durable), '-', 'COUNT', '1'];
      return entriesOf(await connection.send(range))[0] ?? null;
    });
  }

  async surelyNewest(): Promise<number | null> {
    await this.#readable();
    const { replicas, keys } = this.parts;
    if (!replicas) return null;
    return Number(await runUntilKept(this.parts, 'newest', [keys.writer], []));
  }

  #newest(): Promise<Newest> {
    const { connection, keys } = this.parts;
    return newestOf(connection, keys, this.#writer.seq);
  }

  async firstSeq(): Promise<number | null> {
    const oldest = await this.#ask(['XRANGE', this.parts.keys.journal, '-', '+', 'COUNT', '1']);
    return entriesOf(oldest)[0]?.seq ?? null;
  }

  async readJournal(from: number, to: number, limit: number, isKnown = false) {
    await this.#readable(to <= this.#writer.seq);
    const { connection, keys } = this.parts;
    const known = isKnown ? Math.floor(to) : 0;
    const read = (command: readonly string[]) =>
      this.#atMaster(() => connection.send(command), known);
    return readRange(read, keys, from, to, limit);
  }

  follow(
    after: number,
    signal: AbortSignal,
    last?: StoredEntry,
  ): AsyncIterable<readonly StoredEntry[]> {
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    return followStream(this.connect, this.parts.keys, after, ended, last);
  }

  async trimJournal(before: number): Promise<void> {
    await this.#readable();
    await this.#writer.trim(before);
  }

  async due(index: string, at: number, limit: number): Promise<{ id: string; at: number }[]> {
    if (!isStorableName(index) || !(at >= 0) || limit < 1) return [];
    const key = this.parts.keys.due(index);
    const end = String(Math.min(Math.floor(at), Number.MAX_SAFE_INTEGER));
    const range = ['ZRANGEBYSCORE', key, '0', end, 'WITHSCORES', 'LIMIT', '0', String(limit)];
    return slotsOf(await this.#ask(range));
  }

  async collections(): Promise<string[]> {
    await this.#readable();
    return listedNames(this.parts, 'documents');
  }

  async dueIndexes(): Promise<string[]> {
    await this.#readable();
    return listedNames(this.parts, 'due');
  }

  async *scanDue(
    index: string,
    options: { readonly batch?: number } = {},
  ): AsyncGenerator<{ id: string; at: number }[]> {
    if (!isStorableName(index)) return;
    await this.#readable();
    yield* scanDue(this.parts, index, options.batch ?? SCAN_BATCH);
  }

  async faults(): Promise<DamagedError[]> {
    await this.#readable();
    return unlistedDocuments(this.#source);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** A server that is away does not keep the store from closing: its lease runs out. */
  async #close(): Promise<void> {
    this.#closing.abort();
    this.#waiting?.close();
    await this.#queue.drain();
    await this.#writer.release(null).catch(() => undefined);
    this.parts.connection.close();
    this.parts.replicas?.connection.close();
  }

  #refusal(lease: Lease, commit: Commit): Error | null {
    if (this.#closed !== null) return closedError();
    return this.#writer.refusal(lease) ?? refusal(commit, this.#lastSeq);
  }

  get #source(): DocumentSource & ListingCheckSource {
    return { ...this.parts, description: this.description };
  }

  /** Sends a command that reads. */
  async #ask(command: readonly string[]): Promise<unknown> {
    await this.#readable();
    return this.#atMaster(() => this.parts.connection.send(command));
  }

  /**
   * Reads until that is answered, by a server that came as far as it must have: one that another has taken the place of may
   * answer those that are connected to it for long.
   * @param known a position that the journal came to; this process knows what it committed, over another connection
   */
  #atMaster<T>(read: () => Promise<T>, known = 0): Promise<T> {
    const { connection, keys } = this.parts;
    return connection.retry(async () => {
      const least = Math.max(known, this.#writer.known);
      if (least === 0) return read();
      // Sent together, so that one server answers both.
      const both = Promise.all([read(), connection.send(['HMGET', keys.writer, 'seq'])]);
      const client = connection.present;
      const [found, marks] = await both;
      const [came] = marks as (string | null)[];
      if (Number(came ?? 0) >= least) return found;
      connection.replace(client);
      throw new NotConnectedError(new Error('The server is not the master any more'));
    });
  }

  /** What is read must be final: no commit of ours may land after it was rejected. @param isFinal whether it is in any case */
  async #readable(isFinal = false): Promise<void> {
    this.#assertOpen();
    if (!isFinal && this.#writer.isUnsettled) await this.#writer.settle();
  }

  #assertOpen(): void {
    if (this.#closed !== null) throw closedError();
  }
}
