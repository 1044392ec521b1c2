import { setImmediate as nextTurn } from 'node:timers/promises';
import { steadyClock, systemClock } from '../../actors/clock.js';
import { DeadlineWheel } from '../../actors/deadline-wheel.js';
import { openSocket } from '../../schemas/queues/socket.js';
import { avatarRoutes, uploadRoutes } from '../http/files/file-routes.js';
import { pollRoute, type EventRouteParts } from '../http/events/event-routes.js';
import type { LeaderFigures } from './metrics.js';
import type { Service } from '../http/server.js';
import { CommitBatching } from '../journal/commit-batching.js';
import { Journal } from '../journal/journal.js';
import { QueueActors } from '../journal/queues/queue-actors.js';
import { Queues } from '../journal/queues/queues.js';
import { Replay } from '../journal/queues/replay.js';
import { EVENT_RENDERERS } from '../journal/renderers/registry.js';
import { createOrganization } from '../organization/realm/bootstrap.js';
import { FullMemberClock } from '../organization/groups/full-members.js';
import { nameHistory, newHistoryId } from '../organization/state/history.js';
import { messageSource, loadCollections, loadQueues } from '../organization/state/load.js';
import { MailDelivery } from '../organization/mail/delivery.js';
import { migrate } from '../organization/state/migrations.js';
import { Organization, type Site } from '../organization/state/organization.js';
import { PresenceTracker } from '../organization/presence/presence-tracker.js';
import { forgetQueues } from '../organization/state/queue-documents.js';
import { Runtime } from '../organization/state/runtime.js';
import { Scheduler } from '../organization/scheduling/scheduler.js';
import { sendNotice } from '../organization/messages/sending/notification-bot.js';
import {
  assertNotNewer,
  recordSchemaVersions,
  recordSoftware,
} from '../organization/state/software.js';
import { TopicDeletions } from '../organization/messages/deletion/topic-deletions.js';
import { ActivityTracker } from '../organization/presence/activity-tracker.js';
import { allHandlers, assertServed } from '../resources/registry.js';
import { KeyAuthenticator } from '../resources/kernel/authenticator.js';
import { bind } from '../resources/kernel/bind.js';
import { EventQueues } from '../resources/queues/event-queues.js';
import { allPages } from '../resources/pages/registry.js';
import { errorPage } from '../resources/pages/layout.js';
import { PageRuntime } from '../resources/pages/page.js';
import { SocketTickets } from '../resources/queues/socket-tickets.js';
import { UnusableStoreError, type FencedError, type Lease } from '../store/port.js';
import { refuseSealed } from '../store/transfer/seal.js';
import { refuseUnfinishedImport } from '../store/transfer/unfinished.js';
import {
  every,
  type Background,
  journalUpkeep,
  messageUpkeep,
  draftSweep,
  uploadUpkeep,
} from './upkeep.js';
import { readHistory } from './history-check.js';
import { observer, settleHistory } from './history.js';
import type { LeadershipTermParts } from './leadership-term-parts.js';
import { newToken } from '../services/auth/random-token.js';

/** Bounds of one queue: the events that a client may miss while it is away. */
const QUEUE_LIMITS = { maxEvents: 10_000, maxBytes: 8 * 1024 * 1024 };
const UPKEEP_MS = 60_000;
const COMMIT_TIMEOUT_CHECK_MS = 200;
/** Interval of checks of the clock: how late a stored deadline may be after the clock was set forward. */
const CLOCK_CHECK_MS = 1000;
/** Ended queues removed per transaction: with what is remembered of their messages, 5,000 documents at most. */
const QUEUES_PER_ENTRY = 25;
/** Time limit of the shutdown for mails that are being sent. */
const MAIL_DRAIN_MS = 1500;

/**
 * One term of leadership: everything that is built from the organization in the store, from taking the
 * lease to losing it. Nothing of it outlives the term, because afterwards another process writes.
 * Life cycle: `begin`, then `close` in good order or `abandon` at once.
 */
export class LeadershipTerm {
  readonly service: Service;
  readonly events: EventRouteParts;
  readonly org: Organization;
  private readonly queues: Queues;
  private readonly runtime: Runtime;
  private readonly presence: PresenceTracker;
  private readonly topicDeletions: TopicDeletions;
  private readonly fullMembers: FullMemberClock;
  /** Deadlines that outlive the process, by the wall clock. */
  private readonly wheel: DeadlineWheel;
  /** Deadlines that end with the process. */
  private readonly steadyWheel: DeadlineWheel;
  private readonly scheduled: Scheduler;
  private readonly mail: MailDelivery;
  private readonly background: readonly Background[];
  private journal!: Journal;
  private actors!: QueueActors;
  private forgotten: string[] = [];
  private ended = false;

  /** @param deposed called when the store says that another process has the lease */
  constructor(
    private readonly parts: LeadershipTermParts,
    private readonly lease: Lease,
    private readonly deposed: (error: FencedError) => void,
  ) {
    const { config, store, server, log, keys } = parts;
    const now = (): number => systemClock.now();
    const steady = (): number => steadyClock.now();
    const site: Site = {
      url: parts.url,
      botDomain: config.url ? new URL(config.url).hostname : 'parley.invalid',
      generation: Math.floor(now() / 1000),
      uploadQuotaMib: config.uploadQuotaMib,
      logins: [
        ...(parts.directory ? ['LDAP' as const] : []),
        ...(parts.webTokens ? ['JWT' as const] : []),
      ],
    };
    const onError = (error: unknown, key: string): void =>
      log.error({ err: error, key }, 'a deadline failed');
    this.wheel = new DeadlineWheel(systemClock, { onError });
    this.steadyWheel = new DeadlineWheel(steadyClock, { onError });
    this.org = new Organization(site, messageSource(store), now, (keys) => store.getMany(keys));
    this.queues = new Queues({
      limits: QUEUE_LIMITS,
      now: steady,
      newId: newToken,
      forget: (queueId) => this.forget(queueId),
      tick: () => this.runtime.tick(),
    });
    this.runtime = new Runtime(this.org, this.queues, EVENT_RENDERERS, () => this.journal);
    this.presence = new PresenceTracker(this.org, {
      clock: steadyClock,
      wheel: this.steadyWheel,
      onError: (id, error) => log.error({ err: error, id }, 'a presence session failed'),
    });
    this.topicDeletions = new TopicDeletions(this.runtime, {
      clock: steadyClock,
      wheel: this.steadyWheel,
      onError: (id, error) => log.error({ err: error, id }, 'a topic deletion failed'),
      limitMs: config.topicDeletionMs,
    });
    this.fullMembers = new FullMemberClock(this.org, {
      wheel: this.wheel,
      transact: (work) => this.runtime.transact(work),
    });
    const tickets = new SocketTickets(steady, newToken);
    const handlers = allHandlers({
      ...parts,
      onBlobError: (error: unknown) => log.error({ err: error }, 'a file could not be removed'),
      queues: this.queues,
      presence: this.presence,
      topicDeletions: this.topicDeletions,
      waitingPeriodChanged: () => this.fullMembers.changed(),
      invitationValidityMinutes: config.invitationLinkValidityMinutes,
      tickets,
    });
    const activity = new ActivityTracker(this.org, (work) => this.runtime.transact(work));
    const authenticator = new KeyAuthenticator(this.org, keys, (id) => activity.record(id));
    this.events = {
      events: new EventQueues(this.queues, this.runtime),
      tickets,
      authenticator,
      now: steady,
      server: () => server,
    };
    const files = uploadRoutes({ ...parts, org: this.org });
    const poll = pollRoute(this.events);
    // A redirect to a picture, at the root, is no part of the API.
    assertServed([...handlers, ...files, poll, { endpoint: openSocket }]);
    this.service = {
      routes: handlers.map((handler) => bind(this.runtime, handler)),
      specials: [poll, ...avatarRoutes(this.org), ...files],
      authenticator,
      pages: {
        all: allPages({
          ...parts,
          runtime: new PageRuntime(this.runtime),
          keys: parts.linkKeys,
          limiter: parts.mailLimiter,
          closeSockets: (userId) => this.queues.closeSocketsOf(userId),
        }),
        errorPage: (error) => errorPage(this.org, error),
      },
    };
    this.scheduled = new Scheduler({
      ...{ runtime: this.runtime, store, markdown: parts.markdown, wheel: this.wheel },
      clock: systemClock,
      onError: (key, error) => log.error({ err: error, key }, 'a scheduled delivery failed'),
      lateLimitMs: config.lateDeliveryMs,
    });
    this.mail = new MailDelivery(this.runtime, {
      ...parts.mail,
      keys: parts.linkKeys,
      wheel: this.wheel.keySet(),
      log,
    });
    // Background services: started in this order, stopped in reverse.
    this.background = [
      { start: () => this.presence.restore(), stop: () => this.presence.stop() },
      this.fullMembers,
      this.scheduled,
      { start: () => undefined, stop: () => this.topicDeletions.stop() },
      this.mail,
      journalUpkeep(this.runtime, parts),
      uploadUpkeep(this.runtime, parts),
      draftSweep(parts),
      messageUpkeep(this.runtime, parts),
      every(UPKEEP_MS, () => this.actors.passivate()),
      every(UPKEEP_MS, () => activity.run()),
      every(COMMIT_TIMEOUT_CHECK_MS, () => this.journal.checkCommitTimeout()),
      every(CLOCK_CHECK_MS, () => this.wheel.checkClock()),
    ];
  }

  /**
   * Loads the organization, or creates it in an empty store.
   * @returns the owner's password where it was created
   * @throws FencedError, StoreUnavailableError, ApiError 503 when the term can only be abandoned
   * @throws ForeignSecretError, MissingOrganizationError when this process may not lead
   */
  async begin(): Promise<string | null> {
    const { store, secret, witness, config, log } = this.parts;
    await refuseUnfinishedImport(store);
    await refuseSealed(store);
    await secret.assertFits(store);
    if (!config.allowNewerStore) await assertNotNewer(store);
    await this.openJournal();
    const { runtime, journal } = this;
    await witness.refresh();
    const stored = await readHistory(store, witness);
    await migrate({
      store,
      journal,
      begun: ({ collection, to }) => log.info({ collection, to }, 'documents are being migrated'),
    });
    await loadCollections(store, this.org);
    await this.org.linkifiers.prepare(() => nextTurn());
    const password = await this.firstStart();
    if (this.ended) return null;
    if (password === null) await settleHistory({ ...this.parts, runtime, journal }, stored);
    if (this.ended) return null;
    await loadQueues(store, this.org, this.queues, (queueId) => this.forget(queueId));
    this.runtime.transact(recordSchemaVersions);
    this.runtime.transact(recordSoftware);
    this.runtime.transact((tx) => secret.record(tx));
    await this.journal.barrier();
    if (this.ended) return null;
    witness.watch(observer({ runtime, journal }));
    // So that the node knows the store even if the process ends at once.
    await witness.save();
    if (this.ended) return null;
    for (const service of this.background) service.start();
    return password;
  }

  /** Whether the store lets requests be answered. */
  get storeHealth(): 'ready' | 'read_only' | 'unavailable' {
    return this.openedJournal?.health ?? 'ready';
  }

  /** Figures of the term for metrics. */
  figures(): LeaderFigures {
    return {
      queues: this.queues.census(),
      head: this.journal.durableHead.seq,
      pending: this.journal.pending,
      actors: {
        'event-queue': this.actors.host.countByState(),
        'presence-session': this.presence.countByState(),
        'scheduled-message': this.scheduled.countByState(),
        'topic-deletion': { deleting: this.topicDeletions.running },
      },
    };
  }

  /** Ends all polls and sockets; their clients reconnect with their cursors. */
  release(): void {
    this.topicDeletions.stop();
    this.queues.releaseAll('draining');
  }

  /** Ends the term after everything pending is durable. */
  async close(): Promise<void> {
    await this.mail.drain(MAIL_DRAIN_MS);
    this.end();
    await this.openedJournal?.close();
    this.parts.witness.release();
    await this.parts.witness.save();
  }

  /** Ends the term at once; clients get nothing more from it. */
  abandon(): void {
    this.end();
    this.openedJournal?.abandon();
    this.parts.witness.release();
    this.release();
  }

  private end(): void {
    if (this.ended) return;
    this.ended = true;
    for (const service of [...this.background].reverse()) service.stop();
    this.wheel.stop();
    this.steadyWheel.stop();
  }

  /** Undefined where the term ends before the journal was opened. */
  private get openedJournal(): Journal | undefined {
    return this.journal;
  }

  private async openJournal(): Promise<void> {
    const { store, log, config } = this.parts;
    this.journal = await Journal.open({
      store,
      lease: this.lease,
      batching: new CommitBatching(),
      now: () => systemClock.now(),
      steady: () => steadyClock.now(),
      commitTimeoutMs: config.storeWaitMs,
      listener: {
        durable: (entry) => this.runtime.deliver(entry),
        flushed: () => this.queues.wake(),
        takenBack: (entries) => this.runtime.takenBack(entries),
        storeFailed: (error) => {
          log.error({ err: error }, 'the store does not take commits');
          if (error instanceof UnusableStoreError) this.parts.unusable(error);
        },
        storeRecovered: () => log.info({}, 'the store takes commits again'),
        deposed: this.deposed,
      },
    });
    const { queues, journal, org } = this;
    this.actors = new QueueActors(queues, {
      clock: steadyClock,
      wheel: this.steadyWheel,
      random: Math.random,
      onError: (id, error) => log.error({ err: error, queue: id }, 'a queue actor failed'),
    });
    queues.connect({
      journal,
      actors: this.actors,
      replay: new Replay({
        store,
        renderers: EVENT_RENDERERS,
        membership: org.subscriptions,
        guests: org.users.activeGuests,
        limits: QUEUE_LIMITS,
        head: () => journal.durableHead,
        onDamage: (seq) => {
          log.error(
            { seq, store: store.description },
            'a damaged journal entry: queues that need it end',
          );
        },
      }),
    });
  }

  private async firstStart(): Promise<string | null> {
    const { config, passwords, markdown, firstStart, store } = this.parts;
    if (this.org.realm.size > 0) return null;
    firstStart.refuse(store.description);
    const password = config.ownerPassword ?? newToken();
    const passwordHash = await passwords.hash(password);
    if (this.ended) return null;
    const { organization: name, ownerEmail } = config;
    this.runtime.transact((tx) => {
      nameHistory(tx, newHistoryId(), 'created');
      createOrganization(
        tx,
        { name, ownerEmail, ownerPasswordHash: passwordHash },
        { sendNotice: (open, place, content) => sendNotice(open, markdown, place, content) },
      );
    });
    return password;
  }

  /** Collects ended queues, whose documents one transaction deletes after the current work. */
  private forget(queueId: string): void {
    this.forgotten.push(queueId);
    if (this.forgotten.length === 1) this.forgetSoon();
  }

  private forgetSoon(): void {
    setImmediate(() => {
      const ids = this.forgotten.splice(0, QUEUES_PER_ENTRY);
      if (this.forgotten.length > 0) this.forgetSoon();
      if (this.ended) return;
      try {
        this.runtime.transact((tx) => forgetQueues(tx, ids));
      } catch (error) {
        // Their documents stay, and the queues expire again after a restart.
        this.parts.log.error({ err: error, count: ids.length }, 'ended queues were not removed');
      }
    });
  }
}
