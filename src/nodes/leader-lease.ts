import { random } from '../platform/randomness.js';
import { Elapsed } from '../platform/clock.js';
import { pause as sleep, setTimeout, clearTimeout } from '../platform/timers.js';
import {
  FencedError,
  LostWritesError,
  StoreReadOnlyError,
  StoreUnavailableError,
  type Lease,
  type Store,
} from '../store/port.js';
import { inBackground, untold } from '../turns/background.js';
import { tooFewReplicas } from '../store/too-few-replicas.js';
import { Beat } from '../turns/beat.js';
import { SharedRun } from '../turns/shared-run.js';

/** Options of {@link LeaderLease}. */
interface LeaderLeaseOptions {
  readonly store: Store;
  /** Name of this process, shown to operators who inspect the store. */
  readonly holder: string;
  /** How long the lease lasts without renewal. Milliseconds. */
  readonly leaseMs: number;
  /** Token of another's lease that this one takes the place of. */
  readonly insteadOf?: number | undefined;
  /** Called when a renewal failed although nobody else is known to lead. */
  readonly renewalFailed: (error: unknown) => void;
  /** Called after each renewal. */
  readonly renewed: () => void;
}

/** Renewals per lease: two may fail before another process can take the role, and one may be late. */
const RENEWALS = 4;
/** How soon a renewal that failed is tried again: so many times within a lease. */
const ATTEMPTS = 12;
/**
 * Durations after which a lease that could not be renewed is given up. Nothing is answered from its first one on;
 * but where nobody else can reach the store either, loading everything anew for each short outage would
 * make it longer.
 */
const DURATIONS = 6;

/** The lease could not be renewed for long, and the store does not say whether another has it. */
class LeaseExpiredError extends Error {
  constructor() {
    super('The lease ran out and could not be renewed');
    this.name = 'LeaseExpiredError';
  }
}

/**
 * The lease of the writer role, renewed until it is lost or released (architecture.md#leadership). Its time counts from
 * before the request to the store, so that it never expires later here than in the store. One that expired is renewed
 * all the same: it goes on unless another process has taken the role since, which the store knows. Until then it does
 * not hold; after six durations it is lost. Those are counted while this process runs: one that was suspended, or whose
 * clock was set, asks the store first. In a store that can only be read nobody can take the role either: the lease
 * holds as long as the store says that nobody has.
 */
export class LeaderLease {
  private until: Deadline;
  private over: Error | null = null;
  private renewing = false;
  /** Beats since the last renewal. */
  private beats = 0;
  private readonly beat: Beat;
  private again: NodeJS.Timeout | undefined;
  private readonly listeners: ((error: Error) => void)[] = [];
  private readonly looks = new SharedRun(() => this.confirm());

  private constructor(
    readonly lease: Lease,
    private readonly options: LeaderLeaseOptions,
    asked: Deadline,
  ) {
    this.until = asked;
    this.beat = new Beat(options.leaseMs / RENEWALS, () => this.renewOrLose());
    this.beat.start();
  }

  /** Asks for the role once; null while another has it. @throws what the store throws, StoreReadOnlyError too */
  static async take(options: LeaderLeaseOptions): Promise<LeaderLease | null> {
    const asked = new Deadline(options);
    const { store, holder, leaseMs, insteadOf } = options;
    const lease = await store.acquireLease(holder, leaseMs, insteadOf);
    return lease && new LeaderLease(lease, options, asked);
  }

  /**
   * Whether the lease is valid at this moment. Called at every request, because a process that was suspended, or that got
   * no processor, reads its sockets before its timers fire; the store is asked only where the lease ran out.
   */
  get holds(): boolean {
    if (this.over !== null) return false;
    return !this.until.isOver || this.isNewest;
  }

  /** Whether the store says at once that nobody has taken the role; false where it cannot. */
  private get isNewest(): boolean {
    try {
      return this.options.store.isNewest?.(this.lease) ?? false;
    } catch {
      return false;
    }
  }

  /** Calls `listener` once when the lease is lost; not when it is released. */
  onLost(listener: (error: Error) => void): void {
    if (this.over) listener(this.over);
    else this.listeners.push(listener);
  }

  /** Ends the lease locally, e.g. because a commit was fenced off. */
  lose(error: Error): void {
    if (this.over) return;
    this.over = error;
    this.stop();
    for (const listener of this.listeners) listener(error);
  }

  /**
   * Asks the store whether it still has the lease, with everything that was committed under it. A store that can only
   * be read lost neither, and one whose replicas follow another has lost both, perhaps.
   * @throws FencedError where it does not, which ends the lease; StoreUnavailableError
   */
  async confirm(): Promise<void> {
    const { store, leaseMs } = this.options;
    try {
      await (store.confirmLease?.(this.lease, leaseMs) ?? store.renewLease(this.lease, leaseMs));
    } catch (error) {
      if (error instanceof FencedError) this.lose(error);
      if (!(error instanceof StoreReadOnlyError)) throw error;
    }
  }

  /**
   * As `confirm`, for an answer that rests on this node being the leader: those that come meanwhile share the next one.
   * @throws StoreUnavailableError where it may not be
   */
  async confirmAnswer(): Promise<void> {
    const missing = tooFewReplicas(this.options.store);
    if (missing) throw missing;
    try {
      await this.looks.begun();
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      throw new StoreUnavailableError('Another node leads', error);
    }
  }

  /**
   * Releases the lease, so that a successor need not wait. Does not wait for a store that is away. Keeps the
   * lease in a store that lost commits: this process should lead again, because no other knows of them.
   */
  async release(): Promise<void> {
    if (this.over instanceof LostWritesError) return;
    this.over ??= new Error('The lease was given up');
    this.stop();
    await this.options.store.releaseLease(this.lease).catch(() => undefined);
  }

  private stop(): void {
    this.beat.stop();
    clearTimeout(this.again);
  }

  private renewOrLose(): void {
    this.beats += 1;
    const isForgotten = this.beats > DURATIONS * RENEWALS;
    if (isForgotten && this.options.store.leasesExpire) this.lose(new LeaseExpiredError());
    else if (!this.renewing) inBackground(() => this.renew(), untold);
  }

  private async renew(): Promise<void> {
    const { store, leaseMs, renewalFailed, renewed } = this.options;
    this.renewing = true;
    const asked = new Deadline(this.options);
    try {
      await store.renewLease(this.lease, leaseMs);
      this.until = asked;
      this.beats = 0;
      renewed();
    } catch (error) {
      // Nobody else can take the role either.
      if (error instanceof StoreReadOnlyError) this.beats = 0;
      if (error instanceof FencedError) this.lose(error);
      else if (!this.over) {
        renewalFailed(error);
        this.renewSoon();
      }
    } finally {
      this.renewing = false;
    }
  }

  private renewSoon(): void {
    clearTimeout(this.again);
    this.again = setTimeout(() => {
      if (!this.renewing) inBackground(() => this.renew(), untold);
    }, this.options.leaseMs / ATTEMPTS).unref();
  }
}

/** End of a lease requested now. */
class Deadline {
  private readonly elapsed = new Elapsed();

  constructor(private readonly options: LeaderLeaseOptions) {}

  /** Whether the lease has run out. */
  get isOver(): boolean {
    const { store, leaseMs } = this.options;
    if (!store.leasesExpire) return false;
    return this.elapsed.ms >= leaseMs;
  }
}

/** A random time around `ms`, so that waiting processes do not try at the same moment. */
export function jittered(ms: number): number {
  return ms * (0.75 + random() / 2);
}

/** Waits about `ms`; ends early when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return fullPause(jittered(ms), signal);
}

/** Waits `ms`, no less; ends early when the signal aborts. */
export async function fullPause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
