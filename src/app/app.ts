import { join } from 'node:path';
import { existsSync } from '../platform/files.js';
import { monotonicTime } from '../platform/time.js';
import { pause as sleep } from '../platform/timers.js';
import { exposedData } from '../host/data-folder/data-exposure.js';
import { filesFolder, openFiles, signOf, tryFiles } from '../host/data-folder/files.js';
import { FirstStart } from '../nodes/history/first-start.js';
import { KeySecret } from '../nodes/history/key-secret.js';
import { AdminSocket } from '../operator/admin/admin-socket.js';
import { processState, type ProcessState } from '../host/data-folder/own-folder.js';
import {
  adminPath,
  folderOf,
  isEmbedded,
  indexPath,
  secretPath,
  witnessPath,
} from '../host/data-folder/places.js';
import { pause } from '../nodes/leader-lease.js';
import { serveInternalCalls } from '../nodes/internal-calls.js';
import { IndexFile } from '../organization/state/message-index/index-file.js';
import type { NodeParts } from '../nodes/node-parts.js';
import { ATTEMPT_MS, mayBecomeAvailable, NodeRole } from '../nodes/node-role.js';
import { NODE_ID, shortId } from '../nodes/role-reports.js';
import { SearchIndexes } from '../host/data-folder/search-indexes.js';
import { Witness } from '../nodes/history/witness.js';
import type { Config } from '../config/config.js';
import { servePush } from '../http/events/event-routes.js';
import { nodeRecords } from '../host/monitoring/node-records.js';
import type { Metrics } from '../host/monitoring/metrics.js';
import { createRequestLimiter } from '../http/limits/rate-limit.js';
import { refusalOf } from '../http/health.js';
import type { RequestLog } from '../http/request-log.js';
import { createHttpServer, type HttpServer } from '../http/server.js';
import { Https } from '../http/tls/https.js';
import type { FileStore } from '../services/blob-store.js';
import { outsidePreviews, type OutsidePreviews } from '../services/outside/outside-previews.js';
import { Pictures } from '../services/pictures/pictures.js';
import { allPublicFiles } from '../http/files/web-app-files.js';
import { WebApp } from '../services/web-app/web-app.js';
import { Troubles } from '../services/troubles.js';
import { meteredStore, RecentCommits } from '../store/metered.js';
import { changesOf } from '../journal/entry-reading.js';
import { openStore, type OpenedStore } from '../store/open.js';
import { loadServices } from './load-services.js';
import { localUrl } from '../config/network.js';
import { MailCounts } from '../services/incoming-mail/mail-counts.js';
import { MailReader } from '../services/incoming-mail/mail-reader.js';
import { listenForMail, type IncomingListener } from '../host/mail/incoming-listener.js';
import { requestLog } from '../host/monitoring/log.js';
import type { App, AppOptions, ProcessReport } from '../host/app-options.js';
import { onceSettled } from '../turns/background.js';

/** Time that a leader which hands over waits for requests under way, milliseconds; nearly all take less. */
const HAND_OVER_MS = 150;
/** How long it refuses what followers still send, until they know the next leader, milliseconds. */
const LAST_REFUSALS_MS = 200;
/** A worker that nobody lets follow listens all the same after this time, so that it can say so. Milliseconds. */
const STAND_BY_MS = 10_000;

/** With its parts, for tests. */
export type RunningApp = App & Pick<Application, 'role' | 'server'>;

/** Creates the application; nothing happens before `start`. */
export function createApp(config: Config, options: AppOptions): RunningApp {
  return new Application(config, options);
}

/**
 * The process: everything that exists whether it leads or follows (architecture.md#leadership). What it
 * serves is built anew each time the organization is loaded.
 */
class Application implements App {
  url = '';
  port = 0;
  private store: OpenedStore | undefined;
  readonly role: NodeRole;
  readonly server: HttpServer;
  /** Null: TLS is a proxy's task. */
  private readonly https: Https | null;
  /** There from the start on, before anybody is served. */
  private blobs!: FileStore;
  private readonly pictures = new Pictures();
  private readonly mailReader = new MailReader();
  private readonly mailCounts = new MailCounts();
  private incomingMail: Promise<IncomingListener | null> | undefined;
  /** Null where messages show nothing of other servers, and until the secret is there. */
  private outside: OutsidePreviews | null = null;
  private readonly searchIndexes: SearchIndexes;
  private readonly webApp: WebApp | null;
  private state: ProcessState | undefined;
  private metrics: Metrics | undefined;
  private readonly troubles = new Troubles();
  private readonly recentCommits = new RecentCommits();
  private readonly ending = new AbortController();
  private leading: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private local = '';
  private isListening = false;
  private readonly createdAt = monotonicTime();

  private readonly requests: RequestLog;

  constructor(
    private readonly config: Config,
    private readonly options: AppOptions,
  ) {
    const { webApp } = config;
    // A command of the operator serves nobody.
    this.webApp = webApp === null || options.maintenance ? null : WebApp.open(webApp);
    this.requests = requestLog(options.log, config.slowRequestMs, shortId(NODE_ID), this.troubles);
    this.recentCommits.tell({
      failed: (operation, kind) => this.troubles.failed(`store: ${operation}`, kind),
    });
    this.searchIndexes = new SearchIndexes(config);
    // First: it says what is wrong with the files, where the native layer says only that it cannot use them.
    this.https =
      config.tls && new Https(config.tls, (files) => this.server.renew(files), options.log);
    this.server = createHttpServer({
      tls: config.tls,
      limiter: config.rateLimit ? createRequestLimiter() : null,
      trustedProxies: config.trustedProxies,
      origins: { own: () => this.url, allowed: config.allowedOrigins },
      log: options.log,
      requests: this.requests,
      interposed: options.instead?.interposed,
      health: () => this.role.state(),
      node: () => this.role.nodeHealth(),
      leads: () => this.role.leads,
      files: allPublicFiles(
        this.webApp,
        { get: (key) => this.blobs.get(key) },
        () => this.url,
        (id) => this.role.served?.org.users.has(id) ?? false,
        (path) => this.outside?.pictures.at(path),
      ),
    });
    // Called only while the server has a service, so there is something to serve.
    servePush(this.server, () => this.role.served!.events);
    serveInternalCalls(this.server, () => this.role.leading);
    this.role = new NodeRole({
      config,
      server: this.server,
      log: options.log,
      announce: options.announce,
      local: () => this.local,
      ending: this.ending.signal,
      admin: new AdminSocket(adminPath(config), () => this.role.leading, options.log),
    });
  }

  async start(): Promise<void> {
    const { config } = this;
    this.requests.start();
    this.blobs = await openFiles(config, this.options.log);
    this.port = config.port;
    // Before a password is printed for a server that cannot run.
    const { worker, maintenance = false } = this.options;
    if (!worker && !maintenance) await this.listen(false);
    this.local = localUrl(config.host, this.port, config.tls !== null);
    this.url = config.url ?? this.local;
    try {
      if (config.metrics) await this.serveMetrics(config.metrics);
      await new Promise<void>((resolve, reject) => {
        let settled = false;
        const settle = (): void => {
          settled = true;
          onceSettled(this.listenAsWorker(), resolve, this.options.fatal);
        };
        this.leading = this.run(settle).catch((error: unknown) => {
          if (settled) this.options.fatal(error);
          else reject(error instanceof Error ? error : new Error(String(error)));
        });
      });
    } catch (error) {
      this.server.stop();
      this.https?.stop();
      this.metrics?.close();
      throw error;
    }
  }

  stop(deadlineMs: number, othersGoOn = this.role.isFollowed): Promise<void> {
    this.stopping ??= this.shutDown(deadlineMs, this.role.leads && othersGoOn);
    return this.stopping;
  }

  async report(withMetrics: boolean): Promise<ProcessReport> {
    const metrics = withMetrics ? ((await this.metrics?.json()) ?? null) : null;
    return { health: this.role.state(), node: this.role.nodeHealth(), metrics };
  }

  /** Listens on the shared port, once there is something to say. @throws Error when the port is taken */
  private async listenAsWorker(): Promise<void> {
    const { options } = this;
    if (!options.worker || this.isListening || this.isEnding) return;
    const state = this.role.state();
    const isPatient = monotonicTime() - this.createdAt < STAND_BY_MS;
    if ((state === 'starting' || state === 'follower') && isPatient) return;
    this.isListening = true;
    await this.listen(true);
    options.worker.listens();
  }

  /** @param shared other processes of this account listen on the port too. @throws Error when it is taken */
  private async listen(shared: boolean): Promise<void> {
    const { host, port, url } = this.config;
    this.port = (await this.server.listen(host, port, shared)).port;
    await this.https?.start({ host, port: this.port, url, shared, server: this.server });
    const redirected = shared ? null : (this.https?.redirectPort ?? null);
    if (redirected !== null) {
      this.options.announce(`Plain HTTP is redirected at port ${redirected}`, { redirected });
    }
  }

  private async serveMetrics(address: NonNullable<Config['metrics']>): Promise<void> {
    // Loaded only where metrics are enabled, because every start would wait for it.
    const { Metrics } = await import('../host/monitoring/metrics.js');
    this.metrics = new Metrics({
      health: () => this.role.state(),
      nodeHealth: () => this.role.nodeHealth(),
      node: () => this.role.figures,
      firstSeq: async () => (await this.store?.firstSeq()) ?? null,
      replies: () => this.server.replies,
      fetches: () => this.outside?.fetches() ?? [],
      incomingMails: () => this.mailCounts.all(),
      incomingWaiting: () => this.mailReader.size,
      waiting: () => this.server.pendingCount,
      certificate: () => this.https?.certificate ?? null,
      backupFolder: this.config.backup?.folder,
    });
    this.recentCommits.tell(this.metrics);
    if (this.options.worker) return;
    const url = await this.metrics.listen(address, this.server.limit);
    this.options.announce(`Metrics are served on ${url}`, { metrics: url });
  }

  /**
   * Takes the role, serves, loses it, and so on until the end.
   * @param settled called when the process leads, follows or waits for the store
   * @throws Error when no later attempt can succeed
   */
  private async run(settled: () => void): Promise<void> {
    const { config, options } = this;
    const path = secretPath(config);
    this.state = await processState(config, options.log);
    const witness = await Witness.load(witnessPath(this.state.path), (error) =>
      options.log.warn(
        { err: error },
        'the record of what this node saw of the store could not be written',
      ),
    );
    const traces = { secretPath: path, files: () => signOf(this.blobs), witness };
    const firstStart = await FirstStart.look(traces, config.newOrganization);
    const store = await this.openStore(settled, firstStart);
    if (!store) return;
    for (const warning of store.warnings ?? []) options.log.warn({}, warning);
    const exposed = await exposedData(folderOf(config), filesFolder(config), this.state.path);
    for (const warning of exposed) options.log.warn({}, warning);
    tryFiles(this.blobs);
    // So that a first start that does not come to its end can be repeated, the secret being there.
    if (firstStart.mayCreate && witness.isNew) await witness.save();
    const secret = await this.retryUntilAvailable(settled, () => KeySecret.load(path, store));
    if (!secret) return;
    const warning = await secret.warning();
    if (warning !== null) options.log.warn({}, warning);
    if (config.linkPreviews !== 'off') {
      this.outside = outsidePreviews({
        targets: config.linkPreviewTargets,
        asksPages: config.linkPreviews === 'pages',
        url: this.url,
        secret: secret.bytes,
        failed: (reason) => options.log.debug?.({ reason }, 'a link has no preview'),
      });
    }
    const { url, troubles } = this;
    const parts: NodeParts = {
      outside: this.outside,
      recentCommits: this.recentCommits,
      troubles,
      nodeId: NODE_ID,
      role: () => this.role.name,
      config,
      url,
      store,
      server: this.server,
      log: options.log,
      ...{ maintenance: options.maintenance ?? false, firstStart },
      ...nodeRecords(config, options, this.state.path),
      blobs: this.blobs,
      webApp: this.webApp,
      witness,
      besideStore: isEmbedded(config),
      indexFile: new IndexFile(
        config.keepIndex ? indexPath(this.state.path) : null,
        store,
        (error) => options.log.warn({ err: error }, 'the index of messages could not be kept'),
        (why, isDamage) =>
          options.log[isDamage ? 'warn' : 'info'](
            { why },
            'the kept index of messages is made anew of the messages',
          ),
      ),
      ...{ pictures: this.pictures, mailReader: this.mailReader, mailCounts: this.mailCounts },
      searchIndexes: this.searchIndexes,
      unusable: options.fatal,
      secret,
      ...(await loadServices(config, { url, secret: secret.bytes, log: options.log, troubles })),
      ...(options.instead ? { passwords: options.instead.passwords } : {}),
    };
    const key = secret.nodeKey();
    const { host, port } = config.nodeAddress;
    const internal = await this.server.listenInternal(host, port, key);
    await this.takeMail();
    await this.role.run({ parts, key, address: { host, port: internal.port }, settled });
  }

  /** Listens for mails, where that is wanted. @throws Error when the port is taken */
  private async takeMail(): Promise<void> {
    const { config, options, role } = this;
    if (!config.incomingMail || options.maintenance) return;
    this.incomingMail = listenForMail(config.incomingMail, {
      sink: () => (role.state() === 'ready' ? role.served?.mails : undefined),
      ...{ log: options.log, limit: this.server.limit, counts: this.mailCounts },
      name: new URL(this.url).hostname,
      isWorker: options.worker !== undefined,
      ending: this.ending.signal,
      announce: options.announce,
    });
    // A worker waits for its turn.
    if (options.worker) this.incomingMail.catch(options.fatal);
    else await this.incomingMail;
  }

  private get isEnding(): boolean {
    return this.ending.signal.aborted;
  }

  /** Waits for a store that is away; null when the process ends. @throws Error for one that cannot be used */
  private openStore(settled: () => void, first: FirstStart): Promise<OpenedStore | null> {
    return this.retryUntilAvailable(settled, async () => {
      const { instead } = this.options;
      if (instead) return (this.store = meteredStore(instead.store, this.recentCommits));
      // Opening an embedded store would create one.
      if (isEmbedded(this.config) && !existsSync(join(folderOf(this.config), 'data.mdb'))) {
        first.refuse(this.config.store);
      }
      const { store: url, storeWaitMs: waitMs, storeReplicas: replicas } = this.config;
      const store = await openStore(url, { waitMs, replicas, readChanges: changesOf });
      this.store = meteredStore(store, this.recentCommits);
      return this.store;
    });
  }

  /** Tries until the store is there; null when the process ends. @throws errors that waiting does not cure */
  private async retryUntilAvailable<T>(
    settled: () => void,
    attempt: () => Promise<T>,
  ): Promise<T | null> {
    while (!this.isEnding) {
      try {
        return await attempt();
      } catch (error) {
        if (!mayBecomeAvailable(error)) throw error;
        this.role.waits(error);
        settled();
        await pause(ATTEMPT_MS, this.ending.signal);
      }
    }
    return null;
  }

  /** Refuse, release waiting polls and sockets, flush, close (architecture.md#shutdown). */
  private async shutDown(deadlineMs: number, handsOver: boolean): Promise<void> {
    this.role.drain();
    this.ending.abort();
    const drained = this.server.drain(handsOver ? HAND_OVER_MS : Math.max(0, deadlineMs - 2000));
    this.role.release();
    const listener = await this.incomingMail?.catch(() => null);
    await listener?.close();
    this.mailReader.stop();
    // What is still coming in would keep all writes waiting that another node could take.
    if (!(await drained)) this.server.refuseUnbegun(refusalOf('draining'));
    this.pictures.stop();
    await this.role.close();
    this.server.withdraw(refusalOf('draining'));
    await this.role.releaseLease();
    // A request that comes as its connection is closed may have been carried out, as far as its sender knows.
    if (handsOver) await sleep(LAST_REFUSALS_MS);
    this.server.stop();
    this.https?.stop();
    this.requests.stop();
    this.metrics?.close();
    await this.leading;
    this.blobs.close();
    await this.searchIndexes.close();
    // Nobody waits for this process any more.
    await this.role.keepIndex();
    await this.store?.close();
    await this.state?.close();
  }
}
