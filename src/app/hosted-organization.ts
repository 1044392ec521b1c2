import type { Config } from '../config/config.js';
import type { AppOptions } from '../host/app-options.js';
import { exposedData } from '../host/data-folder/data-exposure.js';
import { filesFolder, openFiles, signOf, tryFiles } from '../host/data-folder/files.js';
import { processState, type ProcessState } from '../host/data-folder/own-folder.js';
import {
  adminPath,
  catalogueIn,
  folderOf,
  hasStore,
  indexPath,
  isEmbedded,
  secretPath,
  witnessPath,
} from '../host/data-folder/places.js';
import { SearchIndexes } from '../host/data-folder/search-indexes.js';
import type { Host } from '../host/host.js';
import type { Hosted } from '../host/hosted.js';
import type { NodeFigures } from '../host/monitoring/node-metrics.js';
import type { FigureHistory } from '../host/monitoring/figure-history.js';
import { nodeRecords } from '../host/monitoring/node-records.js';
import { allPublicFiles } from '../http/files/web-app-files.js';
import { refusalOf, type Health, type NodeHealth } from '../http/health.js';
import type { HttpSite } from '../http/http-site.js';
import type { SiteOptions } from '../http/service.js';
import { createRequestLimiter } from '../http/limits/rate-limit.js';
import { changesOf } from '../journal/entry-reading.js';
import { FirstStart } from '../nodes/history/first-start.js';
import { KeySecret } from '../nodes/history/key-secret.js';
import { keepQueuesAtRest, takeQueuesAtRest } from '../nodes/history/queues-at-rest.js';
import { Witness } from '../nodes/history/witness.js';
import { serveInternalCalls } from '../nodes/internal-calls.js';
import { pause } from '../nodes/leader-lease.js';
import type { LeaderAddress } from '../nodes/leadership.js';
import { ATTEMPT_MS, mayBecomeAvailable, NodeRole } from '../nodes/node-role.js';
import type { OrganizationParts } from '../nodes/organization-parts.js';
import { AdminSocket, ofLeader } from '../operator/admin/admin-socket.js';
import { NOW } from '../organization/state/scheduled/next-due.js';
import { IndexFile } from '../organization/state/message-index/index-file.js';
import type { FileStore } from '../services/blob-store.js';
import type { MailSink } from '../services/incoming-mail/mail-protocol.js';
import { outsidePreviews, type OutsidePreviews } from '../services/outside/outside-previews.js';
import { Troubles } from '../services/troubles.js';
import { meteredStore, RecentCommits } from '../store/metered.js';
import { openStore, type OpenedStore } from '../store/open.js';
import { createLimits, loadServices, type Limits } from './load-services.js';

/** What an organization has because others may be at its process. */
export interface Beside {
  /** For lines of the log; absent where the process has no other. */
  readonly name?: string;
  /** Why it cannot be served, whatever its store says. */
  readonly fault?: Error | null;
  /** The catalogue says that it was created to its end: where its folder is missing, none is made in its place. */
  readonly isCreated?: boolean;
  /** They outlive it; absent: it has its own. */
  readonly limits?: Limits;
  /** Of one that is brought into memory: see `SiteOptions`. */
  readonly awaken?: SiteOptions['awaken'];
  /** Open while this process leads the organization. */
  readonly whileLed?: { open(): void; close(): void };
}

/** Where other nodes reach this process for an organization, told its key. */
export type ListenForNodes = (site: HttpSite, key: string) => Promise<LeaderAddress>;

/**
 * HostedOrganization is one organization at this process: what is its own whether the process leads it or follows
 * (architecture.md#leadership). What it serves is built anew each time it is loaded. Life cycle: `open`, `run`, then
 * `drain`, `release`, `end` and `close`.
 */
export class HostedOrganization implements Hosted {
  readonly site: HttpSite;
  readonly role: NodeRole;
  /** Base URL in links; known once the process listens. */
  url = '';
  private store: OpenedStore | undefined;
  /** There from the start on, before anybody is served. */
  private blobs: FileStore | undefined;
  private history: FigureHistory | undefined;
  /** Null where messages show nothing of other servers, and until the secret is there. */
  private outside: OutsidePreviews | null = null;
  private readonly searchIndexes: SearchIndexes;
  private ownState: ProcessState | undefined;
  private readonly troubles = new Troubles();
  private readonly recentCommits = new RecentCommits();
  private readonly ending = new AbortController();
  private readonly admin: AdminSocket;
  private readonly limits: Limits;
  private place = '';
  /** When it must be in memory again, as far as was known when its role ended. */
  private planned = NOW;
  private failed: Error | null = null;
  private running: Promise<void> | undefined;

  /**
   * @param config of this organization
   * @param beside what follows from the process's having several
   */
  constructor(
    private readonly config: Config,
    private readonly options: AppOptions,
    private readonly host: Host,
    private readonly beside: Beside = {},
  ) {
    const { name, whileLed, limits = createLimits(config) } = beside;
    this.limits = limits;
    this.recentCommits.tell({
      failed: (operation, kind) => this.troubles.failed(`store: ${operation}`, kind),
    });
    this.searchIndexes = new SearchIndexes(config);
    this.site = host.server.site({
      ...(name === undefined ? {} : { organization: name }),
      ...(beside.awaken && { awaken: beside.awaken }),
      limiter: config.rateLimit ? createRequestLimiter() : null,
      origins: { own: () => this.url, allowed: config.allowedOrigins },
      health: () => this.state(),
      node: () => this.nodeHealth(),
      leads: () => this.role.leads,
      files: allPublicFiles(
        host.parts.webApp,
        { get: (key) => this.blobs!.get(key) },
        () => this.url,
        (id) => this.role.served?.org.users.has(id) ?? false,
        (path) => this.outside?.pictures.at(path),
      ),
      // Called only while the site has a service, so there is something to serve.
      events: () => this.role.served!.events,
      troubles: this.troubles,
    });
    serveInternalCalls(this.site, () => this.role.leading);
    const admin = (this.admin = new AdminSocket(
      adminPath(config),
      ofLeader(() => this.role.leading),
      options.log,
    ));
    this.role = new NodeRole({
      config,
      site: this.site,
      log: options.log,
      announce: options.announce,
      local: () => host.local,
      ending: this.ending.signal,
      admin: {
        open: () => [admin, whileLed].forEach((one) => one?.open()),
        close: () => [admin, whileLed].forEach((one) => one?.close()),
      },
    });
  }

  /** In the catalogue; empty where the process has no other. */
  get name(): string {
    return this.beside.name ?? '';
  }

  /** Why it is out of service for good; null where it is not. */
  get fault(): Error | null {
    return this.failed;
  }

  state(): Health {
    return this.failed ? 'unavailable' : this.role.state();
  }

  nodeHealth(): NodeHealth {
    return this.role.nodeHealth();
  }

  figures(): NodeFigures | null {
    return this.role.figures;
  }

  async firstSeq(): Promise<number | null> {
    return (await this.store?.firstSeq()) ?? null;
  }

  fetches(): ReturnType<OutsidePreviews['fetches']> {
    return this.outside?.fetches() ?? [];
  }

  mailSink(): MailSink | undefined {
    return this.state() === 'ready' ? this.role.served?.mails : undefined;
  }

  /** Opens the place of uploaded files. @throws Error where it cannot be used */
  async open(): Promise<void> {
    if (this.beside.fault) throw this.beside.fault;
    // Before any file is made in a folder that may lie on a disk which is not mounted.
    if (this.beside.isCreated && !hasStore(this.config))
      FirstStart.never().refuse(this.config.store);
    this.blobs = await openFiles(this.config, this.options.log);
  }

  /**
   * Takes the role, serves, loses it, and so on until the end.
   * @param listenForNodes called once the key of the organization's nodes is known
   * @param settled called when the process leads, follows or waits for the store
   * @throws Error when no later attempt can succeed
   */
  async run(listenForNodes: ListenForNodes, settled: () => void): Promise<void> {
    const { config, options } = this;
    const path = secretPath(config);
    if (this.host.metrics) this.recentCommits.tell(this.host.metrics);
    this.ownState = await processState(config, options.log);
    const place = (this.place = this.ownState.path);
    const witness = await Witness.load(witnessPath(place), (error) =>
      options.log.warn(
        { err: error },
        'the record of what this node saw of the store could not be written',
      ),
    );
    const catalogue = catalogueIn(config);
    const traces = { secretPath: path, catalogue, files: () => signOf(this.blobs!), witness };
    const firstStart = this.beside.isCreated
      ? FirstStart.never()
      : await FirstStart.look(traces, config.newOrganization);
    const store = await this.openStore(settled, firstStart);
    if (!store) return;
    if (this.beside.isCreated) await firstStart.assertPresent(store);
    const exposed = await exposedData(folderOf(config), filesFolder(config), place);
    for (const warning of [...(store.warnings ?? []), ...exposed]) options.log.warn({}, warning);
    tryFiles(this.blobs!);
    // So that a first start that does not come to its end can be repeated, the secret being there.
    if (firstStart.mayCreate && witness.isNew) await witness.save();
    const secret = await this.retryUntilAvailable(settled, () => KeySecret.load(path, store));
    if (!secret) return;
    const warning = await secret.warning();
    if (warning !== null) options.log.warn({}, warning);
    const own = await this.parts({ store, secret, firstStart, witness, place });
    const key = secret.nodeKey();
    const address = await listenForNodes(this.site, key);
    await this.role.run({ parts: { ...this.host.parts, ...own }, key, address, settled });
  }

  /**
   * Serves as `open` and `run` do, from when it leads, follows or waits on. Never rejects: a fault takes this organization
   * alone out of service.
   */
  start(listenForNodes: ListenForNodes): Promise<void> {
    return new Promise((resolve) => {
      const work = async (): Promise<void> => {
        await this.open();
        await this.run(listenForNodes, resolve);
        resolve();
      };
      this.running = work().catch((error: unknown) => {
        this.fails(error);
        resolve();
      });
    });
  }

  /** Takes it out of service. */
  fails(error: unknown): void {
    this.failed = error instanceof Error ? error : new Error(String(error));
    this.options.log.error({ err: error }, 'the organization is out of service');
  }

  /**
   * Whether it is used, beyond what it does by itself: somebody is connected, or waits for an answer.
   * @param waiting requests at each site that wait for their reply
   */
  isUsed(waiting: ReadonlyMap<unknown, number>): boolean {
    const queues = this.role.served?.queues.all();
    if (!queues || waiting.has(this.site) || this.admin.isBusy) return true;
    return [...queues].some(({ consumer }) => consumer !== null);
  }

  /** When it must be in memory next: milliseconds since 1970, {@link NOW} where something is under way, {@link NEVER}. */
  nextDue(): Promise<number> {
    return this.role.nextDue();
  }

  /** As {@link nextDue}, of one that has ended: nothing was committed since. */
  get plannedNext(): number {
    return this.planned;
  }

  /** Ends what `start` began, so that the same process may begin it again: the idle time of queues goes on. */
  async sleep(): Promise<void> {
    const queues = [...(this.role.served?.queues.all() ?? [])];
    await this.stop();
    const used = queues.map(({ queueId, touchedAt }) => [queueId, touchedAt] as const);
    await keepQueuesAtRest(this.place, used);
  }

  /** Ends what `start` began. */
  async stop(): Promise<void> {
    this.drain();
    this.release();
    await this.end();
    await this.close();
  }

  /** Refuses everything from now on. */
  drain(): void {
    this.role.drain();
    this.ending.abort();
  }

  /** Ends all polls and sockets; their clients reconnect with their cursors. */
  release(): void {
    this.role.release();
  }

  /** Refuses requests that have not begun: what is still coming in would keep all writes waiting that another node could take. */
  refuseUnbegun(): void {
    this.site.refuseUnbegun(refusalOf('draining'));
  }

  /** Ends the role after everything pending is durable. */
  async end(): Promise<void> {
    const before = this.role.termPosition;
    const due = this.beside.name === undefined ? NOW : await this.role.nextDue().catch(() => NOW);
    await this.role.close();
    // Something that was committed meanwhile may plan more.
    if (before !== null && this.role.termPosition === before) this.planned = due;
    this.site.withdraw(refusalOf('draining'));
    await this.role.releaseLease();
  }

  /** Closes what is open, once nobody waits for it any more. */
  async close(): Promise<void> {
    await this.running;
    this.blobs?.close();
    await this.searchIndexes.close();
    await this.role.keepIndex();
    await this.history?.settled();
    await this.store?.close();
    await this.ownState?.close();
  }

  private async parts({
    store,
    secret,
    place,
    ...given
  }: Pick<OrganizationParts, 'store' | 'secret' | 'firstStart' | 'witness'> & {
    readonly place: string;
  }): Promise<OrganizationParts> {
    const { config, options, url, troubles } = this;
    const { log } = options;
    const records = nodeRecords(config, options, place);
    this.history = records.figureHistory;
    if (config.linkPreviews !== 'off') {
      this.outside = outsidePreviews({
        targets: config.linkPreviewTargets,
        asksPages: config.linkPreviews === 'pages',
        url,
        secret: secret.bytes,
        failed: (reason) => log.debug?.({ reason }, 'a link has no preview'),
      });
    }
    return {
      ...{ ...given, config, url, store, secret, log, troubles },
      site: this.site,
      outside: this.outside,
      recentCommits: this.recentCommits,
      role: () => this.role.name,
      ...records,
      blobs: this.blobs!,
      besideStore: isEmbedded(config),
      queueUsedAt: await takeQueuesAtRest(place),
      indexFile: new IndexFile(
        config.keepIndex ? indexPath(place) : null,
        store,
        (error) => log.warn({ err: error }, 'the index of messages could not be kept'),
        (why, isDamage) =>
          log[isDamage ? 'warn' : 'info'](
            { why },
            'the kept index of messages is made anew of the messages',
          ),
      ),
      searchIndexes: this.searchIndexes,
      ...(await loadServices(config, {
        url,
        secret: secret.bytes,
        log,
        troubles,
        limits: this.limits,
      })),
    };
  }

  /** Waits for a store that is away; null when the process ends. @throws Error for one that cannot be used */
  private openStore(settled: () => void, first: FirstStart): Promise<OpenedStore | null> {
    return this.retryUntilAvailable(settled, async () => {
      const { instead } = this.options;
      if (instead) return (this.store = meteredStore(instead.store, this.recentCommits));
      // Opening an embedded store would create one.
      if (isEmbedded(this.config) && !hasStore(this.config)) first.refuse(this.config.store);
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
    while (!this.ending.signal.aborted) {
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
}
