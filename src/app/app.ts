import { pause as sleep } from '../platform/timers.js';
import type { Config } from '../config/config.js';
import type { App, AppOptions, ProcessReport } from '../host/app-options.js';
import { Host } from '../host/host.js';
import type { HttpServer } from '../http/server.js';
import type { HttpSite } from '../http/http-site.js';
import type { LeaderAddress } from '../nodes/leadership.js';
import type { NodeRole } from '../nodes/node-role.js';
import { onceSettled } from '../turns/background.js';
import { HostedOrganization } from './hosted-organization.js';
import { allHosted } from './all-hosted.js';
import { Organizations } from './organizations.js';
import type { Residents } from './residents.js';

/** Time that a leader which hands over waits for requests under way, milliseconds; nearly all take less. */
const HAND_OVER_MS = 150;
/** How long it refuses what followers still send, until they know the next leader, milliseconds. */
const LAST_REFUSALS_MS = 200;

/** With its parts, for tests. */
export interface RunningApp extends App {
  readonly role: NodeRole;
  readonly server: HttpServer;
  /** The organizations beside the main one. */
  readonly residents: Residents;
}

/** Creates the application; nothing happens before `start`. */
export function createApp(config: Config, options: AppOptions): RunningApp {
  return new Application(config, options);
}

/** The process with the organizations that it hosts: in which order they begin and end. */
class Application implements RunningApp {
  private readonly host: Host;
  private readonly main: HostedOrganization;
  private readonly organizations: Organizations;
  private leading: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly config: Config,
    private readonly options: AppOptions,
  ) {
    this.host = new Host(config, options, () => {
      const { others, residents, mails } = this.organizations;
      return allHosted(this.main, others, residents.gone, mails);
    });
    const whileLed = {
      open: () => this.organizations.takeCommands(),
      close: () => this.organizations.leaveCommands(),
    };
    this.main = new HostedOrganization(config, options, this.host, { whileLed });
    this.organizations = new Organizations(config, options, this.host, this.main);
  }

  get url(): string {
    return this.main.url;
  }

  get port(): number {
    return this.host.port;
  }

  get server(): HttpServer {
    return this.host.server;
  }

  get residents(): Residents {
    return this.organizations.residents;
  }

  get role(): NodeRole {
    return this.main.role;
  }

  async start(): Promise<void> {
    const { config, host, main, organizations } = this;
    await organizations.open();
    try {
      await main.open();
      await host.start();
      main.url = config.url ?? host.local;
      await host.serveMetrics();
      await this.startMain();
      await organizations.beginAll();
      if (organizations.areSeveral) organizations.takeCommands();
    } catch (error) {
      host.stop();
      await organizations.close();
      throw error;
    }
  }

  stop(deadlineMs: number, othersGoOn = this.role.isFollowed): Promise<void> {
    this.stopping ??= this.shutDown(deadlineMs, this.role.leads && othersGoOn);
    return this.stopping;
  }

  report(withMetrics: boolean): Promise<ProcessReport> {
    return this.host.report(withMetrics);
  }

  /** Resolves when the main organization is led, followed or waited for. @throws Error where it cannot be served */
  private startMain(): Promise<void> {
    return new Promise((resolve, reject) => {
      let settled = false;
      const settle = (): void => {
        settled = true;
        onceSettled(this.host.listenAsWorker(), resolve, this.options.fatal);
      };
      this.leading = this.runMain(settle).catch((error: unknown) => {
        if (this.organizations.areSeveral) {
          this.main.fails(error);
          resolve();
        } else if (settled) this.options.fatal(error);
        else reject(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  private runMain(settled: () => void): Promise<void> {
    return this.main.run(async (site, key) => {
      const address = await this.listenForNodes(site, key);
      await this.host.takeMail(this.url);
      return address;
    }, settled);
  }

  /** @throws Error when the port is in use */
  private async listenForNodes(site: HttpSite, key: string): Promise<LeaderAddress> {
    const { host, port } = this.config.nodeAddress;
    const { port: own } = await this.server.listenInternal(site, host, port, key);
    return { host, port: own };
  }

  /** Refuse, release waiting polls and sockets, flush, close (architecture.md#shutdown). */
  private async shutDown(deadlineMs: number, handsOver: boolean): Promise<void> {
    const { host, main, organizations } = this;
    organizations.endAll();
    const all = [main, ...organizations.others];
    for (const one of all) one.drain();
    const drained = host.drain(handsOver ? HAND_OVER_MS : Math.max(0, deadlineMs - 2000));
    for (const one of all) one.release();
    await host.endMail();
    if (!(await drained)) for (const one of all) one.refuseUnbegun();
    host.endPictures();
    await Promise.all(all.map((one) => one.end()));
    // A request that comes as its connection is closed may have been carried out, as far as its sender knows.
    if (handsOver) await sleep(LAST_REFUSALS_MS);
    host.stop();
    await this.leading;
    await Promise.all(all.map((one) => one.close()));
    await organizations.close();
  }
}
