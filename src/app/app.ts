import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { exposedData } from './data-exposure.js';
import { filesFolder, openFiles, signOf, tryFiles } from './files.js';
import { FirstStart, MissingOrganizationError } from './first-start.js';
import { seenOf } from './history-check.js';
import { ForeignSecretError, KeySecret } from './key-secret.js';
import { openMail } from './mail.js';
import { folderOf, isEmbedded, secretPath, witnessPath } from './places.js';
import { jittered, pause, LeaderLease } from './leader-lease.js';
import { isStoreAway } from '../store/store-away.js';
import { LeadershipTerm } from './leadership-term.js';
import type { LeadershipTermParts } from './leadership-term-parts.js';
import { Witness } from './witness.js';
import type { Config } from '../config.js';
import { serveSockets } from '../http/events/event-routes.js';
import { refusalOf, type Health } from '../http/health.js';
import { createLoginLimiter } from '../http/limits/login-limits.js';
import { createMailLimiter } from '../http/limits/mail-limits.js';
import type { Metrics } from './metrics.js';
import { publicFiles } from '../http/files/public-files.js';
import { createRequestLimiter } from '../http/limits/rate-limit.js';
import { createHttpServer, type HttpServer } from '../http/server.js';
import { unlimitedLogins } from '../resources/kernel/login-limiter.js';
import { unlimitedMails } from '../resources/kernel/mail-limiter.js';
import { ApiKeys } from '../services/auth/api-keys.js';
import type { FileStore } from '../services/blob-store.js';
import { FileLinks } from '../services/auth/file-links.js';
import { LinkKeys } from '../services/auth/link-keys.js';
import { createMarkdown } from '../services/markdown/markdown.js';
import { Passwords } from '../services/auth/passwords.js';
import { Pictures } from '../services/pictures/pictures.js';
import { WebTokens } from '../services/auth/web-tokens.js';
import { meteredStore } from '../store/metered.js';
import { openStore, type OpenedStore } from '../store/open.js';
import { DamagedError, FencedError } from '../store/port.js';
import { loadDirectory } from './load-directory.js';
import type { App, AppOptions } from './app-options.js';

/** Pause between two attempts to take the lease, or to reach the store. */
const ATTEMPT_MS = 1000;
const LEAST_PAUSE_MS = 20;
const LEASE_HOLDER = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

/** Creates the application; nothing happens before `start`. */
export function createApp(config: Config, options: AppOptions): App {
  return new Application(config, options);
}

/**
 * The process: everything that exists whether it leads or follows (architecture.md#leadership). The service
 * is built anew for each {@link LeadershipTerm}.
 */
class Application implements App {
  url = '';
  port = 0;
  private health: Health = 'starting';
  private store: OpenedStore | undefined;
  private lease: LeaderLease | undefined;
  private term: LeadershipTerm | undefined;
  /** Resolves when the term is over. */
  private termOver: () => void = () => undefined;
  private readonly server: HttpServer;
  /** There from the start on, before anybody is served. */
  private blobs!: FileStore;
  private readonly pictures = new Pictures();
  private metrics: Metrics | undefined;
  private readonly ending = new AbortController();
  private leading: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private local = '';
  /** Last line about waiting for the operator, so that it is not repeated. */
  private lastStatus = '';

  constructor(
    private readonly config: Config,
    private readonly options: AppOptions,
  ) {
    this.server = createHttpServer({
      limiter: config.rateLimit ? createRequestLimiter() : null,
      trustedProxies: config.trustedProxies,
      origins: { own: () => this.url, allowed: config.allowedOrigins },
      log: options.log,
      health: () => this.state(),
      leads: () => this.leads,
      files: publicFiles(
        { get: (key) => this.blobs.get(key) },
        () => this.url,
        (id) => this.term?.org.users.has(id) ?? false,
      ),
    });
    // Called only while the server has a service, so there is a term.
    serveSockets(this.server, () => this.term!.events);
  }

  async start(): Promise<void> {
    const { config } = this;
    this.blobs = await openFiles(config, this.options.log);
    // Before a password is printed for a server that cannot run.
    const { port } = await this.server.listen(config.host, config.port);
    this.port = port;
    const shownHost = config.host === '0.0.0.0' ? '127.0.0.1' : config.host;
    this.local = `http://${shownHost}:${port}`;
    this.url = config.url ?? this.local;
    try {
      if (config.metrics) await this.serveMetrics(config.metrics);
      await new Promise<void>((resolve, reject) => {
        let settled = false;
        const settle = (): void => {
          settled = true;
          resolve();
        };
        this.leading = this.run(settle).catch((error: unknown) => {
          if (settled) this.options.fatal(error);
          else reject(error instanceof Error ? error : new Error(String(error)));
        });
      });
    } catch (error) {
      this.server.stop();
      this.metrics?.close();
      throw error;
    }
  }

  stop(deadlineMs: number): Promise<void> {
    this.stopping ??= this.shutDown(deadlineMs);
    return this.stopping;
  }

  private async serveMetrics(address: NonNullable<Config['metrics']>): Promise<void> {
    // Loaded only where metrics are enabled, because every start would wait for it.
    const { Metrics } = await import('./metrics.js');
    this.metrics = new Metrics({
      health: () => this.state(),
      leader: () => (this.leads ? (this.term?.figures() ?? null) : null),
      firstSeq: async () => (await this.store?.firstSeq()) ?? null,
      replies: () => this.server.replies,
      waiting: () => this.server.pendingCount,
    });
    const url = await this.metrics.listen(address);
    this.options.announce(`Metrics are served on ${url}`);
  }

  /**
   * Takes the role, serves, loses it, and so on until the end.
   * @param settled called when the process leads, follows or waits for the store
   * @throws Error when no later attempt can succeed
   */
  private async run(settled: () => void): Promise<void> {
    const { config, options } = this;
    const path = secretPath(config);
    const witness = await Witness.load(witnessPath(config), (error) =>
      options.log.warn({ err: error }, 'what this node knows of the store could not be written'),
    );
    const traces = { secretPath: path, files: () => signOf(this.blobs), witness };
    const firstStart = await FirstStart.look(traces, config.newOrganization);
    const store = await this.openStore(settled, firstStart);
    if (!store) return;
    for (const warning of store.warnings ?? []) options.log.warn({}, warning);
    const exposed = await exposedData(folderOf(config), filesFolder(config));
    for (const warning of exposed) options.log.warn({}, warning);
    tryFiles(this.blobs);
    // So that a first start that does not come to its end can be repeated, the secret being there.
    if (firstStart.mayCreate && witness.isNew) await witness.save();
    const secret = await this.whenThere(settled, () => KeySecret.load(path, store));
    if (!secret) return;
    const warning = await secret.warning();
    if (warning !== null) options.log.warn({}, warning);
    const parts: LeadershipTermParts = {
      config,
      url: this.url,
      store,
      server: this.server,
      log: options.log,
      blobs: this.blobs,
      witness,
      besideStore: isEmbedded(config),
      firstStart,
      pictures: this.pictures,
      unusable: options.fatal,
      secret,
      keys: new ApiKeys(secret.bytes),
      fileLinks: new FileLinks(secret.bytes),
      linkKeys: new LinkKeys(secret.bytes),
      mail: openMail(config, this.url),
      mailLimiter: config.rateLimit ? createMailLimiter() : unlimitedMails,
      passwords: Passwords.create(),
      markdown: createMarkdown({
        onError: (error) => options.log.error({ err: error }, 'a message could not be rendered'),
      }),
      limiter: config.rateLimit ? createLoginLimiter() : unlimitedLogins,
      directory: config.ldap === null ? null : await loadDirectory(config.ldap, options.log),
      webTokens: config.jwt === null ? null : await WebTokens.load(config.jwt),
    };
    while (!this.isEnding) {
      const lease = await this.takeRole(parts, settled);
      if (!lease) return;
      await this.serve(parts, lease, settled);
      // At the end of the process, `shutDown` releases the lease after it flushed the store.
      if (!this.isEnding) await lease.release();
    }
  }

  private get isEnding(): boolean {
    return this.ending.signal.aborted;
  }

  /** Waits for a store that is away; null when the process ends. @throws Error for one that cannot be used */
  private openStore(settled: () => void, first: FirstStart): Promise<OpenedStore | null> {
    return this.whenThere(settled, async () => {
      // Opening an embedded store would create one.
      if (isEmbedded(this.config) && !existsSync(join(folderOf(this.config), 'data.mdb'))) {
        first.refuse(this.config.store);
      }
      const store = await openStore(this.config.store, { waitMs: this.config.storeWaitMs });
      this.store = this.metrics ? meteredStore(store, this.metrics) : store;
      return this.store;
    });
  }

  /** Tries until the store is there; null when the process ends. @throws errors that waiting does not cure */
  private async whenThere<T>(settled: () => void, attempt: () => Promise<T>): Promise<T | null> {
    while (!this.isEnding) {
      try {
        return await attempt();
      } catch (error) {
        if (!mayCome(error)) throw error;
        this.waits('unavailable', error);
        settled();
        await pause(ATTEMPT_MS, this.ending.signal);
      }
    }
    return null;
  }

  /** Waits until no other process has the role; null when the process ends. @throws ForeignSecretError */
  private async takeRole(
    parts: LeadershipTermParts,
    settled: () => void,
  ): Promise<LeaderLease | null> {
    const { log } = this.options;
    const { store, secret, firstStart } = parts;
    while (!this.isEnding) {
      try {
        // Before the lease: a process that may not lead must not keep others from it.
        await secret.assertFits(store);
        await firstStart.assertPresent(store);
        const lease = await LeaderLease.take({
          store,
          holder: LEASE_HOLDER,
          leaseMs: this.config.leaseMs,
          renewalFailed: (error) => log.warn({ err: error }, 'the lease was not renewed'),
        });
        if (lease) return lease;
        this.waits('follower', null);
        settled();
        await this.observe(parts);
        await store.leaseFreed(jittered(ATTEMPT_MS), this.ending.signal);
        // Prevents a busy loop where the wait above resolves at once.
        await pause(LEAST_PAUSE_MS, this.ending.signal);
      } catch (error) {
        if (error instanceof ForeignSecretError || error instanceof DamagedError) throw error;
        this.waits('unavailable', error);
        settled();
        await pause(ATTEMPT_MS, this.ending.signal);
      }
    }
    return null;
  }

  /** Records the store's position while another process leads, because this one may take over at any time. */
  private async observe({
    store,
    witness,
    firstStart,
    besideStore,
  }: LeadershipTermParts): Promise<void> {
    // Processes of one folder share one witness file.
    if (besideStore) return;
    const seen = await seenOf(store, witness.seen);
    if (seen === null) return;
    firstStart.found();
    witness.record(seen);
    await witness.save();
  }

  /** One term, from taking the role to losing it. @throws Error when no later term can succeed */
  private async serve(
    parts: LeadershipTermParts,
    lease: LeaderLease,
    settled: () => void,
  ): Promise<void> {
    if (this.health !== 'starting') this.health = 'unavailable';
    const over = new Promise<void>((resolve) => (this.termOver = resolve));
    const term = new LeadershipTerm(parts, lease.lease, (error) => lease.lose(error));
    this.term = term;
    this.lease = lease;
    lease.onLost((error) => this.depose(term, error));
    try {
      const password = await term.begin();
      if (this.term === term && !this.isEnding) {
        parts.firstStart.found();
        this.open(term, password);
        settled();
      }
    } catch (error) {
      // Errors of a term that is over do not matter.
      if (this.term !== term) return;
      this.drop(term);
      if (!mayCome(error) && !(error instanceof FencedError)) {
        // So that other processes need not wait for the lease to expire.
        await lease.release();
        throw error;
      }
      this.waits('unavailable', error);
      await pause(ATTEMPT_MS, this.ending.signal);
    }
    await over;
  }

  /** Starts to serve requests with a loaded organization. */
  private open(term: LeadershipTerm, password: string | null): void {
    const { log, announce } = this.options;
    this.server.serve(term.service);
    this.health = 'ready';
    this.lastStatus = '';
    log.info({ url: this.url, store: this.store?.description }, 'ready');
    announce(`Parley is listening on ${this.local}`);
    if (password) this.announceOwner(password);
  }

  /** The lease is lost: drops the term, whose state may be stale. */
  private depose(term: LeadershipTerm, error: Error): void {
    if (this.term !== term) return;
    this.options.log.warn({ err: error }, 'the role of the serving process is lost');
    this.drop(term);
  }

  /** Drops a term; the next attempt to take the lease finds out whether another process leads. */
  private drop(term: LeadershipTerm): void {
    this.health = 'unavailable';
    this.server.withdraw(refusalOf('unavailable'));
    this.term = undefined;
    this.lease = undefined;
    term.abandon();
    this.termOver();
  }

  /** Checked at every request: a process that stood still must not reply from stale state. */
  private state(): Health {
    if (this.health !== 'ready') return this.health;
    return this.leads ? (this.term?.storeHealth ?? 'unavailable') : 'unavailable';
  }

  private get leads(): boolean {
    return this.health === 'ready' && (this.lease?.holds ?? false);
  }

  /** Prints once what the process waits for. */
  private waits(health: 'follower' | 'unavailable', error: unknown): void {
    this.health = health;
    const { log, announce } = this.options;
    const reason = error instanceof Error ? error.message : '';
    if (this.lastStatus === health + reason) return;
    this.lastStatus = health + reason;
    if (health === 'follower') {
      const store = this.store?.description;
      log.info({ store }, 'another process is serving; this one follows');
      announce(`Parley stands by on ${this.local}: another process is serving ${store}`);
    } else {
      log.error({ err: error }, 'waiting for the store');
      announce(`Parley waits on ${this.local} for its store: ${reason}`);
    }
  }

  private announceOwner(password: string): void {
    const { announce } = this.options;
    announce(`Organization "${this.config.organization}" was created. Its owner:`);
    announce(`  e-mail:   ${this.config.ownerEmail}`);
    const given = this.config.ownerPassword !== null;
    announce(`  password: ${given ? 'as configured' : `${password}  (shown only this once)`}`);
  }

  /** Refuse, release waiting polls and sockets, flush, close (architecture.md#shutdown). */
  private async shutDown(deadlineMs: number): Promise<void> {
    this.health = 'draining';
    this.ending.abort();
    const drained = this.server.drain(Math.max(0, deadlineMs - 2000));
    this.term?.release();
    await drained;
    this.pictures.stop();
    const { term, lease } = this;
    this.term = undefined;
    await term?.close();
    this.termOver();
    this.server.stop();
    this.metrics?.close();
    await lease?.release();
    await this.leading;
    this.blobs.close();
    await this.store?.close();
  }
}

/** Whether an attempt failed because the store is away or without its organization, so that waiting may help. */
function mayCome(error: unknown): boolean {
  return isStoreAway(error) || error instanceof MissingOrganizationError;
}
