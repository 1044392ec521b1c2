import { Elapsed, steadyClock } from '../platform/clock.js';
import { clearTimeout, nextTurn, setTimeout } from '../platform/timers.js';
import type { QueueDocument } from '../../schemas/queues/register.js';
import { sessionCollection } from '../../schemas/accounts/sessions.js';
import type { UserDocument } from '../../schemas/users/user-document.js';
import { positionOf, readFollowedEntry, type FollowedEntry } from '../journal/entry-reading.js';
import { FollowedJournal } from '../journal/followed-journal.js';
import { loadCollections, loadQueues } from '../organization/state/load.js';
import { QUEUE_COLLECTION } from '../organization/state/queue-documents.js';
import { StoreUnavailableError, type EntryChange, type StoredEntry } from '../store/port.js';
import { inBackground, onceSettled, untold } from '../turns/background.js';
import { Beat } from '../turns/beat.js';
import { SharedRun } from '../turns/shared-run.js';
import { MustReloadError } from './leadership.js';
import { assertNotBack } from './history/history-check.js';
import type { NodeParts } from './node-parts.js';
import { EventLoopYield } from '../turns/event-loop-yield.js';
import type { OrganizationService } from './service/organization-service.js';

/** Interval at which the store is asked how far the journal is. Milliseconds. */
const PROBE_MS = 500;
/** How long a load waits for what it has read to become durable. Milliseconds: longer than a group of entries takes. */
const UNSETTLED_MS = 2000;

/** The store has no organization yet that can be followed. */
export class NothingToFollowError extends Error {
  constructor(store: string) {
    super(`${store} has no organization yet`);
    this.name = 'NothingToFollowError';
  }
}

/**
 * Following keeps an organization in memory equal to the leader's: it loads the documents, and folds each
 * entry of the journal as it becomes durable, whoever wrote it. Life cycle: `load`, `run`, then `catchUp`
 * by a node that takes the lead, or `stop`.
 */
export class Following {
  private log: FollowedJournal | undefined;
  private entry: StoredEntry | undefined;
  private readonly ending = new AbortController();
  private failure: Error | null = null;
  /** Ends what waits in `unlessEnded`. */
  private failed: (error: Error) => void = () => undefined;
  /** Since this node last had everything that was durable; null before it is loaded. A machine that slept is that much behind. */
  private fresh: Elapsed | null = null;
  /** Read after the call: requests that come meanwhile share a read. */
  private readonly newest = new SharedRun(() => this.ask());
  /** Where a probe fails, this node has not everything, and tells so by its staleness. */
  private readonly probes = new Beat(PROBE_MS, () => inBackground(() => this.probe(), untold));

  constructor(
    private readonly parts: Pick<NodeParts, 'store' | 'indexFile' | 'besideStore' | 'witness'>,
    private readonly served: OrganizationService,
    /** Called when another node has taken the lead. */
    private readonly leaderChanged: () => void,
  ) {}

  /**
   * Waits for something; rejects when the organization can be followed no longer. One call at a time. It is no race
   * with a promise of the end, which would keep everything that was ever waited for.
   */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.failed = reject;
      if (this.failure) reject(this.failure);
      onceSettled(work, resolve, reject);
    });
  }

  /** Whether the organization can be followed no longer. */
  get hasFailed(): boolean {
    return this.failure !== null;
  }

  /** The journal as far as this node has it. */
  get journal(): FollowedJournal {
    if (!this.log) throw new Error('The organization is not loaded yet');
    return this.log;
  }

  /** The newest entry that was folded, or was in the documents; also one after which nothing can be followed. */
  get newestEntry(): StoredEntry | undefined {
    return this.entry;
  }

  /** How long ago this node last had everything that was durable. Milliseconds. */
  get staleness(): number {
    return this.fresh?.ms ?? steadyClock.now();
  }

  /**
   * Loads the organization while its leader writes: the documents as they come, then everything that was
   * written since the first of them was read.
   * @param begin called with the journal before anything is loaded
   * @throws NothingToFollowError, StoreUnavailableError, DamagedError, TrimmedError
   * @throws OutdatedLeaderError where the store went back behind what this node has seen of it
   * @throws StoreUnavailableError, too, where another server took the place of the store meanwhile
   */
  async load(begin: (journal: FollowedJournal) => void): Promise<void> {
    const { store, indexFile, besideStore, witness } = this.parts;
    const { org, queues } = this.served;
    const lineage = await store.lineage?.();
    const first = await store.lastEntry();
    if (first === null) throw new NothingToFollowError(store.description);
    // Behind that read: a store that goes back later lacks `first`, and cannot be followed from there.
    if (!besideStore) await assertNotBack(store, witness);
    this.log = new FollowedJournal(positionOf(first));
    this.entry = first;
    begin(this.log);
    const folded = await loadCollections(store, org, indexFile);
    if (org.realm.size === 0) throw new NothingToFollowError(store.description);
    await org.linkifiers.prepare(() => nextTurn());
    await loadQueues(store, org, queues, () => undefined);
    // The newest of all, durable or not: the documents may have it.
    const { last, isUnsettled } = await store.getManyWithLast([]);
    await this.foldUntil(last?.seq ?? 0, isUnsettled === true);
    // Some of the documents may be those of entries that the store lacks by now: no entry would ever put them right.
    if ((await store.lineage?.()) !== lineage) {
      throw new StoreUnavailableError('Another server took the place of the store', undefined);
    }
    // Beside a store that processes share, the leader keeps it.
    if (folded === null && !besideStore && indexFile.isKept) {
      const { seq } = this.journal.durableHead;
      const kept = { image: org.messages.index.image(), seq };
      inBackground(() => indexFile.save({ ...kept, lastId: org.counters.last('message') }), untold);
    }
    this.fresh = new Elapsed();
  }

  /** Follows until `stop`, or until something makes that impossible, which `unlessEnded` tells. */
  run(): void {
    inBackground(
      () => this.follow(),
      (error) => {
        this.failure = error instanceof Error ? error : new Error(String(error));
        this.failed(this.failure);
        this.journal.fail(this.failure);
      },
    );
    this.probes.start();
  }

  stop(): void {
    this.probes.stop();
    this.ending.abort();
  }

  /**
   * Resolves once this node has everything that is durable now.
   * @throws StoreUnavailableError, or what made it impossible to follow on
   */
  async catchUp(): Promise<void> {
    await this.reached(await this.newest.begun());
  }

  private async probe(): Promise<void> {
    // The answer may be taken long after it was given.
    const asked = new Elapsed();
    // What is not durable nobody was told of.
    await this.reached((await this.parts.store.lastEntry())?.seq ?? 0);
    this.fresh = asked;
  }

  /** Resolves once this node has everything up to a position. */
  private async reached(seq: number): Promise<void> {
    await this.journal.reached(seq);
  }

  /** The newest position of the store. */
  private async ask(): Promise<number> {
    const { store } = this.parts;
    // Also what is not known to be durable: its writer may know that it is.
    const newest = (await store.surelyNewest?.()) ?? null;
    return newest ?? (await store.getManyWithLast([])).last?.seq ?? 0;
  }

  /**
   * Folds what was written while the documents were read: some of it is in them.
   * @param isUnsettled whether some of that may not be durable for long
   * @throws StoreUnavailableError where it does not become durable: perhaps this node must lead before it can
   */
  private async foldUntil(newest: number, isUnsettled: boolean): Promise<void> {
    const { durableHead } = this.journal;
    if (durableHead.seq > newest) {
      throw new MustReloadError(`The store went back from ${durableHead.seq} to ${newest}`);
    }
    if (durableHead.seq === newest) return;
    const patience = new AbortController();
    const timer = isUnsettled ? setTimeout(() => patience.abort(), UNSETTLED_MS) : undefined;
    try {
      for await (const entries of this.follows(patience.signal)) {
        for (const entry of entries) this.fold(entry, entry.seq <= newest);
        if (this.journal.durableHead.seq >= newest) return;
        await nextTurn();
      }
    } finally {
      clearTimeout(timer);
    }
    if (!this.ending.signal.aborted) {
      throw new StoreUnavailableError('Too few replicas have what the store has', undefined);
    }
  }

  /** What comes behind the newest entry of this node, as long as the store has that one. */
  private follows(until?: AbortSignal): AsyncIterable<readonly StoredEntry[]> {
    const { seq } = this.journal.durableHead;
    const { signal } = this.ending;
    const ended = until ? AbortSignal.any([signal, until]) : signal;
    return this.parts.store.follow(seq, ended, this.entry);
  }

  private async follow(): Promise<void> {
    const { signal } = this.ending;
    for await (const entries of this.follows()) {
      // Everybody waits for it: reads for what was written elsewhere, writes for their own.
      const pause = new EventLoopYield(true);
      for (const entry of entries) {
        if (signal.aborted) return;
        this.fold(entry, false);
        if (!pause.isDue) continue;
        this.served.queues.fanOut.wake();
        await pause.take();
      }
      this.served.queues.fanOut.wake();
    }
  }

  /**
   * @param tolerant the documents may be newer than the entry
   * @throws MustReloadError where the entry is not the next one, or cannot be read: what is missing is in the documents
   */
  private fold(stored: StoredEntry, tolerant: boolean): void {
    const { nextSeq } = this.journal;
    const entry = readFollowedEntry(stored);
    if (!entry) throw new MustReloadError(`Journal entry ${stored.seq} cannot be read`);
    const isNext = stored.seq === nextSeq;
    if (!isNext && !entry.changes.some(({ key }) => key.collection === 'history')) {
      throw new MustReloadError(`The journal goes on at ${stored.seq} instead of ${nextSeq}`);
    }
    const { org, runtime } = this.served;
    const { seq } = entry.position;
    const { current: history, idsFrom } = org.history;
    const users = usersIn(entry, (id) => org.users.get(id));
    const loggedOut = endedSessions(entry, (id) => org.sessions.get(id)?.user_id);
    const wasDeactivated = org.realm.isDeactivated;
    const apart = (change: EntryChange): void => this.foldApart(change);
    org.fold(entry.changes, seq, { tolerant: tolerant || !isNext, apart });
    if (org.history.current?.id !== history?.id || org.history.idsFrom !== idsFrom) {
      // Should the store lose it, its positions and numbers are still given: this node begins yet another behind them.
      this.entry = stored;
      throw new MustReloadError('Another history begins, or event ids anew');
    }
    for (const former of users) this.revoke(former, org.users.get(former.user_id));
    for (const userId of loggedOut) this.served.queues.renewPushOf(userId);
    runtime.deliverFollowed(entry);
    if (org.realm.isDeactivated && !wasDeactivated) this.served.queues.revokeAll();
    this.entry = stored;
    this.journal.advance(entry.position);
    if (entry.changes.some(({ key }) => key.collection === 'leader')) this.leaderChanged();
  }

  private foldApart(change: EntryChange): void {
    const { queues } = this.served;
    if (change.key.collection !== QUEUE_COLLECTION) return;
    if (change.op === 'delete') {
      queues.drop(change.key.id);
      return;
    }
    queues.put(change.fields as QueueDocument);
  }

  /** Ends what a user may no longer use: all queues after a deactivation, sockets after a change of the key. */
  private revoke(former: UserDocument, now: UserDocument | undefined): void {
    const { queues } = this.served;
    if (former.is_active && !now?.is_active) queues.revokeAllOf(former.user_id);
    else if (former.key_version !== now?.key_version) queues.closeSocketsOf(former.user_id);
  }
}

/** The users of sessions that an entry ends. */
function endedSessions(
  { changes }: FollowedEntry,
  userOf: (id: number) => number | undefined,
): Set<number> {
  const found = new Set<number>();
  for (const { op, key } of changes) {
    if (op !== 'delete' || key.collection !== sessionCollection.collection) continue;
    const userId = userOf(Number(key.id));
    if (userId !== undefined) found.add(userId);
  }
  return found;
}

/** The users whom an entry changes, as they were. */
function usersIn(
  { changes }: FollowedEntry,
  get: (id: number) => UserDocument | undefined,
): UserDocument[] {
  const found: UserDocument[] = [];
  for (const { key } of changes) {
    const former = key.collection === 'user' ? get(Number(key.id)) : undefined;
    if (former) found.push(former);
  }
  return found;
}
