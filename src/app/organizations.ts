import type { Config } from '../config/config.js';
import { ConfigError } from '../config/values.js';
import { badRequest } from '../errors/index.js';
import type { AppOptions } from '../host/app-options.js';
import { Catalogue, type CatalogueEntry } from '../host/catalogue/catalogue.js';
import {
  mainAddress,
  configWithoutOwn,
  organizationConfig,
  organizationFolders,
  whyNotAt,
  whyNotServed,
} from '../host/catalogue/organization-config.js';
import { MAIN } from '../host/catalogue/organization-names.js';
import { hasCatalogue, hostPath, isEmbedded } from '../host/data-folder/places.js';
import type { Host } from '../host/host.js';
import { logOf } from '../host/monitoring/log.js';
import { AdminSocket } from '../operator/admin/admin-socket.js';
import { OrganizationCommands, type Hosting, type MainState } from '../operator/organizations.js';
import { RateLimiter } from '../http/limits/rate-limit.js';
import { steadyClock } from '../platform/clock.js';
import { inBackground } from '../turns/background.js';
import { Beat } from '../turns/beat.js';
import type { MailSink } from '../services/incoming-mail/mail-protocol.js';
import { isDue } from './asleep.js';
import { HostedOrganization, type Beside } from './hosted-organization.js';
import { assertServices } from './load-services.js';
import { MailRoutes } from './mail-routes.js';
import { NOBODY, Residents, wakeAtOf } from './residents.js';

/** Stands for whoever sends mails: other servers, whose addresses say little. */
const MAILS = 'mails';
/** Organizations that mails bring into memory; a sender tries again. */
const MAIL_WAKES = [{ max: 60, seconds: 60 }] as const;

/** Looks for organizations whose time to think before their deletion is over. */
const UPKEEP_MS = 3_600_000;

/**
 * Organizations has what a process hosts beside its main organization: those of the catalogue that are active. Without a
 * catalogue there are none, and the main one has every host name.
 */
export class Organizations implements Hosting {
  private present: Catalogue | null = null;
  readonly residents: Residents;
  private readonly commands = new OrganizationCommands(this);
  private readonly socket: AdminSocket | null;
  private readonly wakesByMail = new RateLimiter<string>(MAIL_WAKES, () => steadyClock.now());
  private readonly mailRoutes = new MailRoutes((name) => this.mailSinkAt(name));
  private readonly upkeep = new Beat(UPKEEP_MS, () => this.keepUp());
  private isEnding = false;

  /** @param main the organization of the data folder itself */
  constructor(
    readonly config: Config,
    private readonly options: AppOptions,
    private readonly host: Host,
    private readonly main: HostedOrganization,
  ) {
    host.server.name(main.site, null);
    this.residents = new Residents({
      ...{ config, host, log: options.log, catalogue: this.catalogue },
      make: (entry, beside) => this.makeOf(entry, beside),
    });
    // A command of the operator opens one organization; workers and nodes of Redis serve one.
    this.socket = this.isPossible
      ? new AdminSocket(hostPath(config), (request) => this.commands.carryOut(request), options.log)
      : null;
  }

  /** Whether others than the main organization may be served, so that its fault does not end the process. */
  get areSeveral(): boolean {
    return this.present !== null;
  }

  /** Takes the mails of all; null where the main one is alone. */
  get mails(): MailSink | null {
    return this.areSeveral ? this.mailRoutes : null;
  }

  /** Those in memory beside the main one. */
  get others(): readonly HostedOrganization[] {
    return this.residents.all;
  }

  /**
   * Takes the catalogue, where there is one. Each active organization is asleep: a request wakes it, and `beginAll` those
   * that must be in memory.
   * @throws Error where another process has it, these settings cannot serve it, or it is lost
   */
  async open(): Promise<void> {
    const { maintenance = false } = this.options;
    if (maintenance || !isEmbedded(this.config)) return;
    if (!hasCatalogue(this.config)) {
      this.assertServable(null);
      return;
    }
    this.assertServable(await Catalogue.read(this.config));
    const catalogue = await Catalogue.claim(this.config);
    try {
      await this.commands.clear(catalogue);
      this.assertServable(catalogue.entries);
    } catch (error) {
      await catalogue.close();
      throw error;
    }
    this.use(catalogue);
    const folders = organizationFolders(this.config).filter((name) => !catalogue.get(name));
    if (folders.length > 0) {
      const what =
        'folders of organizations that the catalogue does not have: see organizations adopt';
      this.options.log.warn({ folders }, what);
    }
    for (const entry of catalogue.entries) if (entry.state === 'active') this.prepare(entry);
  }

  /** Takes commands: while the main organization is led here, and where this process has the catalogue. */
  takeCommands(): void {
    if (!this.isEnding) this.socket?.open();
  }

  /** Takes no commands, as far as another process may. */
  leaveCommands(): void {
    if (!this.areSeveral) this.socket?.close();
  }

  /** Serves those that must be in memory, one after the other. One that is damaged is out of service alone. */
  async beginAll(): Promise<void> {
    for (const entry of this.present?.entries ?? []) {
      if (this.isEnding) return;
      // Where it finds no room its time comes again.
      if (entry.state === 'active' && isDue(entry)) {
        await this.residents.wake(entry.name).catch(() => undefined);
      }
    }
    this.residents.start();
    this.upkeep.start();
  }

  /** Begins no further ones. */
  endAll(): void {
    this.isEnding = true;
    this.upkeep.stop();
    this.residents.end();
    this.socket?.close();
  }

  /** Leaves the catalogue, when nothing is served any more: it has when each must be in memory again. */
  async close(): Promise<void> {
    await this.residents.settled();
    const times = this.others.map((one) => [one.name, wakeAtOf(one)] as const);
    // One whose claim was lost is another process's, which has opened all of them.
    await this.present?.plan(new Map(times)).catch(() => undefined);
    await this.present?.close();
  }

  readonly catalogue = (): Catalogue | null => this.present;

  readonly claim = async (): Promise<Catalogue> => {
    const { role } = this.main;
    if (!role.leads) throw badRequest('The main organization is not led by this process');
    if (role.isFollowed) {
      throw badRequest('Other processes follow this one: one process serves several organizations');
    }
    const catalogue = await Catalogue.claim(this.config);
    this.use(catalogue);
    return catalogue;
  };

  readonly begin = async (entry: CatalogueEntry, config: Config): Promise<string | null> => {
    let password: string | null = null;
    const organization = this.make(
      entry,
      config,
      { limits: this.residents.limitsOf(entry.name) },
      (_text, facts) => {
        if ('owner' in facts) password = (facts.owner as { password: string }).password;
      },
    );
    await this.residents.makeRoom();
    // Durable before its store is opened.
    await this.present?.plan(new Map([[entry.name, 0]]));
    this.residents.add(entry, organization);
    this.host.server.name(organization.site, [entry.address]);
    await organization.start(async () => NOBODY);
    if (organization.role.leads) return password;
    throw badRequest(
      `${entry.name} is out of service: ${organization.fault?.message ?? 'it does not lead'}`,
    );
  };

  readonly assertUsable = (config: Config): Promise<void> =>
    assertServices(config, this.options.log);

  readonly end = (name: string): Promise<void> => this.residents.remove(name);

  readonly wake = async (name: string): Promise<void> => {
    await this.residents.wake(name);
    const fault = this.residents.get(name)?.fault;
    if (fault) throw badRequest(`${name} is out of service: ${fault.message}`);
  };

  readonly sleep = (name: string): Promise<void> => this.residents.sleep(name);

  readonly health = (name: string): string => {
    if (name === MAIN) return this.main.state();
    if (this.residents.isAsleep(name)) return 'asleep';
    return this.residents.get(name)?.state() ?? 'not served';
  };

  readonly mainState = async (): Promise<MainState> => {
    const { served } = this.main.role;
    if (!served) return 'unknown';
    return served.org.realm.isDeactivated ? 'deactivated' : 'active';
  };

  private get isPossible(): boolean {
    const { maintenance = false, worker, instead } = this.options;
    return isEmbedded(this.config) && !maintenance && !worker && !instead;
  }

  /** Brings whom a mail is for into memory. A host name that none has is the main one's, whose mails may have another. */
  private async mailSinkAt(hostName: string): Promise<MailSink | undefined> {
    const name = this.residents.at(hostName);
    if (name === undefined) return this.main.mailSink();
    if (this.residents.isAsleep(name)) this.wakesByMail.consume(MAILS);
    await this.residents.wake(name, { source: MAILS, isKnown: false });
    return this.residents.get(name)?.mailSink();
  }

  private keepUp(): void {
    const { log } = this.options;
    const work = async (): Promise<void> => {
      const organizations = await this.commands.upkeep();
      if (organizations.length > 0) log.info({ organizations }, 'deleted, as was asked for');
    };
    inBackground(work, (error) => log.error({ err: error }, 'organizations were not deleted'));
  }

  private use(catalogue: Catalogue): void {
    this.present = catalogue;
    this.host.hasSeveral = true;
    this.host.server.name(this.main.site, [mainAddress(this.config.url)!]);
  }

  /** @param entries of the catalogue; null: there is none @throws ConfigError */
  private assertServable(entries: readonly CatalogueEntry[] | null): void {
    const reason = whyNotServed(this.config, entries);
    if (reason !== null) throw new ConfigError(reason);
  }

  /** One that can have no host name is out of service alone; all others are asleep. */
  private prepare(entry: CatalogueEntry): void {
    const why = whyNotAt(this.config, entry);
    if (why === null) this.residents.rest(entry);
    else {
      const organization = this.makeOf(entry);
      this.residents.add(entry, organization);
      organization.fails(new Error(why));
    }
  }

  /** One of the catalogue; where its settings cannot be used it is out of service alone. */
  private makeOf(entry: CatalogueEntry, beside: Beside = {}): HostedOrganization {
    try {
      return this.make(entry, organizationConfig(this.config, entry), beside);
    } catch (fault) {
      if (!(fault instanceof ConfigError)) throw fault;
      return this.make(entry, configWithoutOwn(this.config, entry), { ...beside, fault });
    }
  }

  /** An organization of this process, under no host name yet. */
  private make(
    { name, state }: CatalogueEntry,
    config: Config,
    beside: Beside = {},
    announce: AppOptions['announce'] = () => undefined,
  ): HostedOrganization {
    const { fatal } = this.options;
    const options: AppOptions = { log: logOf(this.options.log, name), announce, fatal };
    const isCreated = state !== 'creating';
    const made = new HostedOrganization(config, options, this.host, { ...beside, name, isCreated });
    made.url = config.url!;
    return made;
  }
}
