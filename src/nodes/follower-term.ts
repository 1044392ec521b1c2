import { steadyClock } from '../platform/clock.js';
import { setTimeout } from '../platform/timers.js';
import { acknowledgeEvents } from '../../schemas/queues/event-stream.js';
import { registerQueue } from '../../schemas/queues/register.js';
import type { LeaderDocument } from '../../schemas/store/leader-document.js';
import { Forwarder } from '../http/forwarding/forwarder.js';
import { POSITION_WAIT_MS, reachedInTime, unlessBehind } from '../http/forwarding/position-wait.js';
import { refusalOf, type Health } from '../http/health.js';
import type { Service } from '../http/server.js';
import type { FollowedJournal } from '../journal/followed-journal.js';
import { REPORT_GRACE_MS, type QueueReport } from '../journal/queues/queue-homes.js';
import { QueueReports } from '../journal/queues/queue-reports.js';
import { followedDocuments } from '../organization/state/load.js';
import type { QueueRequest } from '../journal/queues/queues.js';
import type { MailEnvelope, MailReply } from '../services/incoming-mail/mail-protocol.js';
import type { UploadCall } from '../resources/queues/other-nodes.js';
import type { Session } from '../resources/kernel/route.js';
import type { ReplicaCount, StoredEntry } from '../store/port.js';
import { seenIn } from './history/history-check.js';
import type { Seen } from './history/witness.js';
import { Following } from './following.js';
import { MustReloadError } from './leadership.js';
import { LeaderContact } from './leader-contact.js';
import {
  INTERNAL,
  bytesCall,
  type QueuesReply,
  type RegisteredQueue,
  type Ticked,
  type UploadStep,
} from './internal-calls.js';
import type { ConsoleParams, ConsoleReply, PartParams } from '../../schemas/queues/console.js';
import type { NodeFigures } from '../host/monitoring/node-metrics.js';
import type { NodeParts } from './node-parts.js';
import { OrganizationService } from './service/organization-service.js';
import { every, type Background } from './upkeep/background-service.js';

/** A follower that has not had everything for longer answers nothing. Milliseconds. */
const MOST_STALE_MS = 5000;
/** The other nodes learn as late who was active here. A user is reported once a day. */
const ACTIVITY_MS = 1000;
/** Interval at which that is looked at for those who wait for events. Milliseconds. */
const FRESH_CHECK_MS = 500;
/**
 * Operations that a follower serves itself although their method writes: the snapshot, and not the write, is what a
 * registration costs, and an acknowledgement is for the node that serves the queue.
 */
const KEPT = new Set([registerQueue.operation, acknowledgeEvents.operation]);

/**
 * One term as a follower: an organization in memory that is kept equal to the leader's and serves everything
 * that does not write. Ends with `stop`, or with `promote`, after which a leadership goes on with the same
 * organization.
 */
export class FollowerTerm {
  readonly served: OrganizationService;
  private readonly following: Following;
  private readonly reports: QueueReports;
  private readonly forwarder: Forwarder;
  private readonly contact: LeaderContact;
  private readonly background: readonly Background[];
  private readonly leaderListeners = new Set<() => void>();
  private wasFresh = true;
  /** Newest position that a client was told of before this node had reached it. */
  private told = 0;

  /** @param isUnled whether nobody can lead now, so that no leader is looked for */
  constructor(
    private readonly parts: NodeParts,
    key: string,
    private readonly isUnled: () => boolean,
  ) {
    this.served = new OrganizationService(parts);
    const { served } = this;
    this.following = new Following(parts, served, () => this.leaderChanged());
    this.contact = new LeaderContact({
      ...{ log: parts.log, leaseMs: parts.config.leaseMs },
      leader: () => this.leader,
      problem: () => this.forwarder.problem,
    });
    this.forwarder = new Forwarder({
      leader: () => this.leader,
      changed: (listener) => {
        this.leaderListeners.add(listener);
        return () => this.leaderListeners.delete(listener);
      },
      key,
      probe: INTERNAL.tick,
      cutOff: () => this.cutOff,
      waitMs: parts.config.storeWaitMs,
      reached: (seq) => this.isReachedInTime(seq),
      stillBehind: (seq) => (this.told = Math.max(this.told, seq)),
    });
    this.reports = new QueueReports({
      node: parts.nodeId,
      queues: served.queues,
      now: steadyClock.now,
      head: () => this.journal.durableHead.seq,
      send: async (report: QueueReport) => {
        // Also where nothing else is sent: it finds out whether the leader is there again.
        const reply = (await this.forwarder.call(INTERNAL.queues, report)) as QueuesReply;
        this.contact.answered(reply.read_only === true, reply.store_replicas);
        if (reply.wanted) this.tellConsole(reply.wanted);
        return reply;
      },
      failed: (error) => {
        if (this.cutOff !== null) return;
        parts.log.info({ err: error }, 'the report on queues did not reach the leader');
      },
    });
    this.background = [
      every(ACTIVITY_MS, () => this.reportActivity()),
      every(FRESH_CHECK_MS, () => this.releaseIfStale()),
      every(FRESH_CHECK_MS, () => {
        if (!this.isUnled()) this.contact.look();
      }),
    ];
  }

  /** The service of a follower: what writes is forwarded. */
  get service(): Omit<Service, 'health'> {
    return {
      ...this.served.service,
      forward: this.forwarder,
      keeps: KEPT,
      position: () => this.position,
      reached: (seq) => this.isReachedInTime(seq),
    };
  }

  /** Waits for something; rejects when the organization can be followed no longer. One call at a time. */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    return this.following.unlessEnded(work);
  }

  /** Whether the organization can be followed no longer. */
  get hasFailed(): boolean {
    return this.following.hasFailed;
  }

  /** Which requests can be served: none where this node is too far behind, reads where its leader makes no changes. */
  get state(): Health {
    if (!this.isFresh) return 'unavailable';
    return this.isUnled() ? 'read_only' : this.contact.state;
  }

  /** What is known of the store's replicas: of one that nobody leads, what this node was told as it asked for the lease. */
  get replicas(): ReplicaCount | undefined {
    return this.isUnled() ? this.parts.store.replicas : this.contact.replicas;
  }

  /** Whether this node is close enough behind the leader to answer, and shows clients what they wrote through it. */
  private get isFresh(): boolean {
    return this.staleness <= MOST_STALE_MS && this.position >= this.told;
  }

  /** How long ago this node last had everything that was durable. Milliseconds. */
  get staleness(): number {
    return this.following.staleness;
  }

  /** Position of the newest entry in memory. */
  get position(): number {
    return this.journal.durableHead.seq;
  }

  /** Figures for metrics. */
  figures(): NodeFigures {
    const own = {
      leads: false,
      replicas: this.isUnled() ? (this.parts.store.replicas ?? null) : null,
      stalenessMs: this.staleness,
      head: this.position,
      pending: 0,
      mails: null,
    };
    return { ...this.served.figures(), ...own };
  }

  /** Loads the organization and follows it. @throws as `Following.load` */
  async begin(): Promise<void> {
    const useJournal = (journal: FollowedJournal): void => {
      this.served.takeRole({
        journal,
        writer: null,
        confirm: () => Promise.resolve(),
        documents: followedDocuments(this.parts.store, {
          position: () => this.position,
          reached: (seq) => this.reached(seq),
          cameAs: (entry) => this.cameAs(entry),
        }),
        stalenessMs: () => this.staleness,
        sharing: this.reports,
        others: this,
        forget: (queueId) => this.reports.overflow(queueId),
        tick: () => this.tick(),
      });
    };
    try {
      await this.following.load(useJournal);
    } catch (error) {
      // Another history began meanwhile: the documents were loaded.
      if (error instanceof MustReloadError) this.recordSeen();
      throw error;
    }
    this.leaderChanged();
    this.following.run();
    this.served.start();
    this.reports.start();
    for (const one of this.background) one.start();
    await this.watch();
  }

  /** What this node has followed is what it has seen of the store, and what a store that went back is known by. */
  private async watch(): Promise<void> {
    const { witness, besideStore } = this.parts;
    // Processes of one folder share one witness file.
    if (besideStore) return;
    const known = witness.seen;
    witness.watch(() => this.seen(known));
    // A node that has followed at all has seen its store.
    await witness.save();
  }

  private recordSeen(): void {
    const { witness, besideStore } = this.parts;
    if (!besideStore) witness.record(this.seen(witness.seen));
  }

  private seen(known: Seen): Seen {
    return seenIn(this.served.org, this.following.newestEntry!, known);
  }

  /** Has everything that is durable and follows no further: this node has the lease. */
  async promote(): Promise<OrganizationService> {
    await this.following.catchUp();
    this.end();
    this.served.queues.touchAll(REPORT_GRACE_MS);
    return this.served;
  }

  /** The node leads: what waited for a leader goes to its own listener. */
  promoted(): void {
    this.journal.end();
    this.leaderChanged();
    // Nothing waits for longer.
    setTimeout(() => this.forwarder.close(), this.parts.config.storeWaitMs).unref();
  }

  /** Ends the term and everything it serves. */
  stop(): void {
    this.end();
    this.forwarder.close();
    this.served.stop();
    this.served.release();
  }

  // What event queues ask of other nodes.

  /** @throws ApiError 503 where that takes long */
  catchUp(): Promise<void> {
    return reachedInTime(this.following.catchUp());
  }

  /** @throws ApiError 503, also where the queue has ended already, or the store went back before what this node has */
  async register(request: QueueRequest): Promise<string> {
    const { nodeId: node } = this.parts;
    const call = { node, ...request };
    const { queue_id, seq } = await this.call<RegisteredQueue>(INTERNAL.register, call);
    await this.reached(seq);
    const queue = this.served.queues.get(queue_id);
    if (!queue) throw refusalOf('unavailable');
    this.reports.registered(queue);
    return queue_id;
  }

  console(params: ConsoleParams): Promise<ConsoleReply> {
    return this.call<ConsoleReply>(INTERNAL.console, params);
  }

  receiveMail(envelope: MailEnvelope, raw: Buffer): Promise<readonly MailReply[]> {
    return this.call<readonly MailReply[]>(INTERNAL.mail, bytesCall(envelope, raw));
  }

  async upload(call: UploadCall, bytes: Buffer): Promise<string> {
    const { id, seq } = await this.call<UploadStep>(INTERNAL.upload, bytesCall(call, bytes));
    await this.reached(seq);
    return id;
  }

  async exportFetched(exportId: number): Promise<void> {
    await this.call(INTERNAL.exportFetched, { id: exportId });
  }

  async redeemTicket(ticket: string): Promise<Session | null> {
    const session = await this.call<Session | null>(INTERNAL.ticket, { ticket });
    // The account may have changed just before the ticket was drawn.
    await this.catchUp();
    return session;
  }

  private get journal(): FollowedJournal {
    return this.following.journal;
  }

  private leaderChanged(): void {
    this.reports.leaderChanged();
    this.contact.leaderChanged();
    for (const changed of this.leaderListeners) changed();
  }

  /** A user has the console open: this node reports its figures to the leader, which shows them. */
  private tellConsole(wanted: PartParams): void {
    const { nodeId: node } = this.parts;
    const part = this.served.console.part(wanted);
    // The next report brings the next part.
    this.call(INTERNAL.consolePart, { node, part }).catch(() => undefined);
  }

  /** Why nobody waits for the leader any more; null where it is waited for. */
  private get cutOff(): Health | null {
    if (this.isUnled()) return 'read_only';
    return this.contact.state === 'leader_unreachable' ? 'leader_unreachable' : null;
  }

  private get leader(): LeaderDocument | null {
    return this.served.org.leader.get('leader') ?? null;
  }

  /** Resolves once this node has everything up to a position. @throws ApiError 503 where that takes long */
  private async reached(seq: number): Promise<void> {
    await unlessBehind(this.isReachedInTime(seq));
  }

  /**
   * Waits as `reached` does. Whether the entry at that position is this one; null where later ones have come by then.
   * @throws ApiError 503 where that takes long
   */
  private async cameAs({ seq, text }: StoredEntry): Promise<boolean | null> {
    let isSame: boolean | null = null;
    const compare = (): void => {
      const { newestEntry } = this.following;
      if (newestEntry?.seq === seq) isSame = newestEntry.text === text;
    };
    await unlessBehind(this.journal.reachedWithin(seq, POSITION_WAIT_MS, compare));
    return isSame;
  }

  private isReachedInTime(seq: number): Promise<boolean> | null {
    return this.journal.reachedWithin(seq, POSITION_WAIT_MS);
  }

  private async tick(): Promise<void> {
    const { seq } = await this.call<Ticked>(INTERNAL.tick, {});
    await this.reached(seq);
  }

  /** @throws ApiError */
  private async call<T>(path: string, body: object): Promise<T> {
    const { cutOff } = this;
    if (cutOff !== null) throw refusalOf(cutOff);
    return (await this.forwarder.call(path, body)) as T;
  }

  /** Polls and sockets would wait here for events that others have. */
  private releaseIfStale(): void {
    const { isFresh } = this;
    if (this.wasFresh && !isFresh) this.served.queues.detachAll();
    this.wasFresh = isFresh;
  }

  private reportActivity(): void {
    const seen = this.served.activity.take();
    if (seen === null) return;
    this.call(INTERNAL.activity, seen).catch(() => this.served.activity.add(seen));
  }

  private end(): void {
    this.parts.witness.release();
    this.following.stop();
    this.reports.stop();
    this.contact.stop();
    for (const one of this.background) one.stop();
  }
}
