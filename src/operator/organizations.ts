/** `parley organizations …`: which organizations a data folder has, at the process that serves them, or while nobody does. */
import { ApiError, badRequest } from '../errors/index.js';
import type { Config } from '../config/config.js';
import { isEmailAddress } from '../config/parsers.js';
import type { Catalogue, CatalogueEntry } from '../host/catalogue/catalogue.js';
import {
  mainAddress,
  organizationConfig,
  organizationFolder,
  placesOf,
  urlAt,
} from '../host/catalogue/organization-config.js';
import { addressFrom, checkName, MAIN } from '../host/catalogue/organization-names.js';
import { assertFree, assertRoomFor, assertSeveral } from '../host/catalogue/room.js';
import { holdsOrganization } from '../nodes/history/first-start.js';
import { existsSync } from '../platform/files.js';
import { wallTime } from '../platform/time.js';
import type { AdminRequest } from './admin/admin-request.js';
import { timeText } from './admin/organization-commands.js';
import { deleteDue, deleteLater, removeOrganization } from './organization-deletion.js';
import { withStoppedStore } from './stopped-store.js';

/** `unknown`: it is not loaded, or cannot be read. */
export type MainState = 'active' | 'deactivated' | 'unknown';

/** What commands need of whoever has the catalogue. */
export interface Hosting {
  /** The settings of the process. */
  readonly config: Config;
  /** Null before there is one. */
  readonly catalogue: () => Catalogue | null;
  /** Makes the catalogue, with the first organization. @throws ApiError where this process cannot serve several */
  readonly claim: () => Promise<Catalogue>;
  /**
   * Begins to serve an organization, where somebody serves.
   * @param config its own
   * @returns the password of its owner, where it was created; null otherwise
   * @throws Error where it does not lead then; it is not served
   */
  readonly begin: (entry: CatalogueEntry, config: Config) => Promise<string | null>;
  /** @throws Error where an organization cannot be served with these settings */
  readonly assertUsable: (config: Config) => Promise<void>;
  /** Serves one no more, where somebody does. */
  readonly end: (name: string) => Promise<void>;
  /** Has an organization in memory. @throws ApiError where it cannot be there */
  readonly wake: (name: string) => Promise<void>;
  /** Takes it out of memory. @throws ApiError with the reason where it must stay */
  readonly sleep: (name: string) => Promise<void>;
  /** Of the main organization, which deactivates itself. */
  readonly mainState: () => Promise<MainState>;
  /** How an organization is: `ready`, `unavailable` …; null where nobody serves. */
  readonly health: (name: string) => string | null;
}

type Flags = AdminRequest['flags'];

/** Health of an active organization that nobody serves. */
const OUT_OF_SERVICE: ReadonlySet<string | null> = new Set(['unavailable', 'not served']);

/** One change at a time, each to its end. */
export class OrganizationCommands {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly hosting: Hosting) {}

  /** @throws ApiError for one that cannot be carried out */
  carryOut({ command, args: [name = '', ...more], flags }: AdminRequest): Promise<unknown> {
    const works: Readonly<Record<string, () => unknown>> = {
      'organizations create': () => this.create(name, flags),
      'organizations adopt': () => this.adopt(name, flags),
      'organizations list': () => this.list(),
      'organizations show': () => this.show(name),
      'organizations address': () => this.address(name, more[0] ?? ''),
      'organizations deactivate': () => this.deactivate(name),
      'organizations reactivate': () => this.reactivate(name),
      'organizations reload': () => this.reload(name),
      'organizations delete': () => this.delete(name, flags),
      'organizations wake': () => this.wake(name, flags),
      'organizations sleep': () => this.sleep(name),
    };
    const work = Object.hasOwn(works, command) ? works[command] : undefined;
    if (!work) throw badRequest(`This server knows no ${command}`);
    return this.inTurn(work);
  }

  /** Removes what a process that ended left undone: nobody was told of one that was not created to its end. */
  async clear(catalogue: Catalogue): Promise<void> {
    const { config } = this.hosting;
    for (const { name, state } of catalogue.entries) {
      if (state === 'creating' || state === 'deleting') {
        await removeOrganization(config, catalogue, name);
      }
    }
    await deleteDue(config, catalogue);
  }

  /** Deletes those whose time has come, while somebody serves. @returns their names */
  upkeep(): Promise<string[]> {
    return this.inTurn(async () => {
      const catalogue = this.hosting.catalogue();
      return catalogue ? deleteDue(this.hosting.config, catalogue) : [];
    });
  }

  private inTurn<T>(work: () => Promise<T> | T): Promise<T> {
    const done = this.last.then(work, work);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async create(name: string, flags: Flags): Promise<object> {
    const { hosting } = this;
    checkName(name);
    const address = addressFrom(textOf(flags, 'address'));
    const ownerEmail = textOf(flags, 'owner-email').trim();
    if (!isEmailAddress(ownerEmail)) throw badRequest(`${ownerEmail} is no e-mail address`);
    assertRoomFor(hosting.config, this.known, name, address);
    if (existsSync(organizationFolder(hosting.config, name))) {
      throw badRequest(
        `${organizationFolder(hosting.config, name)} is there, and no organization of the catalogue: take it in with parley organizations adopt ${name} --address ${address}, or move it away`,
      );
    }
    const catalogue = hosting.catalogue() ?? (await hosting.claim());
    const entry: CatalogueEntry = { name, address, state: 'creating', created_at: wallTime() };
    const own = organizationConfig(hosting.config, entry);
    const shown = flags['name'] === undefined ? name : textOf(flags, 'name');
    await catalogue.put(entry);
    let password: string | null;
    try {
      password = await hosting.begin(entry, { ...own, ownerEmail, organization: shown });
      if (password === null) throw new Error(`${name} has no owner: it was not created`);
      await catalogue.put({ ...entry, state: 'active' });
    } catch (error) {
      await hosting.end(name);
      await removeOrganization(hosting.config, catalogue, name);
      throw error instanceof ApiError
        ? error
        : badRequest(`${name} was not created: ${(error as Error).message}`);
    }
    return { name, url: own.url, owner: ownerEmail, password };
  }

  /** Takes the organization of a folder into the catalogue: from a backup, or after the catalogue was lost. */
  private async adopt(name: string, flags: Flags): Promise<object> {
    const { hosting } = this;
    checkName(name);
    const address = addressFrom(textOf(flags, 'address'));
    assertRoomFor(hosting.config, this.known, name, address);
    const { store } = placesOf(hosting.config, name);
    if (!existsSync(organizationFolder(hosting.config, name))) {
      throw badRequest(
        `${organizationFolder(hosting.config, name)} is not there: restore a backup with --store ${store} first`,
      );
    }
    const entry: CatalogueEntry = { name, address, state: 'active', created_at: wallTime() };
    try {
      const isThere = await withStoppedStore(store, holdsOrganization);
      if (!isThere) throw new Error(`${store} holds no organization`);
      const catalogue = hosting.catalogue() ?? (await hosting.claim());
      await hosting.begin(entry, organizationConfig(hosting.config, entry));
      await catalogue.put(entry);
    } catch (error) {
      await hosting.end(name);
      throw badRequest(`${name} was not adopted: ${(error as Error).message}`);
    }
    return this.row(entry);
  }

  private async list(): Promise<object[]> {
    const others = [...this.known];
    others.sort((a, b) => (a.name < b.name ? -1 : 1));
    return [await this.mainRow(), ...others.map((one) => this.row(one))];
  }

  private async show(name: string): Promise<object> {
    return name === MAIN ? this.mainRow() : this.row(this.found(name));
  }

  private async mainRow(): Promise<object> {
    const { url } = this.hosting.config;
    return {
      ...{ name: MAIN, address: mainAddress(url) ?? '', url: url ?? '' },
      state: await this.hosting.mainState(),
      health: this.hosting.health(MAIN) ?? 'not served',
      ...{ wakes: '', created: '', deletes: '' },
    };
  }

  private async address(name: string, text: string): Promise<object> {
    const entry = this.changeable(name);
    assertSeveral(this.hosting.config);
    const address = addressFrom(text);
    assertFree(this.hosting.config, this.known, name, address);
    const moved = { ...entry, address, wake_at: 0 };
    try {
      if (entry.state === 'active') await this.serveAnew(moved);
      await this.catalogue.put(moved);
    } catch (error) {
      // Under its former address, which the catalogue still has.
      if (entry.state === 'active') await this.serveAnew(entry).catch(() => undefined);
      throw badRequest(`${name} keeps its address ${entry.address}: ${(error as Error).message}`);
    }
    return this.row(moved);
  }

  private async deactivate(name: string): Promise<object> {
    const entry = this.changeable(name);
    // What it plans may change meanwhile: a backup is restored.
    const deactivated = { ...entry, state: 'deactivated' as const, wake_at: 0 };
    if (entry.state === 'active') {
      await this.catalogue.put(deactivated);
      await this.hosting.end(name);
    }
    return this.row(deactivated);
  }

  private async reactivate(name: string): Promise<object> {
    const entry = this.changeable(name);
    assertSeveral(this.hosting.config);
    assertFree(this.hosting.config, this.known, name, addressFrom(entry.address));
    const { delete_at: _, ...kept } = entry;
    const active = { ...kept, state: 'active' as const, wake_at: 0 };
    if (entry.state !== 'active') await this.catalogue.put(active);
    // Tries again with one that was out of service, for what it lacked may be there now.
    const isOut = OUT_OF_SERVICE.has(this.hosting.health(name));
    if (entry.state !== 'active' || isOut) await this.serveAnew(active);
    return this.row(active);
  }

  private async delete(name: string, flags: Flags): Promise<object> {
    const entry = this.changeable(name);
    const left = await deleteLater(this.hosting.config, this.catalogue, entry, flags);
    return left ? this.row(left) : { name, deleted: true };
  }

  /** Beforehand for the next start, where nobody serves: a command is about to change what is stored. */
  private async wake(name: string, flags: Flags): Promise<object> {
    const entry = this.servedOne(name);
    await this.hosting.wake(name);
    const warm = flags['warm'] === true || entry.warm === true;
    if (this.hosting.health(name) === null || warm !== (entry.warm ?? false)) {
      await this.catalogue.put({ ...this.found(name), wake_at: 0, ...(warm && { warm }) });
    }
    return this.row(this.found(name));
  }

  private async sleep(name: string): Promise<object> {
    const { warm, ...entry } = this.servedOne(name);
    if (warm) await this.catalogue.put(entry);
    await this.hosting.sleep(name);
    return this.row(this.found(name));
  }

  /** @throws ApiError */
  private servedOne(name: string): CatalogueEntry {
    const entry = this.changeable(name);
    if (entry.state !== 'active') throw badRequest(`${name} is not active`);
    return entry;
  }

  /** Takes its settings anew: with faulty ones it goes on as it was. */
  private async reload(name: string): Promise<object> {
    const entry = this.servedOne(name);
    await this.serveAnew(entry);
    return this.row(this.found(name));
  }

  /** @throws ApiError where it cannot be served; with faulty settings it goes on as it was */
  private async serveAnew(entry: CatalogueEntry): Promise<void> {
    const own = await this.usableConfig(entry);
    await this.hosting.end(entry.name);
    await this.hosting.begin(entry, own);
  }

  private row(entry: CatalogueEntry): object {
    const { name, address, state, created_at, wake_at, warm, delete_at } = entry;
    const { url } = this.hosting.config;
    const health = this.hosting.health(name) ?? 'not served';
    const isAsleep = health === 'asleep' && typeof wake_at === 'number';
    return {
      // Without the address of the main one nothing says the scheme and the port.
      ...{ name, address, url: url === null ? '' : urlAt(url, address), state },
      health: warm ? `${health} (warm)` : health,
      wakes: isAsleep ? timeText(wake_at) : '',
      created: timeText(created_at),
      deletes: delete_at === undefined ? '' : timeText(delete_at),
    };
  }

  private get catalogue(): Catalogue {
    return this.hosting.catalogue()!;
  }

  /** @throws ApiError */
  private found(name: string): CatalogueEntry {
    const entry = this.hosting.catalogue()?.get(name);
    if (!entry) throw badRequest(`There is no organization ${name}`);
    return entry;
  }

  /** @throws ApiError, also for the main organization, which the settings of the process describe */
  private changeable(name: string): CatalogueEntry {
    if (name === MAIN) {
      throw badRequest(
        'The main organization is that of the data folder itself: --url has its address, and parley organization deactivate deactivates it',
      );
    }
    return this.found(name);
  }

  private async usableConfig(entry: CatalogueEntry): Promise<Config> {
    try {
      const own = organizationConfig(this.hosting.config, entry);
      await this.hosting.assertUsable(own);
      return own;
    } catch (error) {
      throw badRequest((error as Error).message);
    }
  }

  private get known(): readonly CatalogueEntry[] {
    return this.hosting.catalogue()?.entries ?? [];
  }
}

/** @throws ApiError where it is missing */
function textOf(flags: Flags, name: string): string {
  const value = flags[name];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw badRequest(`--${name} is missing`);
}
