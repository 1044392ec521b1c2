import { steadyClock, systemClock } from '../platform/clock.js';
import { monotonicTime } from '../platform/time.js';
import { nextTurn, setImmediate } from '../platform/timers.js';
import { CommitBatching } from '../journal/group-commit.js';
import { Journal, type JournalOptions } from '../journal/journal.js';
import { HEARTBEATS_PER_ENTRY } from '../journal/queues/heartbeats.js';
import { QueueHomes } from '../journal/queues/queue-homes.js';
import { sendNotice } from '../organization/messages/sending/notification-bot.js';
import { createOrganization } from '../organization/realm/bootstrap.js';
import { postUpdateNotice } from '../organization/realm/update-notice.js';
import {
  hasOldIds,
  hasUsedUpIds,
  nameHistory,
  newHistoryId,
} from '../organization/state/history.js';
import { ledDocuments, loadCollections, loadQueues } from '../organization/state/load.js';
import { migrate } from '../organization/state/migrations.js';
import {
  assertNotNewer,
  recordSchemaVersions,
  recordSoftware,
} from '../organization/state/software.js';
import { earliest, NOW } from '../organization/state/scheduled/next-due.js';
import { newToken } from '../services/auth/random-token.js';
import { isStoreAway, UnusableStoreError, type StoredEntry } from '../store/port.js';
import { tooFewReplicas } from '../store/too-few-replicas.js';
import { refuseSealed } from '../store/transfer/seal.js';
import { refuseUnfinishedImport } from '../store/transfer/unfinished.js';
import type { Service } from '../http/service.js';
import { readHistory, verdict, type StoredHistory } from './history/history-check.js';
import { observer, settleHistory } from './history/history.js';
import { EndedQueues } from './ended-queues.js';
import { mailFigures } from './service/node-look.js';
import type { NodeFigures } from '../host/monitoring/node-metrics.js';
import { IndexKeeper } from './upkeep/index-keeper.js';
import { StoreAwayLog } from '../host/monitoring/store-away-log.js';
import type { LeaderLease } from './leader-lease.js';
import type { NodeParts } from './node-parts.js';
import type { OrganizationService } from './service/organization-service.js';
import { termServices } from './term-services.js';
import type { Background } from './upkeep/background-service.js';
import { inBackground, untold } from '../turns/background.js';

/** Entries folded into the kept index of messages at the start after which it is written anew. */
const REWRITE_AFTER = 1000;
/** Time limit of the shutdown for mails that are being sent. */
const MAIL_DRAIN_MS = 1500;

/** Where other nodes reach the leader. */
export interface LeaderAddress {
  readonly host: string;
  readonly port: number;
}

/** The organization of a follower must not go on: it is to be loaded anew. */
export class MustReloadError extends Error {
  constructor(problem: string) {
    super(`${problem}: the organization is loaded again`);
    this.name = 'MustReloadError';
  }
}

/**
 * One term of leadership over an organization in memory, from taking the lease to losing it. Nothing of it
 * outlives the term, because afterwards another process writes. Life cycle: `open`, `begin` or `takeOver`, then
 * `close` in good order or `abandon` at once.
 */
export class Leadership {
  readonly homes: QueueHomes;
  private readonly index: IndexKeeper;
  private readonly background: readonly Background[];
  private readonly journal: Journal;
  private readonly endedQueues: EndedQueues;
  private ended = false;
  /** The organization is in memory as a whole. */
  private isLoaded = false;
  /** The records of the term were made once. */
  private wasRecorded = false;
  private readonly storeAway: StoreAwayLog;

  private constructor(
    private readonly parts: NodeParts,
    readonly served: OrganizationService,
    readonly lease: LeaderLease,
    private readonly address: LeaderAddress,
    hasServed: boolean,
    newest: StoredEntry | null,
  ) {
    this.storeAway = new StoreAwayLog(parts.log, 'the store does not take commits');
    this.journal = this.newJournal(newest);
    const { runtime } = served;
    this.homes = new QueueHomes(served.queues, steadyClock.now, hasServed);
    this.index = new IndexKeeper(runtime, parts.indexFile);
    this.endedQueues = new EndedQueues(runtime, parts.log);
    const background = termServices(parts, served, {
      ...{ journal: this.journal, homes: this.homes, index: this.index },
      endLeftQueues: () => this.endLeftQueues(),
    });
    this.background = parts.maintenance === true ? [] : background;
  }

  /**
   * @param lease lost when the store says that another process has it
   * @param hasServed whether this process has followed or led before
   * @throws as `begin`
   */
  static async open(
    parts: NodeParts,
    served: OrganizationService,
    lease: LeaderLease,
    address: LeaderAddress,
    hasServed: boolean,
  ): Promise<Leadership> {
    const { store, secret, config } = parts;
    await refuseUnfinishedImport(store);
    await refuseSealed(store);
    await secret.assertFits(store);
    if (!config.allowNewerStore) await assertNotNewer(store);
    return new Leadership(parts, served, lease, address, hasServed, await store.lastEntry());
  }

  /**
   * Loads the organization, or creates it in an empty store, and leads.
   * @returns the owner's password where it was created
   * @throws FencedError, StoreUnavailableError, ApiError 503 when the term can only be abandoned
   * @throws ForeignSecretError, MissingOrganizationError when this process may not lead
   */
  async begin(): Promise<string | null> {
    const { store, witness, log } = this.parts;
    const { org, queues } = this.served;
    this.useJournal();
    await witness.refresh();
    const stored = await readHistory(store, witness);
    await migrate({
      store,
      journal: this.journal,
      begun: ({ collection, to }) => log.info({ collection, to }, 'documents are being migrated'),
    });
    const folded = await loadCollections(store, org, this.parts.indexFile);
    this.isLoaded = true;
    // Before anything is written: memory is what the store has.
    if (folded === null || folded > REWRITE_AFTER) {
      inBackground(() => this.index.save(this.journal.durableHead.seq), untold);
    }
    await org.linkifiers.prepare(() => nextTurn());
    const password = await this.firstStart();
    if (this.ended) return null;
    await this.settle(password === null ? stored : null);
    if (this.ended) return null;
    const ended = (queueId: string): void => this.endedQueues.forget(queueId);
    await loadQueues(store, org, queues, ended, this.parts.queueUsedAt);
    await this.lead();
    return password;
  }

  /**
   * Leads with an organization that has followed the journal to its end.
   * @param followed position of the newest entry that the organization has
   * @throws MustReloadError where the organization must be loaded anew
   * @throws as `begin`
   */
  async takeOver(followed: number): Promise<void> {
    const { store, witness, besideStore } = this.parts;
    await witness.refresh();
    const stored = await readHistory(store, witness);
    const { seen, isNew, isCopy } = witness;
    if (verdict(stored, { seen, isNew, isCopy, besideStore }) !== null) {
      throw new MustReloadError('Another history begins');
    }
    // The lease may be lost at any wait.
    if (this.ended) return;
    if (hasOldIds(this.served.org, followed)) throw new MustReloadError('Event ids begin anew');
    // Numbers would be given again, and entries follow one that this organization does not have.
    const { seq } = this.journal.durableHead;
    if (seq !== followed) {
      throw new MustReloadError(`The store is at ${seq}, this node followed to ${followed}`);
    }
    this.isLoaded = true;
    this.useJournal();
    await this.settle(stored);
    if (this.ended) return;
    await this.lead();
  }

  /**
   * Which requests can be served: none without the lease, else those that the store allows. Asked at every request,
   * because a process that was suspended must not answer from stale state.
   */
  get health(): 'ready' | 'read_only' | 'unavailable' {
    if (!this.lease.holds) return 'unavailable';
    const { health } = this.journal;
    return health === 'ready' && tooFewReplicas(this.parts.store) ? 'read_only' : health;
  }

  /** The service of a leader. */
  get service(): Service {
    return {
      ...this.served.service,
      health: () => this.health,
      position: () => this.journal.durableHead.seq,
      // Where a replica has taken the master's place unnoticed, another node leads, and has told of more.
      ...(this.parts.config.storeReplicas > 0 && {
        reached: (seq: number) => (seq > this.position ? Promise.resolve(false) : null),
        onceConfirmed: () => this.lease.confirmAnswer(),
      }),
      onceDurable: (ageMs) => this.served.runtime.durableSince(monotonicTime() - ageMs),
    };
  }

  /** Position of the newest durable entry. */
  get position(): number {
    return this.journal.durableHead.seq;
  }

  /** Figures of the term for metrics. */
  figures(): NodeFigures {
    const { durableHead, pending } = this.journal;
    return {
      ...this.served.figures(),
      leads: true,
      replicas: this.parts.store.replicas ?? null,
      stalenessMs: 0,
      head: durableHead.seq,
      pending,
      mails: mailFigures(this.served.org),
    };
  }

  /** Ends the term after everything pending is durable. */
  async close(): Promise<void> {
    await this.served.mail.drain(MAIL_DRAIN_MS);
    this.end();
    await this.journal.close();
    this.parts.witness.release();
    await this.parts.witness.save();
  }

  /** When the organization must be in memory next: the earliest of what each service plans ({@link Background}). */
  async nextDue(): Promise<number> {
    if (this.ended || this.journal.pending > 0 || this.health !== 'ready') return NOW;
    const times = this.background.map(async (service) => service.nextDue());
    return earliest(await Promise.all(times));
  }

  /** Keeps the index of messages for the next start, once the term was closed. */
  async keepIndex(): Promise<void> {
    const { journal } = this;
    // What the store refused, or its fate is unknown, may be in memory; a process that is stopped as it starts lacks some.
    if (this.isLoaded && journal.pending === 0 && journal.health === 'ready') {
      await this.index.save(journal.durableHead.seq);
    }
    await this.parts.indexFile.settled();
  }

  /** Ends the term at once; clients get nothing more from it. */
  abandon(): void {
    this.end();
    this.journal.abandon();
    this.parts.witness.release();
    this.served.release();
  }

  /** The term ends where event ids are used up; the next one, of this node or another, begins them anew. */
  private endWithIds(): void {
    if (!this.wasRecorded || !hasUsedUpIds(this.served.org, this.position)) return;
    this.lease.lose(new Error('Event ids are used up: they begin anew'));
  }

  private endLeftQueues(): void {
    if (this.served.org.realm.isDeactivated) this.served.queues.revokeAll();
  }

  private end(): void {
    if (this.ended) return;
    this.ended = true;
    this.storeAway.over();
    this.endedQueues.stop();
    for (const service of [...this.background].reverse()) service.stop();
    this.served.stop();
  }

  /**
   * Decides which history goes on. What is durable from then on this node has seen, however soon the term ends.
   * @param stored null for an organization that was made just now, whose history is named
   */
  private async settle(stored: StoredHistory | null): Promise<void> {
    const { journal } = this;
    const settling = { ...this.parts, runtime: this.served.runtime, journal };
    if (stored) await settleHistory(settling, stored);
    if (!this.ended) this.parts.witness.watch(observer(settling));
  }

  /** Records the term and starts what runs by itself. */
  private async lead(): Promise<void> {
    this.record();
    try {
      await this.journal.barrier();
    } catch (error) {
      // A disk that is nearly full: reads are served, and the records follow when there is room.
      if (this.ended || !this.journal.isReadOnly) throw error;
    }
    if (this.ended) return;
    // So that the node knows the store even if the process ends at once.
    await this.parts.witness.save();
    if (this.ended) return;
    for (const service of this.background) service.start();
    this.served.start();
  }

  /** Records the term, and what it is led with. */
  private record(): void {
    const { secret, nodeId, markdown } = this.parts;
    const { runtime } = this.served;
    this.wasRecorded = true;
    runtime.transact(recordSchemaVersions);
    runtime.transact((tx) => {
      if (recordSoftware(tx)) postUpdateNotice(tx, markdown);
    });
    runtime.transact((tx) => secret.record(tx));
    const { token } = this.lease.lease;
    runtime.transact((tx) => {
      tx.org.leader.insert({ node: nodeId, ...this.address, token, since: tx.now });
    });
  }

  /** Whether the store has refused the records, each time that they were made: the last of them is not in memory. */
  private get isUnrecorded(): boolean {
    if (this.ended || !this.wasRecorded) return false;
    const leader = this.served.org.leader.get('leader');
    return leader?.node !== this.parts.nodeId || leader.token !== this.lease.lease.token;
  }

  private recordLate(): void {
    try {
      if (this.isUnrecorded) this.record();
    } catch (error) {
      // The store refuses again: it is tried when it recovers.
      if (!isStoreAway(error)) throw error;
    }
  }

  private newJournal(newest: StoredEntry | null): Journal {
    const { store, log, config } = this.parts;
    const { runtime, queues } = this.served;
    const options: JournalOptions = {
      store,
      lease: this.lease.lease,
      batching: new CommitBatching(),
      now: systemClock.now,
      steady: steadyClock.now,
      commitTimeoutMs: config.storeWaitMs,
      listener: {
        durable: (entry) => runtime.deliver(entry),
        flushed: () => {
          queues.fanOut.wake();
          this.endWithIds();
        },
        takenBack: (entries) => runtime.takenBack(entries),
        withheld: (entries) => runtime.withheld(entries),
        applyAgain: (entry, text) => runtime.applyAgain(entry, text),
        storeFailed: (error) => {
          if (!this.ended) this.storeAway.away(error);
          if (error instanceof UnusableStoreError) this.parts.unusable(error);
        },
        storeRecovered: () => {
          if (this.storeAway.over()) log.info({}, 'the store takes commits again');
          if (this.isUnrecorded) setImmediate(() => this.recordLate());
        },
        deposed: (error) => this.lease.lose(error),
      },
    };
    return new Journal(options, newest);
  }

  /** The organization serves as the leader from now on. */
  private useJournal(): void {
    const { runtime } = this.served;
    const confirm = (): Promise<void> => this.lease.confirm();
    this.served.takeRole({
      journal: this.journal,
      writer: this.journal,
      documents: ledDocuments(this.parts.store, confirm),
      confirm,
      stalenessMs: () => 0,
      sharing: this.homes,
      others: null,
      forget: (queueId) => this.endedQueues.forget(queueId),
      tick: () => runtime.tick(HEARTBEATS_PER_ENTRY),
    });
  }

  private async firstStart(): Promise<string | null> {
    const { config, passwords, markdown, firstStart, store } = this.parts;
    const { org, runtime } = this.served;
    if (org.realm.size > 0) return null;
    firstStart.refuse(store.description);
    const password = config.ownerPassword ?? newToken();
    const passwordHash = await passwords.hash(password);
    if (this.ended) return null;
    const { organization: name, ownerEmail } = config;
    runtime.transact((tx) => {
      nameHistory(tx, newHistoryId(), 'created');
      createOrganization(
        tx,
        { name, ownerEmail, ownerPasswordHash: passwordHash },
        { sendNotice: (open, place, content) => sendNotice(open, markdown, place, content) },
      );
    });
    // Nobody is told of an organization that the store has not got: the term ends, and a later one creates it.
    await this.journal.barrier();
    return password;
  }
}
