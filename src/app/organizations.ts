import type { Config } from '../config/config.js';
import { ConfigError } from '../config/values.js';
import { badRequest } from '../errors/index.js';
import type { AppOptions } from '../host/app-options.js';
import { Catalogue, type CatalogueEntry } from '../host/catalogue/catalogue.js';
import {
  mainAddress,
  organizationConfig,
  organizationFolders,
  whyNotAt,
  whyNotServed,
} from '../host/catalogue/organization-config.js';
import { MAIN } from '../host/catalogue/organization-names.js';
import { hasCatalogue, hostPath, isEmbedded } from '../host/data-folder/places.js';
import type { Host } from '../host/host.js';
import { logOf } from '../host/monitoring/log.js';
import type { LeaderAddress } from '../nodes/leadership.js';
import { AdminSocket } from '../operator/admin/admin-socket.js';
import { OrganizationCommands, type Hosting, type MainState } from '../operator/organizations.js';
import { HostedOrganization } from './hosted-organization.js';

/** No other process serves what is in a catalogue, so none asks for it. */
const NOBODY: LeaderAddress = { host: '127.0.0.1', port: 0 };

/**
 * Organizations has what a process hosts beside its main organization: those of the catalogue that are active. Without a
 * catalogue there are none, and the main one has every host name.
 */
export class Organizations implements Hosting {
  private present: Catalogue | null = null;
  private readonly hosted = new Map<string, HostedOrganization>();
  private readonly commands = new OrganizationCommands(this);
  private readonly socket: AdminSocket | null;
  private isEnding = false;

  /** @param main the organization of the data folder itself */
  constructor(
    readonly config: Config,
    private readonly options: AppOptions,
    private readonly host: Host,
    private readonly main: HostedOrganization,
  ) {
    host.server.name(main.site, null);
    // A command of the operator opens one organization; workers and nodes of Redis serve one.
    this.socket = this.isPossible
      ? new AdminSocket(hostPath(config), (request) => this.commands.carryOut(request), options.log)
      : null;
  }

  /** Whether others than the main organization may be served, so that its fault does not end the process. */
  get areSeveral(): boolean {
    return this.present !== null;
  }

  /** Those that are served beside the main one. */
  get others(): readonly HostedOrganization[] {
    return [...this.hosted.values()];
  }

  /**
   * Takes the catalogue, where there is one, and gives each active organization its host name: it refuses requests until
   * `beginAll` serves it.
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

  /** Serves all that are active, one after the other. One that is damaged is out of service alone. */
  async beginAll(): Promise<void> {
    for (const [name, organization] of [...this.hosted]) {
      // A command may have ended it meanwhile, or served it anew.
      const isToBegin = !this.isEnding && this.hosted.get(name) === organization;
      if (isToBegin && organization.fault === null) await organization.start(async () => NOBODY);
    }
  }

  /** Begins no further ones. */
  endAll(): void {
    this.isEnding = true;
    this.socket?.close();
  }

  /** Leaves the catalogue, when nothing is served any more. */
  async close(): Promise<void> {
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
    const { organization, started } = this.hosting(entry, config);
    const password = await started;
    if (organization.role.leads) return password;
    throw badRequest(
      `${entry.name} is out of service: ${organization.fault?.message ?? 'it does not lead'}`,
    );
  };

  readonly end = async (name: string): Promise<void> => {
    const organization = this.hosted.get(name);
    if (!organization) return;
    this.hosted.delete(name);
    this.host.server.remove(organization.site);
    await organization.stop();
  };

  readonly health = (name: string): string => {
    const organization = name === MAIN ? this.main : this.hosted.get(name);
    return organization?.state() ?? 'not served';
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

  /** Gives an organization its host name before the process listens; one that can have none is out of service alone. */
  private prepare(entry: CatalogueEntry): void {
    const { organization } = this.add(entry, organizationConfig(this.config, entry));
    const why = whyNotAt(this.config, entry);
    if (why === null) this.host.server.name(organization.site, [entry.address]);
    else organization.fails(new Error(why));
  }

  /** Serves an organization; `started` resolves with its owner's password, where it was created. */
  private hosting(entry: CatalogueEntry, config: Config) {
    const { organization, password } = this.add(entry, config);
    this.host.server.name(organization.site, [entry.address]);
    const started = organization.start(async () => NOBODY).then(password);
    return { organization, started };
  }

  /** An organization of this process, under no host name yet, with its owner's password once it was created. */
  private add({ name, state }: CatalogueEntry, config: Config) {
    let password: string | null = null;
    const options: AppOptions = {
      log: logOf(this.options.log, name),
      announce: (_text, facts) => {
        if ('owner' in facts) password = (facts.owner as { password: string }).password;
      },
      fatal: this.options.fatal,
    };
    const organization = new HostedOrganization(config, options, this.host, {
      name,
      isCreated: state !== 'creating',
    });
    organization.url = config.url!;
    this.hosted.set(name, organization);
    return { organization, password: () => password };
  }
}
