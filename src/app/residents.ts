import type { Config } from '../config/config.js';
import { ApiError, badRequest, serviceUnavailable } from '../errors/index.js';
import type { Catalogue, CatalogueEntry } from '../host/catalogue/catalogue.js';
import type { Host } from '../host/host.js';
import type { AppLog } from '../host/monitoring/log.js';
import type { OrganizationCounts } from '../host/monitoring/metrics.js';
import { refusalOf } from '../http/health.js';
import { RateLimiter } from '../http/limits/rate-limit.js';
import type { Exchange } from '../http/reply/exchange.js';
import type { AbsentSite } from '../http/http-site.js';
import type { LeaderAddress } from '../nodes/leadership.js';
import { NEVER } from '../organization/state/scheduled/next-due.js';
import { steadyClock } from '../platform/clock.js';
import { lruOfEntries } from '../platform/lru.js';
import { monotonicTime, wallTime } from '../platform/time.js';
import { setImmediate } from '../platform/timers.js';
import { addressKey } from '../services/auth/address-key.js';
import { inBackground, untold } from '../turns/background.js';
import { Beat } from '../turns/beat.js';
import { FairLimiter, type Claimant } from '../turns/fair-limiter.js';
import { Asleep } from './asleep.js';
import type { Beside, HostedOrganization } from './hosted-organization.js';
import { createLimits, type Limits } from './load-services.js';

/** Loads at once: each yields often, and two of them would only take turns. */
const LOADS_AT_ONCE = 1;
/** Organizations that wait to be loaded. */
const MOST_TO_LOAD = 64;
/** Longest wait for that, milliseconds: clients give up at about the same time. */
const LOAD_WAIT_MS = 30_000;
/** Requests that wait for one organization, each of some kilobytes. */
const MOST_WAITING = 256;
/** Organizations that requests from one address bring into memory: who wants more asks on behalf of nobody. */
const LOADS_BY_ADDRESS = [{ max: 60, seconds: 60 }] as const;
/** Looks for organizations that nobody uses. */
const LOOK_MS = 15_000;
/** One that was used less than this ago stays, whoever else is to be loaded. Milliseconds. */
const LEAST_AWAKE_MS = 60_000;
/** Nor does one leave that would be back so soon. Milliseconds. */
const LEAST_ASLEEP_MS = 5 * 60_000;
/** Pause until one whose time has come is tried again, where none could leave for it. Milliseconds. */
const RETRY_MS = 10_000;
/** Of how many organizations limits are kept that were used lately. */
const MOST_LIMITS = 1000;

/** No other process serves what is in a catalogue, so none asks for it. */
export const NOBODY: LeaderAddress = { host: '127.0.0.1', port: 0 };

/** What happens by itself, or an operator asks for, goes before requests. */
const OURS: Pick<Claimant, 'source' | 'isKnown'> = { source: 'process', isKnown: true };

/** An organization in memory, or on its way there. */
interface Resident {
  readonly name: string;
  readonly organization: HostedOrganization;
  /** Until it serves, or cannot; null before, for one that nobody has asked for. */
  loading: Promise<void> | null;
  isLoaded: boolean;
  /** Requests that wait for it. */
  waiting: number;
  /** Requests that it had when it was last looked at. */
  entered: number;
  /** When it was used last, as far as it was looked. Monotonic milliseconds. */
  usedAt: number;
}

/** Dependencies of {@link Residents}. */
interface ResidentsOptions {
  readonly config: Config;
  readonly host: Host;
  readonly log: AppLog;
  readonly catalogue: () => Catalogue | null;
  /** Makes one, which serves nothing yet. */
  readonly make: (
    entry: CatalogueEntry,
    beside: Pick<Beside, 'awaken' | 'limits'>,
  ) => HostedOrganization;
}

/**
 * Residents decides which organizations of a process are in memory. One that sleeps is its entry in the catalogue and what
 * its store has. A request under its name, the time of what it plans, or a command wakes it: requests wait meanwhile. One
 * that nobody uses for a while sleeps again, the one unused for longest first where there are too many.
 */
export class Residents {
  private readonly awake = new Map<string, Resident>();
  private readonly asleep: Asleep;
  /** Those that are leaving memory: they are among the sleeping already, and their stores are still open. */
  private readonly leaving = new Map<string, Promise<void>>();
  private readonly limits = lruOfEntries<string, Limits>(MOST_LIMITS);
  private readonly turns = new FairLimiter(
    { concurrency: LOADS_AT_ONCE, maxWaiting: MOST_TO_LOAD, maxWaitMs: LOAD_WAIT_MS },
    'Too many organizations are being loaded',
  );
  private readonly byAddress = new RateLimiter<string>(LOADS_BY_ADDRESS, () => steadyClock.now());
  private readonly looks = new Beat(LOOK_MS, () => inBackground(() => this.look(), untold));
  private isLooking = false;
  private isEnding = false;
  /** How many were brought into memory, and how long it took in sum, seconds. */
  private readonly wakes = { count: 0, seconds: 0 };
  /** What those that left had counted: figures of a process never fall. */
  readonly gone = { delivered: 0, indexed: 0 };

  constructor(private readonly options: ResidentsOptions) {
    const { log, host } = options;
    this.asleep = new Asleep(
      (name) => this.due(name),
      (error, name) =>
        log.error({ err: error, organization: name }, 'a sleeping one was not woken'),
    );
    host.server.absent = (hostName) => this.absentAt(hostName);
    host.organizations = () => this.counts;
  }

  /** Those in memory, or on their way. */
  get all(): readonly HostedOrganization[] {
    return [...this.awake.values()].map(({ organization }) => organization);
  }

  get counts(): OrganizationCounts {
    const unavailable = this.all.filter(({ fault }) => fault !== null).length;
    return {
      ...{ loaded: this.awake.size - unavailable, asleep: this.asleep.size, unavailable },
      ...{ wakes: this.wakes.count, wakingSeconds: this.wakes.seconds },
    };
  }

  get(name: string): HostedOrganization | undefined {
    return this.awake.get(name)?.organization;
  }

  isAsleep(name: string): boolean {
    return this.asleep.get(name) !== undefined;
  }

  /** Wakes those whose time comes from now on, and looks for those that nobody uses. */
  start(): void {
    this.asleep.start();
    this.looks.start();
  }

  /** One of the catalogue is served from now on when it is asked for, or its time has come. */
  rest(entry: CatalogueEntry): void {
    this.asleep.add(entry);
  }

  /** One that is in memory for another reason: it is made just now, or cannot be served. */
  add(entry: CatalogueEntry, organization: HostedOrganization): void {
    this.asleep.delete(entry.name);
    this.awake.set(entry.name, this.residentOf(entry.name, organization, true));
  }

  limitsOf(name: string): Limits {
    const known = this.limits.get(name);
    if (known) return known;
    const limits = createLimits(this.options.config);
    this.limits.set(name, limits);
    return limits;
  }

  /** Has an organization in memory. @throws ApiError where it cannot be brought there now */
  async wake(name: string, claim: Pick<Claimant, 'source' | 'isKnown'> = OURS): Promise<void> {
    const entry = this.asleep.get(name);
    const resident = entry ? this.bring(entry) : this.awake.get(name);
    if (resident) await this.load(resident, claim);
  }

  /** Who has a host name. */
  at(hostName: string): string | undefined {
    const asleep = this.asleep.at(hostName);
    if (asleep !== undefined) return asleep;
    const entries = [...this.awake.keys()].map((name) => this.options.catalogue()?.get(name));
    return entries.find((entry) => entry?.address === hostName)?.name;
  }

  /** Takes an organization out of memory. @throws ApiError 400 with the reason where it must stay */
  async sleep(name: string): Promise<void> {
    const resident = this.awake.get(name);
    const why = resident ? await this.leave(resident, 0) : null;
    if (why !== null) throw badRequest(`${name} stays in memory: ${why}`);
    await this.leaving.get(name);
  }

  /** Serves one no more. */
  async remove(name: string): Promise<void> {
    this.asleep.delete(name);
    const resident = this.awake.get(name);
    this.awake.delete(name);
    if (resident) this.options.host.server.remove(resident.organization.site);
    await this.leaving.get(name);
    await resident?.loading?.catch(() => undefined);
    await resident?.organization.stop();
  }

  /** Makes room for one more. @throws ApiError 503 where nobody can leave */
  async makeRoom(): Promise<void> {
    const { awake } = this;
    while (this.loaded >= this.options.config.loadedOrganizations) {
      await this.note();
      const oldestFirst = [...awake.values()].sort((a, b) => a.usedAt - b.usedAt);
      let hasLeft = false;
      for (const one of oldestFirst) {
        if (monotonicTime() - one.usedAt < LEAST_AWAKE_MS) break;
        hasLeft = (await this.leave(one, LEAST_ASLEEP_MS)) === null;
        if (hasLeft) break;
      }
      if (!hasLeft) throw serviceUnavailable('Too many organizations are in use', RETRY_MS / 1000);
      await Promise.all(this.leaving.values());
    }
  }

  /** Brings none any more, and lets none leave. */
  end(): void {
    this.isEnding = true;
    this.looks.stop();
    this.asleep.stop();
  }

  /** Whether one is on its way, in or out. */
  get areMoving(): boolean {
    return this.onTheirWay + this.leaving.size > 0;
  }

  /** Resolves when none is on its way, in or out. */
  async settled(): Promise<void> {
    const loading = [...this.awake.values()].map((one) => one.loading?.catch(() => undefined));
    await Promise.all([...loading, ...this.leaving.values()]);
  }

  private get loaded(): number {
    let count = 0;
    for (const { isLoaded } of this.awake.values()) if (isLoaded) count += 1;
    return count + this.leaving.size;
  }

  private get onTheirWay(): number {
    return this.awake.size + this.leaving.size - this.loaded;
  }

  private absentAt(hostName: string): AbsentSite | null {
    const name = this.asleep.at(hostName);
    if (name === undefined) return null;
    return {
      bring: () => {
        if (this.onTheirWay >= MOST_TO_LOAD) {
          throw serviceUnavailable('Too many organizations are being loaded');
        }
        const resident = this.bring(this.asleep.get(name)!);
        // What is refused before it is served brings nobody.
        setImmediate(() => {
          if (resident.loading === null) this.back(resident);
        });
        return resident.organization.site;
      },
    };
  }

  /** Gives an organization its host name, under which requests wait. */
  private bring(entry: CatalogueEntry): Resident {
    const { name, address } = entry;
    const made = this.options.make(entry, {
      awaken: (exchange) => this.awaken(resident, exchange),
      limits: this.limitsOf(name),
    });
    const resident = this.residentOf(name, made, false);
    this.asleep.delete(name);
    this.awake.set(name, resident);
    this.options.host.server.name(made.site, [address]);
    return resident;
  }

  private residentOf(name: string, organization: HostedOrganization, isLoaded: boolean): Resident {
    const usedAt = monotonicTime();
    return { name, organization, loading: null, isLoaded, waiting: 0, entered: 0, usedAt };
  }

  /** A request waits for its organization. @throws ApiError where no more may */
  private awaken(resident: Resident, exchange: Exchange): Promise<void> | null {
    if (resident.isLoaded) return null;
    if (resident.loading === null) {
      try {
        const source = addressKey(exchange.remoteAddress);
        this.byAddress.consume(source);
        // Each request tells of its failure.
        inBackground(() => this.load(resident, { source }), untold);
      } catch (error) {
        this.back(resident);
        throw error;
      }
    }
    if (resident.waiting >= MOST_WAITING) {
      throw serviceUnavailable('Too many requests wait for this organization');
    }
    resident.waiting += 1;
    return resident.loading!.finally(() => (resident.waiting -= 1));
  }

  private load(resident: Resident, claim: Pick<Claimant, 'source' | 'isKnown'>): Promise<void> {
    const work = async (): Promise<void> => {
      try {
        await this.turns.run({ ...claim, account: resident.name }, () => this.open(resident));
      } catch (error) {
        this.back(resident);
        if (error instanceof ApiError) throw error;
        this.options.log.error(
          { err: error, organization: resident.name },
          'a sleeping organization could not be woken',
        );
        throw refusalOf('unavailable');
      }
    };
    return (resident.loading ??= resident.isLoaded ? Promise.resolve() : work());
  }

  /** At its turn. */
  private async open(resident: Resident): Promise<void> {
    const { name, organization } = resident;
    await this.leaving.get(name);
    await this.makeRoom();
    this.assertGoesOn(resident);
    const began = monotonicTime();
    // Durable before its store is opened: a process that ends from here on opens it at its next start.
    await this.options.catalogue()!.plan(new Map([[name, 0]]));
    this.assertGoesOn(resident);
    await organization.start(async () => NOBODY);
    resident.isLoaded = true;
    resident.usedAt = monotonicTime();
    this.wakes.count += 1;
    this.wakes.seconds += (resident.usedAt - began) / 1000;
  }

  /** @throws ApiError where the process ends, or a command has removed it */
  private assertGoesOn(resident: Resident): void {
    if (this.isEnding || this.awake.get(resident.name) !== resident) throw refusalOf('draining');
  }

  /** One that was not loaded sleeps on. */
  private back({ name, organization }: Resident): void {
    if (this.awake.get(name)?.organization !== organization) return;
    this.options.host.server.remove(organization.site);
    this.awake.delete(name);
    const entry = this.options.catalogue()?.get(name);
    if (entry?.state === 'active') this.asleep.add(entry);
  }

  private due(name: string): void {
    const failed = (): void => {
      if (this.isAsleep(name)) this.asleep.wakeAt(name, wallTime() + RETRY_MS);
    };
    if (!this.isEnding) inBackground(() => this.wake(name), failed);
  }

  /** Notes who is used. */
  private async note(): Promise<void> {
    const waiting = this.options.host.server.waitingBySite();
    for (const resident of this.awake.values()) {
      const { organization, entered } = resident;
      const { site } = organization;
      if (site.entered === entered && !organization.isUsed(waiting)) continue;
      resident.entered = site.entered;
      resident.usedAt = monotonicTime();
    }
  }

  /** Lets those sleep that nobody has used for long. */
  private async look(): Promise<void> {
    const { sleepAfterMs } = this.options.config;
    this.asleep.checkClock();
    if (this.isLooking || sleepAfterMs === null) return;
    this.isLooking = true;
    try {
      await this.note();
      for (const resident of [...this.awake.values()]) {
        if (this.isEnding) return;
        if (monotonicTime() - resident.usedAt < sleepAfterMs) continue;
        await this.leave(resident, LEAST_ASLEEP_MS);
      }
    } finally {
      this.isLooking = false;
    }
  }

  /**
   * Lets one leave memory, if it may: from the decision on it is among the sleeping, and {@link leaving} until its store is
   * closed.
   * @param leastMs it stays where it would have to be back earlier
   * @returns why it stays; null where it leaves
   */
  private async leave(resident: Resident, leastMs: number): Promise<string | null> {
    const { name, organization } = resident;
    const { host, catalogue, log } = this.options;
    const why = (): string | null => {
      if (this.isEnding || this.awake.get(name) !== resident) return 'the server ends';
      const entry = catalogue()?.get(name);
      if (entry?.state !== 'active') return 'a command is changing it';
      if (!resident.isLoaded || !organization.role.leads) return 'it is not in service';
      if (resident.waiting > 0 || organization.isUsed(host.server.waitingBySite())) {
        return 'somebody is connected';
      }
      return entry.warm && leastMs > 0 ? 'it is warm' : null;
    };
    const before = why();
    if (before !== null) return before;
    const { entered } = organization.site;
    const due = await organization.nextDue();
    if (due < wallTime() + leastMs) {
      return due < wallTime() ? 'something is under way' : 'something is due';
    }
    // Nobody came while it was asked. From here on nobody can, until it is among the sleeping.
    const after = why();
    if (after !== null) return after;
    if (organization.site.entered !== entered) return 'somebody is connected';
    host.server.remove(organization.site);
    this.awake.delete(name);
    // Not before its time is known; a process that ends meanwhile opens it at its next start.
    this.asleep.add({ ...catalogue()!.get(name)!, wake_at: null });
    const left = this.close(resident)
      .catch((error: unknown) => {
        log.error({ err: error, organization: name }, 'it did not fall asleep in order');
        // It is opened anew: nobody knows what it plans.
        if (this.isAsleep(name)) this.asleep.wakeAt(name, wallTime());
      })
      .finally(() => this.leaving.delete(name));
    this.leaving.set(name, left);
    return null;
  }

  private async close({ name, organization }: Resident): Promise<void> {
    const figures = organization.figures();
    this.gone.delivered += figures?.delivered ?? 0;
    this.gone.indexed += figures?.search.indexed ?? 0;
    await organization.sleep();
    const time = wakeAtOf(organization);
    if (!this.isAsleep(name)) return;
    await this.options.catalogue()!.plan(new Map([[name, time]]));
    const entry = this.options.catalogue()!.get(name);
    if (this.isAsleep(name) && entry?.state === 'active') this.asleep.add(entry);
  }
}

/** When one that has ended must be in memory again, as the catalogue has it. */
export function wakeAtOf({ plannedNext }: HostedOrganization): number | null {
  if (plannedNext === NEVER) return null;
  return Math.max(0, plannedNext);
}
