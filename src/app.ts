import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../actors/clock.js';
import { DeadlineWheel } from '../actors/deadline-wheel.js';
import type { Config } from './config.js';
import { pollRoute, serveSockets, type EventRouteParts } from './http/event-routes.js';
import type { Log } from './http/fault-handler.js';
import { createLoginLimiter } from './http/login-limits.js';
import { publicFiles } from './http/public-files.js';
import { createRequestLimiter } from './http/rate-limit.js';
import { createHttpServer, type Health, type HttpServer } from './http/server.js';
import { CommitPace } from './journal/commit-pace.js';
import { Journal } from './journal/journal.js';
import { QueueActors } from './journal/queue-actors.js';
import { Queues } from './journal/queues.js';
import { Replay } from './journal/replay.js';
import { SHAPES } from './journal/shapes/index.js';
import { createOrganization } from './organization/bootstrap.js';
import { loadOrganization } from './organization/load.js';
import { messageSource } from './organization/messages/message-source.js';
import { Organization, type Site } from './organization/organization.js';
import { PresenceTracker } from './organization/presence-tracker.js';
import { forgetQueues } from './organization/queue-registration.js';
import { Retention } from './organization/retention.js';
import { Runtime } from './organization/runtime.js';
import { sendNotice } from './organization/sending/notice.js';
import { noteSoftware } from './organization/software.js';
import { KeyAuthenticator } from './resources/authenticator.js';
import { bind } from './resources/bind.js';
import { EventQueues } from './resources/event-queues.js';
import { allHandlers } from './resources/all.js';
import { unlimitedLogins } from './resources/login-limiter.js';
import { SocketTickets } from './resources/socket-tickets.js';
import { ApiKeys, loadSecret } from './services/api-keys.js';
import { createMarkdown, type Markdown } from './services/markdown/markdown.js';
import { Passwords } from './services/passwords.js';
import { openStore } from './store/open.js';
import { FencedError, type Lease, type Store } from './store/port.js';

/** What the application tells its surroundings. */
export interface AppOptions {
  readonly log: Log & {
    info(context: object, message: string): void;
    warn(context: object, message: string): void;
  };
  /** Lines for the person who started it. */
  readonly announce: (line: string) => void;
  /** This process may not go on, e.g. because another one took the writer role. */
  readonly fatal: (error: unknown) => void;
}

/** A running server. */
export interface App {
  readonly url: string;
  readonly port: number;
  /** Drains and stops within the time given; idempotent. */
  stop(deadlineMs: number): Promise<void>;
}

/** Bounds of one queue: what a client that is away for a while may leave behind. */
const QUEUE_LIMITS = { maxEvents: 10_000, maxBytes: 8 * 1024 * 1024 };
const RETENTION_LIMITS = { slack: 100_000, maximum: 2_000_000 };
const LEASE_MS = 15_000;
const UPKEEP_MS = 60_000;
const LEASE_HOLDER = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

function newToken(): string {
  return randomBytes(18).toString('base64url');
}

/** Where the secret that API keys are derived from is kept: outside the store itself. */
function secretPath(config: Config): string {
  const folder = /^embedded:(.+)$/.exec(config.store)?.[1] ?? '.';
  return join(folder, 'api-keys.secret');
}

/** Starts everything, in the order in which each part needs the ones before. */
export async function startApp(config: Config, options: AppOptions): Promise<App> {
  const application = new Application(config, options);
  await application.start();
  return application;
}

class Application implements App {
  url = '';
  port = 0;
  private health: Health = 'starting';
  private store!: Store;
  private lease!: Lease;
  private org!: Organization;
  private queues!: Queues;
  private actors!: QueueActors;
  private runtime!: Runtime;
  private journal!: Journal;
  private presence!: PresenceTracker;
  private server!: HttpServer;
  private readonly wheel: DeadlineWheel;
  private readonly markdown: Markdown;
  private readonly timers: NodeJS.Timeout[] = [];
  private stopping: Promise<void> | undefined;
  private forgotten: string[] = [];

  constructor(
    private readonly config: Config,
    private readonly options: AppOptions,
  ) {
    const { log } = options;
    this.wheel = new DeadlineWheel(systemClock, {
      onError: (error, key) => log.error({ err: error, key }, 'a deadline failed'),
    });
    this.markdown = createMarkdown({
      onError: (error) => log.error({ err: error }, 'a message could not be rendered'),
    });
  }

  async start(): Promise<void> {
    const { config, options } = this;
    const store = await openStore(config.store);
    this.store = store;
    for (const warning of store.warnings ?? []) options.log.warn({}, warning);
    const lease = await this.store.acquireLease(LEASE_HOLDER, LEASE_MS);
    if (!lease) throw new Error(`Another process is serving ${this.store.description}`);
    this.lease = lease;
    const keys = new ApiKeys(await loadSecret(secretPath(config)));
    const passwords = await Passwords.create();
    this.build(keys, passwords);
    const { port } = await this.server.listen(config.host, config.port);
    this.port = port;
    const shownHost = config.host === '0.0.0.0' ? '127.0.0.1' : config.host;
    const local = `http://${shownHost}:${port}`;
    this.url = config.url ?? local;
    this.org.site.url = this.url;
    await this.openJournal();
    await loadOrganization(this.store, this.org, this.queues);
    this.presence.restore();
    const password = await this.firstStart(passwords);
    this.runtime.transact(noteSoftware);
    await this.journal.barrier();
    this.timers.push(
      setInterval(() => this.keepUp(), UPKEEP_MS),
      // Two may be lost before anybody else can take the role.
      setInterval(() => this.renewLease(), LEASE_MS / 3),
    );
    this.health = 'ready';
    options.log.info({ url: this.url, store: this.store.description }, 'ready');
    options.announce(`Parley is listening on ${local}`);
    if (password) this.announceOwner(password);
  }

  stop(deadlineMs: number): Promise<void> {
    this.stopping ??= this.shutDown(deadlineMs);
    return this.stopping;
  }

  private build(keys: ApiKeys, passwords: Passwords): void {
    const { config, options } = this;
    const now = (): number => systemClock.now();
    const site: Site = {
      url: config.url ?? '',
      botDomain: config.url ? new URL(config.url).hostname : 'parley.invalid',
      generation: Math.floor(now() / 1000),
    };
    this.org = new Organization(site, messageSource(this.store), now);
    this.queues = new Queues({
      limits: QUEUE_LIMITS,
      now,
      newId: newToken,
      forget: (queueId) => this.forget(queueId),
      tick: () => this.runtime.tick(),
    });
    this.runtime = new Runtime(this.org, this.queues, SHAPES, () => this.journal);
    this.presence = new PresenceTracker(this.org, {
      clock: systemClock,
      wheel: this.wheel,
      onError: (id, error) => options.log.error({ err: error, id }, 'a presence session failed'),
    });
    const tickets = new SocketTickets(now, newToken);
    const limiter = config.rateLimit ? createLoginLimiter() : unlimitedLogins;
    const handlers = allHandlers({
      queues: this.queues,
      presence: this.presence,
      markdown: this.markdown,
      passwords,
      keys,
      limiter,
      tickets,
    });
    const parts: EventRouteParts = {
      events: new EventQueues(this.queues, this.runtime),
      tickets,
      userById: (userId) => this.org.users.get(userId),
      now,
      server: () => this.server,
    };
    this.server = createHttpServer({
      routes: handlers.map((handler) => bind(this.runtime, handler)),
      specials: [pollRoute(parts)],
      authenticator: new KeyAuthenticator(this.org, keys),
      limiter: config.rateLimit ? createRequestLimiter() : null,
      log: options.log,
      health: () => this.health,
      files: publicFiles(),
    });
    serveSockets(this.server, parts);
  }

  private async openJournal(): Promise<void> {
    const { options } = this;
    this.journal = await Journal.open({
      store: this.store,
      lease: this.lease,
      pace: new CommitPace(),
      now: () => systemClock.now(),
      listener: {
        durable: (entry) => this.runtime.deliver(entry),
        flushed: () => this.queues.wake(),
        storeFailed: (error) =>
          options.log.error({ err: error }, 'the store does not take commits'),
        storeRecovered: () => options.log.info({}, 'the store takes commits again'),
        deposed: (error) => options.fatal(error),
      },
    });
    const { queues, journal, store, org } = this;
    this.actors = new QueueActors(queues, {
      clock: systemClock,
      wheel: this.wheel,
      random: Math.random,
      onError: (id, error) => options.log.error({ err: error, queue: id }, 'a queue actor failed'),
    });
    queues.connect({
      journal,
      actors: this.actors,
      replay: new Replay({
        store,
        shapes: SHAPES,
        membership: org.subscriptions,
        guests: org.users.activeGuests,
        limits: QUEUE_LIMITS,
        head: () => journal.durableHead,
      }),
    });
  }

  private async firstStart(passwords: Passwords): Promise<string | null> {
    if (this.org.realm.size > 0) return null;
    const password = this.config.ownerPassword ?? newToken();
    const passwordHash = await passwords.hash(password);
    this.runtime.transact((tx) =>
      createOrganization(
        tx,
        {
          name: this.config.organization,
          ownerEmail: this.config.ownerEmail,
          ownerPasswordHash: passwordHash,
        },
        {
          sendNotice: (open, place, content) => sendNotice(open, this.markdown, place, content),
        },
      ),
    );
    return password;
  }

  private announceOwner(password: string): void {
    const { announce } = this.options;
    announce(`Organization "${this.config.organization}" was created. Its owner:`);
    announce(`  e-mail:   ${this.config.ownerEmail}`);
    const given = this.config.ownerPassword !== null;
    announce(`  password: ${given ? 'as configured' : `${password}  (shown only this once)`}`);
  }

  /** Queues end in the middle of other work; their documents go together right after it. */
  private forget(queueId: string): void {
    this.forgotten.push(queueId);
    if (this.forgotten.length > 1) return;
    setImmediate(() => {
      const ids = this.forgotten;
      this.forgotten = [];
      try {
        this.runtime.transact((tx) => forgetQueues(tx, ids));
      } catch (error) {
        // They end again after a restart: nobody polls them any more.
        this.options.log.error({ err: error, count: ids.length }, 'ended queues were not removed');
      }
    });
  }

  private keepUp(): void {
    const { log } = this.options;
    this.actors.passivate();
    this.retention().catch((error: unknown) => log.error({ err: error }, 'trimming failed'));
  }

  private renewLease(): void {
    this.store.renewLease(this.lease, LEASE_MS).catch((error: unknown) => {
      if (error instanceof FencedError) this.options.fatal(error);
      else this.options.log.warn({ err: error }, 'the lease was not renewed');
    });
  }

  private retentionPass: Retention | undefined;

  private retention(): Promise<void> {
    this.retentionPass ??= new Retention(this.runtime, this.store, RETENTION_LIMITS);
    return this.retentionPass.run();
  }

  /** Refuse, release waiting polls and sockets, flush, close (architecture.md, lifecycle). */
  private async shutDown(deadlineMs: number): Promise<void> {
    this.health = 'draining';
    for (const timer of this.timers) clearInterval(timer);
    const drained = this.server.drain(Math.max(0, deadlineMs - 2000));
    this.queues.releaseAll('draining');
    await drained;
    this.presence.stop();
    this.wheel.stop();
    await this.journal.close();
    this.server.stop();
    await this.store.releaseLease(this.lease).catch(() => undefined);
    await this.store.close();
  }
}
