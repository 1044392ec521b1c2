import { localUrl } from '../config/network.js';
import type { Config } from '../config/config.js';
import { servePush } from '../http/events/event-routes.js';
import type { RequestLog } from '../http/request-log.js';
import { createHttpServer, type HttpServer } from '../http/server.js';
import { Https } from '../http/tls/https.js';
import { monotonicTime } from '../platform/time.js';
import { Passwords } from '../services/auth/passwords.js';
import { MailCounts } from '../services/incoming-mail/mail-counts.js';
import { MailReader } from '../services/incoming-mail/mail-reader.js';
import { Pictures } from '../services/pictures/pictures.js';
import { WebApp } from '../services/web-app/web-app.js';
import type { AppOptions, ProcessReport } from './app-options.js';
import type { HostParts } from './host-parts.js';
import type { Hosted } from './hosted.js';
import { listenForMail, type IncomingListener } from './mail/incoming-listener.js';
import { requestLog } from './monitoring/log.js';
import type { Metrics, OrganizationCounts } from './monitoring/metrics.js';
import { NODE_ID, shortId } from './node-id.js';

/** A worker that nobody lets follow listens all the same after this time, so that it can say so. Milliseconds. */
const STAND_BY_MS = 10_000;

/**
 * Host is the process: it listens, and has the threads, limits, log and metrics that all organizations share
 * (architecture.md#rooms). What it hosts it knows as {@link Hosted} alone.
 */
export class Host {
  readonly server: HttpServer;
  readonly parts: HostParts;
  port = 0;
  /** Where this process listens, for operators. */
  local = '';
  /** Null: TLS is a proxy's task. */
  private readonly https: Https | null;
  private readonly requests: RequestLog;
  private readonly pictures = new Pictures();
  private readonly mailReader = new MailReader();
  private readonly mailCounts = new MailCounts();
  private incomingMail: Promise<IncomingListener | null> | undefined;
  /** Null where metrics are off. */
  metrics: Metrics | null = null;
  /** Counts those beside the main one. */
  organizations: () => OrganizationCounts | null = () => null;
  /** Whether it hosts organizations beside the one of its base URL. */
  hasSeveral = false;
  private readonly ending = new AbortController();
  private isListening = false;
  private readonly createdAt = monotonicTime();

  /** @param hosted what this process hosts; asked from `start` on */
  constructor(
    private readonly config: Config,
    private readonly options: AppOptions,
    private readonly hosted: () => Hosted,
  ) {
    const { log, maintenance = false, instead } = options;
    this.requests = requestLog(log, config.slowRequestMs, shortId(NODE_ID));
    // First: it says what is wrong with the files, where the native layer says only that it cannot use them.
    this.https = config.tls && new Https(config.tls, (files) => this.server.renew(files), log);
    this.server = createHttpServer({
      tls: config.tls,
      trustedProxies: config.trustedProxies,
      log,
      requests: this.requests,
      interposed: instead?.interposed,
    });
    servePush(this.server);
    const { server, pictures, mailReader, mailCounts } = this;
    this.parts = {
      nodeId: NODE_ID,
      ...{ server, maintenance, pictures, mailReader, mailCounts },
      unusable: options.fatal,
      passwords: instead?.passwords ?? Passwords.create(),
      // A command of the operator serves nobody.
      webApp: config.webApp === null || maintenance ? null : WebApp.open(config.webApp),
    };
  }

  /** Listens, but for a worker, which waits until it has something to say. @throws Error when the port is taken */
  async start(): Promise<void> {
    const { config, options } = this;
    this.requests.start();
    this.port = config.port;
    // Before a password is printed for a server that cannot run.
    if (!options.worker && !this.parts.maintenance) await this.listen(false);
    this.local = localUrl(config.host, this.port, config.tls !== null);
  }

  /** Listens on the shared port, once there is something to say. @throws Error when the port is taken */
  async listenAsWorker(): Promise<void> {
    const { worker } = this.options;
    if (!worker || this.isListening || this.ending.signal.aborted) return;
    const state = this.hosted().state();
    const isPatient = monotonicTime() - this.createdAt < STAND_BY_MS;
    if ((state === 'starting' || state === 'follower') && isPatient) return;
    this.isListening = true;
    await this.listen(true);
    worker.listens();
  }

  /** Collects metrics, and serves them, where that is wanted. @throws Error when the port is taken */
  async serveMetrics(): Promise<void> {
    const { metrics: address, backup } = this.config;
    if (!address) return;
    // Loaded only where metrics are enabled, because every start would wait for it.
    const { Metrics } = await import('./monitoring/metrics.js');
    this.metrics = new Metrics({
      health: () => this.hosted().state(),
      nodeHealth: () => this.hosted().nodeHealth(),
      node: () => this.hosted().figures(),
      firstSeq: () => this.hosted().firstSeq(),
      replies: () => this.server.replies,
      fetches: () => this.hosted().fetches(),
      incomingMails: () => this.mailCounts.all(),
      incomingWaiting: () => this.mailReader.size,
      waiting: () => this.server.pendingCount,
      certificate: () => this.https?.certificate ?? null,
      organizations: () => (this.hasSeveral ? this.organizations() : null),
      backupFolder: backup?.folder,
    });
    if (this.options.worker) return;
    const url = await this.metrics.listen(address, this.server.limit);
    this.options.announce(`Metrics are served on ${url}`, { metrics: url });
  }

  /**
   * Listens for mails, where that is wanted.
   * @param url base URL, by whose name it greets
   * @throws Error when the port is taken
   */
  async takeMail(url: string): Promise<void> {
    const { config, options } = this;
    if (!config.incomingMail || this.parts.maintenance) return;
    this.incomingMail = listenForMail(config.incomingMail, {
      sink: () => this.hosted().mailSink(),
      ...{ log: options.log, limit: this.server.limit, counts: this.mailCounts },
      name: new URL(url).hostname,
      isWorker: options.worker !== undefined,
      ending: this.ending.signal,
      announce: options.announce,
    });
    // A worker waits for its turn.
    if (options.worker) this.incomingMail.catch(options.fatal);
    else await this.incomingMail;
  }

  async report(withMetrics: boolean): Promise<ProcessReport> {
    const metrics = withMetrics ? ((await this.metrics?.json()) ?? null) : null;
    return { health: this.hosted().state(), node: this.hosted().nodeHealth(), metrics };
  }

  /**
   * Takes no further work.
   * @returns whether all pending requests were answered in time
   */
  drain(deadlineMs: number): Promise<boolean> {
    this.ending.abort();
    return this.server.drain(deadlineMs);
  }

  /** Takes no further mails. */
  async endMail(): Promise<void> {
    const listener = await this.incomingMail?.catch(() => null);
    await listener?.close();
    this.mailReader.stop();
  }

  /** Makes no further pictures. */
  endPictures(): void {
    this.pictures.stop();
  }

  /** Closes every connection. Idempotent. */
  stop(): void {
    this.server.stop();
    this.https?.stop();
    this.requests.stop();
    this.metrics?.close();
  }

  /** @param shared other processes of this account listen on the port too. @throws Error when it is taken */
  private async listen(shared: boolean): Promise<void> {
    const { host, port, url } = this.config;
    this.port = (await this.server.listen(host, port, shared)).port;
    const { server } = this;
    const hasOtherNames = (): boolean => this.hasSeveral;
    await this.https?.start({ host, port: this.port, url, hasOtherNames, shared, server });
    const redirected = shared ? null : (this.https?.redirectPort ?? null);
    if (redirected !== null) {
      this.options.announce(`Plain HTTP is redirected at port ${redirected}`, { redirected });
    }
  }
}
