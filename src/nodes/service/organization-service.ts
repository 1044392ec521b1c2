import { steadyClock, systemClock } from '../../platform/clock.js';
import { random } from '../../platform/randomness.js';
import { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { withAllStates } from '../../../actors/kinds.js';
import { openStream } from '../../../schemas/queues/event-stream.js';
import { openSocket } from '../../../schemas/queues/socket.js';
import type { EventRouteParts } from '../../http/events/event-route-parts.js';
import { pollRoute } from '../../http/events/event-routes.js';
import { avatarRoutes, uploadRoutes } from '../../http/files/file-routes.js';
import { tusRoutes } from '../../http/files/tus-routes.js';
import type { Service } from '../../http/server.js';
import type { Journal, JournalReader } from '../../journal/journal.js';
import { censusOf } from '../../journal/queues/queue-census.js';
import { Queues, type QueueSharing } from '../../journal/queues/queues.js';
import { Replay } from '../../journal/queues/replay.js';
import { EVENT_RENDERERS } from '../../journal/renderers/registry.js';
import { FullMemberClock } from '../../organization/groups/full-members.js';
import { OutgoingHookDelivery } from '../../organization/hooks/outgoing-hook-delivery.js';
import { MailDelivery } from '../../organization/mail/delivery.js';
import { Attention } from '../../organization/notifications/notifier.js';
import { composeDigest } from '../../organization/notifications/digest-text.js';
import { Digests } from '../../organization/notifications/digests.js';
import { composeMissed } from '../../organization/notifications/missed-message-text.js';
import { MessageNotifications } from '../../organization/notifications/message-notifications.js';
import { PagePreviews } from '../../organization/messages/previews/page-previews.js';
import { Thumbnailer } from '../../organization/messages/previews/thumbnailer.js';
import { TopicDeletions } from '../../organization/messages/deletion/topic-deletions.js';
import { ExportWorker } from '../../organization/realm/export-worker.js';
import { SearchFeed } from '../../organization/messages/search/search-feed.js';
import { ActivityTracker } from '../../organization/presence/activity-tracker.js';
import { PresenceTracker } from '../../organization/presence/presence-tracker.js';
import { Scheduler } from '../../organization/scheduling/scheduler.js';
import { damageLine, reportOnce } from '../../organization/state/damaged-documents.js';
import { messageSource } from '../../organization/state/load.js';
import { Organization } from '../../organization/state/organization.js';
import { keepQueue } from '../../organization/state/queue-documents.js';
import { watchTwoFactor } from '../../organization/accounts/two-factor-watch.js';
import { Runtime } from '../../organization/state/runtime.js';
import { KeyAuthenticator } from '../../http/auth/authentication.js';
import { bind } from '../../resources/kernel/bind.js';
import { Console } from '../../resources/queues/console.js';
import { QueueAccess } from '../../resources/queues/event-queues.js';
import type { OtherNodes, OtherNodesNow } from '../../resources/queues/other-nodes.js';
import { SocketTickets } from '../../resources/queues/socket-tickets.js';
import { SessionCookies } from '../../resources/accounts/session-cookies.js';
import type { HandlerParts } from '../../resources/handler-parts.js';
import { allHandlers, assertServed } from '../../resources/registry.js';
import { guardedPost } from '../../services/outside/guarded-post.js';
import { ReachableAddresses } from '../../services/outside/reachable-addresses.js';
import { newToken } from '../../services/auth/random-token.js';
import { NodeUploads } from './node-uploads.js';
import { incomingMailOf } from './incoming-mail.js';
import { downloadRoutes } from './node-downloads.js';
import { NodeMails } from './node-mails.js';
import { ScheduledBackups } from '../upkeep/scheduled-backups.js';
import type { Store } from '../../store/port.js';
import type { NodeFigures } from '../../host/monitoring/node-metrics.js';
import { lookAt, troublesOf, type NodeLook } from './node-look.js';
import { pagesOf } from './pages.js';
import { sessionService, webAppOf } from './session-service.js';
import { siteOf, type NodeParts } from '../node-parts.js';
import { processSources } from './operation.js';
import { serverDeeds } from './server-deeds.js';
import { shortId } from '../../host/node-id.js';
import { inBackground, untold } from '../../turns/background.js';

/** Bounds of one queue: the events that a client may miss while it is away. */
const QUEUE_LIMITS = { maxEvents: 10_000, maxBytes: 8 * 1024 * 1024 };

/** What a node does by its role: lead and write, or follow. */
export interface ServiceRole {
  readonly journal: JournalReader;
  /** Of the node that leads, which also decides that queues expire; null on a follower. */
  readonly writer: Journal | null;
  /** Source of documents that are not in memory. */
  readonly documents: Store['getMany'];
  /** Asks the store whether this node still leads, where it does. @throws FencedError, which ends the term */
  readonly confirm: () => Promise<void>;
  /** How long ago this node last had everything that was durable; 0 on the leader. Milliseconds. */
  readonly stalenessMs: () => number;
  readonly sharing: QueueSharing;
  /** Null on the leader. */
  readonly others: OtherNodes | null;
  /** Deletes the document of a queue that ended on this node. */
  forget(queueId: string): void;
  /** Commits an empty entry. */
  tick(): Promise<void>;
}

/**
 * OrganizationService is one organization in memory and everything that serves it: collections, queues,
 * actors, handlers. It is built anew for each load from the store, and serves first as a follower and then
 * as the leader, or as the leader at once; `takeRole` says which.
 */
export class OrganizationService {
  /** What a node serves in either role; the role adds how it is. */
  readonly service: Omit<Service, 'health'>;
  readonly events: EventRouteParts;
  readonly org: Organization;
  readonly queues: Queues;
  readonly runtime: Runtime;
  readonly presence: PresenceTracker;
  readonly topicDeletions: TopicDeletions;
  readonly fullMembers: FullMemberClock;
  readonly activity: ActivityTracker;
  readonly scheduled: Scheduler;
  readonly mail: MailDelivery;
  /** Mails that come in. */
  readonly mails: NodeMails;
  /** Uploads in pieces. */
  readonly uploads: NodeUploads;
  readonly outgoingHooks: OutgoingHookDelivery;
  readonly notifications: MessageNotifications;
  /** Null where no mails reach people. */
  readonly digests: Digests | null;
  readonly exports: ExportWorker;
  readonly thumbnailer: Thumbnailer;
  /** Null where messages show nothing of web pages. */
  readonly pagePreviews: PagePreviews | null;
  private readonly authenticator: KeyAuthenticator;
  private readonly sessions: SessionCookies;
  readonly search: SearchFeed;
  readonly eventQueues: QueueAccess;
  /** Deadlines that outlive the process, by the wall clock. */
  readonly wheel: DeadlineWheel;
  /** Deadlines that end with the process. */
  private readonly steadyWheel: DeadlineWheel;
  readonly console: Console;
  readonly backups: ScheduledBackups;
  private role: ServiceRole | undefined;

  constructor(readonly parts: NodeParts) {
    const { config, store, server, log, keys, troubles } = parts;
    const { now } = systemClock;
    const { now: steady } = steadyClock;
    const onError = (error: unknown, key: string): void =>
      log.error({ err: error, key }, 'a deadline failed');
    this.wheel = new DeadlineWheel(systemClock, { onError });
    this.steadyWheel = new DeadlineWheel(steadyClock, { onError });
    const steadyTime = { clock: steadyClock, wheel: this.steadyWheel };
    const documents: Store['getMany'] = (keys) => this.present.documents(keys);
    const otherNodes: OtherNodesNow = () => this.role?.others ?? null;
    const messages = messageSource({ getMany: documents });
    const damaged = reportOnce((error) => log.error(...damageLine(error, store.description)));
    this.org = new Organization(siteOf(parts, now()), messages, now, documents, damaged);
    const { org } = this;
    this.queues = new Queues({
      ...steadyTime,
      wall: now,
      limits: QUEUE_LIMITS,
      organization: parts.site.number,
      random,
      newId: newToken,
      replay: this.replay(),
      journal: () => this.runtime.journal,
      tick: () => this.present.tick(),
      keep: (document, undo) => keepQueue(this.org, document, undo),
      forget: (queueId) => this.role?.forget(queueId),
      expires: () => Boolean(this.role?.writer),
      onError: (id, error) => log.error({ err: error, queue: id }, 'a queue actor failed'),
    });
    this.runtime = new Runtime(org, this.queues, EVENT_RENDERERS);
    this.runtime.onDurableChanges = watchTwoFactor(org, this.queues);
    this.search = new SearchFeed({
      ...{ runtime: this.runtime, store },
      open: (ended) => parts.searchIndexes.open(ended),
      onError: (error) => log.warn({ err: error }, 'the search index ended; it is opened again'),
      onAnew: (why, isDamage) =>
        log[isDamage ? 'warn' : 'info']({ why }, 'the search index is made anew of the messages'),
    });
    this.presence = new PresenceTracker(org, {
      ...steadyTime,
      transact: (work) => this.runtime.transact(work),
      onError: (id, error) => log.error({ err: error, id }, 'a presence session failed'),
    });
    this.topicDeletions = new TopicDeletions(this.runtime, {
      ...steadyTime,
      onError: (id, error) => log.error({ err: error, id }, 'a topic deletion failed'),
      limitMs: config.topicDeletionMs,
    });
    this.fullMembers = new FullMemberClock(org, {
      wheel: this.wheel,
      transact: (work) => this.runtime.transact(work),
    });
    this.activity = new ActivityTracker(org, (work) => this.runtime.transact(work));
    const tickets = new SocketTickets(
      steady,
      newToken,
      (userId) => this.org.users.get(userId)?.password_hash ?? null,
    );
    this.authenticator = new KeyAuthenticator(org, keys, this.activity);
    this.sessions = new SessionCookies(org, parts.sessionSeals);
    const confirm = (): Promise<void> => this.present.confirm();
    this.eventQueues = new QueueAccess(this.queues, this.runtime, otherNodes, confirm);
    this.events = {
      events: this.eventQueues,
      ...{ tickets, otherNodes, now: steady },
      authenticator: this.authenticator,
      fail: (exchange, error) => server.fail(exchange, error),
    };
    this.backups = new ScheduledBackups(config, log);
    this.console = new Console(this.queues, {
      nodeId: shortId(parts.nodeId),
      figures: () => this.look(),
      troubles: () => troublesOf(org, parts),
      deletions: () => this.topicDeletions.progress(),
      ...processSources(parts, this.backups),
      runtime: () => this.runtime,
      now: steady,
    });
    this.exports = new ExportWorker(this.runtime, {
      blobs: parts.blobs,
      onError: (error, id) => log.error({ err: error, export: id }, 'an export failed'),
    });
    this.uploads = new NodeUploads(this.runtime, parts, otherNodes);
    this.scheduled = new Scheduler({
      ...{ runtime: this.runtime, store, markdown: parts.markdown, wheel: this.wheel },
      clock: systemClock,
      onError: (key, error) => log.error({ err: error, key }, 'a scheduled delivery failed'),
      remade: (counts) => log.warn(counts, 'the due index differed, and was made anew'),
      lateLimitMs: config.lateDeliveryMs,
    });
    this.mail = new MailDelivery(this.runtime, {
      ...parts.mail,
      keys: parts.linkKeys,
      wheel: this.wheel.keySet(),
      log,
      failed: (error) => troubles.failed('mail', error),
      // What was queued while there was a mail server is dropped where there is none now.
      composeOfMessages: async (content, envelope) => {
        if (!parts.mail.reaches) return null;
        return content.kind === 'digest'
          ? composeDigest(org, parts.linkKeys, content, envelope)
          : composeMissed(org, parts.linkKeys, content, envelope);
      },
    });
    this.service = this.httpService(tickets);
    this.mails = new NodeMails(incomingMailOf(this.runtime, parts), otherNodes, this.runtime);
    this.outgoingHooks = new OutgoingHookDelivery(this.runtime, {
      post: guardedPost(new ReachableAddresses(config.hookTargets)),
      markdown: parts.markdown,
      wheel: this.wheel.keySet(),
      log,
      failed: (reason) => troubles.failed('outgoing webhook', reason),
    });
    this.thumbnailer = new Thumbnailer(this.runtime, parts);
    const pages = parts.outside?.pages;
    this.pagePreviews = pages
      ? new PagePreviews(this.runtime, { log, summaryOf: (address) => pages.of(address) })
      : null;
    this.notifications = new MessageNotifications(this.runtime, {
      attention: new Attention(this.presence, this.queues),
      wheel: this.wheel.keySet(),
      log,
      mails: parts.mail.reaches,
      push: parts.push,
      pushFailed: (error) => troubles.failed('push', error),
    });
    this.digests = parts.mail.reaches
      ? new Digests(this.runtime, { wheel: this.wheel.keySet(), log })
      : null;
  }

  /** Serves in this role from now on. */
  takeRole(role: ServiceRole): void {
    this.role = role;
    this.runtime.use(role.journal, role.writer);
    this.queues.shareWith(role.sharing);
  }

  /** How much of the organization is in memory, for `/health` while it is being loaded. */
  get progress() {
    const { users, messages } = this.org;
    return { loaded: { users: users.size, messages: messages.size } };
  }

  /** Its part of the figures for metrics. */
  figures(): Pick<NodeFigures, 'queues' | 'actors' | 'search' | 'delivered'> {
    return {
      search: this.search.figures(),
      queues: censusOf(this.queues.all(), systemClock.now()),
      delivered: this.queues.fanOut.delivered,
      actors: this.countActors(),
    };
  }

  /** The role of this node, and at the one that leads the organization's actors: once for all nodes. */
  private countActors(): NodeFigures['actors'] {
    const own = { 'node-role': { [this.parts.role()]: 1 } };
    if (!this.role?.writer) return own;
    const counts = {
      'event-queue': this.queues.countByState(),
      'presence-session': this.presence.countByState(),
      'scheduled-message': this.scheduled.countByState(),
      'topic-deletion': this.topicDeletions.countByState(),
    };
    const all = Object.entries(counts).map(([machine, one]) => [
      machine,
      withAllStates(machine, one),
    ]);
    return { ...(Object.fromEntries(all) as NodeFigures['actors']), ...own };
  }

  /** Its figures for the console and `parley top`. */
  look(): NodeLook {
    const { writer, stalenessMs } = this.present;
    return lookAt(this, this.parts, { leads: writer !== null, stalenessMs: stalenessMs() });
  }

  /** Ends all polls and sockets; their clients reconnect with their cursors. */
  release(): void {
    this.topicDeletions.stop();
    this.queues.releaseAll('draining');
  }

  /** Begins what a loaded organization needs that nobody waits for: the search index, and the keys of bots. */
  start(): void {
    this.search.start();
    const failed = (error: unknown): void =>
      this.parts.log.error({ err: error }, 'the keys of bots could not be prepared');
    inBackground(() => this.authenticator.prepare(), failed);
  }

  /** Stops all deadlines, and the search index. */
  stop(): void {
    inBackground(() => this.search.stop(), untold);
    this.console.stop();
    this.wheel.stop();
    this.steadyWheel.stop();
  }

  /** The role. @throws Error before it was taken */
  private get present(): ServiceRole {
    if (!this.role) throw new Error('This node has no role yet');
    return this.role;
  }

  private replay(): Replay {
    const { store, log } = this.parts;
    return new Replay({
      store,
      renderers: EVENT_RENDERERS,
      membership: this.org.subscriptions,
      guests: this.org.users.activeGuests,
      ids: this.org.history.ids,
      limits: QUEUE_LIMITS,
      head: () => this.runtime.journal.durableHead,
      onDamage: (seq) => {
        log.error(
          { seq, store: store.description },
          'a damaged journal entry: queues that need it end',
        );
      },
    });
  }

  private httpService(tickets: SocketTickets): Omit<Service, 'health'> {
    const { parts, runtime, org, queues, uploads } = this;
    const { config, log } = parts;
    const handlerParts: HandlerParts = {
      ...parts,
      sessions: this.sessions,
      runExport: (begun) => inBackground(() => this.exports.run(begun), untold),
      onCallError: (error: unknown) =>
        log.warn({ err: error }, 'a video call could not be created'),
      onBlobError: (error: unknown) => log.error({ err: error }, 'a file could not be removed'),
      queues,
      otherNodes: () => this.role?.others ?? null,
      presence: this.presence,
      topicDeletions: this.topicDeletions,
      waitingPeriodChanged: () => this.fullMembers.changed(),
      invitationValidityMinutes: config.invitationLinkValidityMinutes,
      tickets,
      console: this.console,
      mailSender: this.mail,
      serverDeeds: serverDeeds(parts, this),
    };
    const handlers = allHandlers(handlerParts);
    const own = { ...parts, org };
    const files = [...uploadRoutes(own), ...downloadRoutes(own, runtime, handlerParts.otherNodes)];
    const poll = pollRoute(this.events);
    // Redirects to pictures, at the root, and the tus protocol are no part of the API.
    assertServed([...handlers, ...files, poll, { endpoint: openSocket }, { endpoint: openStream }]);
    const routes = handlers.map((handler) => bind(runtime, handler));
    const sessions = sessionService(runtime, this.activity, handlerParts);
    return {
      routes,
      specials: [
        ...[poll, ...avatarRoutes(org), ...files, ...tusRoutes({ ...parts, uploads })],
        ...webAppOf(org, parts, routes, sessions),
      ],
      authenticator: this.authenticator,
      sessions,
      pages: pagesOf(runtime, parts, handlerParts),
    };
  }
}
