import { setTimeout as sleep } from 'node:timers/promises';
import { FencedError, LostWritesError, type Lease, type Store } from '../store/port.js';

/** What a tenure is made of. */
export interface LeaderLeaseOptions {
  readonly store: Store;
  /** Who holds the lease, for whoever looks into the store. */
  readonly holder: string;
  /** How long the lease lasts without renewal. Milliseconds. */
  readonly leaseMs: number;
  /** A renewal failed, and the lease still runs. */
  readonly renewalFailed: (error: unknown) => void;
}

/** Renewals per lease: two may be lost before anybody else can take the role. */
const RENEWALS = 3;

/** The lease ran out by the clock of its holder, who cannot know whether another has taken it since. */
class LeaseExpiredError extends Error {
  constructor() {
    super('The lease ran out before it could be renewed');
    this.name = 'LeaseExpiredError';
  }
}

/**
 * A hold on the writer role, renewed until it is lost or given up (architecture.md#leadership). Counts
 * from before the store was asked, so that it never ends later here than in the store.
 */
export class LeaderLease {
  private until: Deadline;
  private over: Error | null = null;
  private renewing = false;
  private readonly timer: NodeJS.Timeout;
  private readonly listeners: ((error: Error) => void)[] = [];

  private constructor(
    readonly lease: Lease,
    private readonly options: LeaderLeaseOptions,
    asked: Deadline,
  ) {
    this.until = asked;
    this.timer = setInterval(() => this.tend(), options.leaseMs / RENEWALS / 4);
    this.timer.unref();
  }

  /** Asks for the role once; null while another has it. @throws what the store throws */
  static async take(options: LeaderLeaseOptions): Promise<LeaderLease | null> {
    const asked = new Deadline(options);
    const lease = await options.store.acquireLease(options.holder, options.leaseMs);
    return lease && new LeaderLease(lease, options, asked);
  }

  /**
   * Whether the role is surely held at this moment. Asked at every request, so it looks at the cheaper
   * clock only: a process that stood still reads its sockets before its timers look at both.
   */
  get holds(): boolean {
    const { at } = this.until;
    return this.over === null && (at === Infinity || Date.now() < at);
  }

  /** Calls `listener` once when the role is lost; not when it is given up. */
  onLost(listener: (error: Error) => void): void {
    if (this.over) listener(this.over);
    else this.listeners.push(listener);
  }

  /** Ends the hold here, e.g. because a commit was fenced off. */
  lose(error: Error): void {
    if (this.over) return;
    this.over = error;
    clearInterval(this.timer);
    for (const listener of this.listeners) listener(error);
  }

  /**
   * Gives the role up, so that a successor need not wait. A store that is away does not keep us. One that
   * forgot commits is not told: this process is to have the role again, as nobody else knows of them.
   */
  async release(): Promise<void> {
    if (this.over instanceof LostWritesError) return;
    this.over ??= new Error('The lease was given up');
    clearInterval(this.timer);
    await this.options.store.releaseLease(this.lease).catch(() => undefined);
  }

  private tend(): void {
    if (this.until.passed) this.lose(new LeaseExpiredError());
    else if (!this.renewing && this.until.isOld) void this.renew();
  }

  private async renew(): Promise<void> {
    const { store, leaseMs, renewalFailed } = this.options;
    this.renewing = true;
    const asked = new Deadline(this.options);
    try {
      await store.renewLease(this.lease, leaseMs);
      // Too late: meanwhile it had run out, and requests were refused for it.
      if (this.until.passed) this.lose(new LeaseExpiredError());
      else this.until = asked;
    } catch (error) {
      if (error instanceof FencedError) this.lose(error);
      else if (!this.over) renewalFailed(error);
    } finally {
      this.renewing = false;
    }
  }
}

/**
 * When a lease asked for now ends. By two clocks, whichever is further: the steady one stands still
 * while a machine sleeps, the wall clock may be set back.
 */
class Deadline {
  private readonly steady = performance.now();
  private readonly wall = Date.now();
  /** By the wall clock, milliseconds since 1970. */
  readonly at: number;

  constructor(private readonly options: LeaderLeaseOptions) {
    this.at = options.store.leasesExpire ? this.wall + options.leaseMs : Infinity;
  }

  get passed(): boolean {
    return this.options.store.leasesExpire && this.elapsed >= this.options.leaseMs;
  }

  /** Time to renew. */
  get isOld(): boolean {
    return this.elapsed >= this.options.leaseMs / RENEWALS;
  }

  private get elapsed(): number {
    return Math.max(performance.now() - this.steady, Date.now() - this.wall);
  }
}

/** About as long, so that several who wait do not come at the same moment. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}

/** A pause between two attempts, about as long; ends early when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(jittered(ms), undefined, { signal }).catch(() => undefined);
}
