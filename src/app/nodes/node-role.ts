import { pause, jittered, LeaderLease } from './leader-lease.js';
import { refusalOf, type Health, type NodeHealth } from '../../http/health.js';
import type { HttpServer } from '../../http/server.js';
import { assertNotNewer, canFollow, NewerStoreError } from '../../organization/state/software.js';
import { DamagedError, FencedError, isStoreAway, StoreReadOnlyError } from '../../store/port.js';
import { MissingOrganizationError } from '../data-folder/first-start.js';
import { FollowerTerm } from './follower-term.js';
import { NothingToFollowError } from './following.js';
import { seenOf } from '../history/history-check.js';
import type { LeadingNode } from './internal-calls.js';
import { ForeignSecretError } from '../data-folder/key-secret.js';
import { Leadership, MustReloadError, type LeaderAddress } from './leadership.js';
import type { NodeFigures } from './node-metrics.js';
import type { NodeParts } from './node-parts.js';
import { OrganizationService } from './organization-service.js';
import { NODE_ID, RoleReports, shortId, type RoleReportsOptions } from './role-reports.js';

/** Pause between two attempts to reach the store, and longest one between two to take the lease. */
export const ATTEMPT_MS = 1000;
/** Attempts to take the lease within its duration: a dead leader is replaced soon after it ends. */
const ATTEMPTS = 8;
const LEAST_PAUSE_MS = 20;
/** Dependencies of {@link NodeRole}. */
interface NodeRoleOptions extends RoleReportsOptions {
  readonly server: HttpServer;
  /** Aborts when the process ends. */
  readonly ending: AbortSignal;
  /** The socket for the operator's commands, open while this node leads. */
  readonly admin: { open(): void; close(): void };
}

/** What a node needs of its surroundings once the store is there. */
export interface NodeSurroundings {
  readonly parts: NodeParts;
  /** The key that nodes of one organization show one another. */
  readonly key: string;
  /** Where other nodes reach this one. */
  readonly address: LeaderAddress;
  /** Called when the process leads, follows or waits for the store. */
  readonly settled: () => void;
}

/**
 * NodeRole decides what a node does: it follows until it gets the lease, leads until it loses it, and so on
 * until the process ends (architecture.md#leadership).
 */
export class NodeRole {
  private health: Health = 'starting';
  private lease: LeaderLease | undefined;
  /** While this node leads. */
  private term: Leadership | undefined;
  /** The term in which the process ended. */
  private ended: Leadership | undefined;
  /** Why nobody can lead now; null where somebody does, or could. */
  private unled: StoreReadOnlyError | null = null;
  /** While this node follows. */
  private follower: FollowerTerm | undefined;
  /** What this node serves or loads, as the leader or as a follower. */
  private organization: OrganizationService | undefined;
  /** Resolves when the term is over. */
  private termOver: () => void = () => undefined;
  private readonly reports: RoleReports;

  constructor(private readonly options: NodeRoleOptions) {
    this.reports = new RoleReports(options);
  }

  /** What this node serves now. */
  get served(): OrganizationService | undefined {
    return this.organization;
  }

  /** Null while this node does not lead. */
  get leading(): LeadingNode | null {
    return this.leads ? { leadership: this.term!, served: this.organization! } : null;
  }

  /** Null while this node serves nothing. */
  get figures(): NodeFigures | null {
    if (this.health !== 'ready') return null;
    return this.leads ? this.term!.figures() : (this.follower?.figures() ?? null);
  }

  /** Whether this node leads, whatever the state of its store. */
  get leads(): boolean {
    return this.health === 'ready' && this.term !== undefined && (this.lease?.holds ?? false);
  }

  /** Which requests can be served now. */
  state(): Health {
    if (this.health !== 'ready') return this.health;
    if (this.follower && !this.term) return this.follower.state;
    return this.term?.health ?? 'unavailable';
  }

  /** Fields of `/health` beside the state. */
  nodeHealth(): NodeHealth {
    const { leads, follower, organization } = this;
    // One that has lost the lease does not know who has it.
    const leader = leads || !this.term ? organization?.org.leader.get('leader')?.node : undefined;
    const known = { node: shortId(NODE_ID), leader: leader === undefined ? null : shortId(leader) };
    if (leads) return { role: 'leader', ...known, position: this.term!.position, lag_ms: 0 };
    if (this.health !== 'ready' || !follower) {
      return { role: null, ...known, position: null, lag_ms: null, ...organization?.progress };
    }
    const { position, staleness } = follower;
    return { role: 'follower', ...known, position, lag_ms: Math.round(staleness) };
  }

  /** Whether other nodes follow this one, one of which takes over when it ends. */
  get isFollowed(): boolean {
    return this.leads && this.term!.homes.hasOthers;
  }

  /** Refuses everything from now on: the process ends. */
  drain(): void {
    this.health = 'draining';
  }

  /** Ends all polls and sockets; their clients reconnect with their cursors. */
  release(): void {
    this.organization?.release();
  }

  /** Ends the role after everything pending is durable, without giving the lease back. */
  async close(): Promise<void> {
    const { term, follower } = this;
    this.options.admin.close();
    this.term = undefined;
    this.ended = term;
    if (term) await term.close();
    else follower?.stop();
    this.termOver();
  }

  /** Keeps the index of messages for the next start, once the role has ended and the lease is given back. */
  async keepIndex(): Promise<void> {
    await this.ended?.keepIndex();
  }

  /** Gives the lease back. */
  async releaseLease(): Promise<void> {
    await this.lease?.release();
  }

  /** Follows and leads until the process ends. @throws Error when no later attempt can succeed */
  async run(surroundings: NodeSurroundings): Promise<void> {
    while (!this.isEnding) {
      const lease = await this.takeRole(surroundings);
      if (!lease) return;
      await this.serve(surroundings, lease);
      this.reports.renewed();
      // At the end of the process, it is released after the store was flushed.
      if (!this.isEnding) await lease.release();
    }
  }

  /** The node serves nothing, and waits for another process or for its store. */
  waits(health: 'follower' | 'unavailable', error: unknown): void {
    this.health = health;
    if (health === 'follower') this.reports.standsBy();
    else this.reports.waits(error);
  }

  private get isEnding(): boolean {
    return this.options.ending.aborted;
  }

  /**
   * Follows until no other process has the role; null when the process ends.
   * @throws ForeignSecretError, DamagedError, NewerStoreError
   */
  private async takeRole(surroundings: NodeSurroundings): Promise<LeaderLease | null> {
    const { parts, key, settled } = surroundings;
    const { config, ending } = this.options;
    const { store, secret, firstStart } = parts;
    const attemptMs = Math.min(ATTEMPT_MS, config.leaseMs / ATTEMPTS);
    while (!this.isEnding) {
      try {
        // Before the lease: a process that may not lead must not keep others from it.
        await secret.assertFits(store);
        await firstStart.assertPresent(store);
        const lease = await this.takeLease(parts);
        if (lease) return lease;
        if (!this.follower) {
          await this.follow(parts, key);
          settled();
        }
        await this.observe(parts);
        const freed = this.unled
          ? pause(attemptMs, ending)
          : store.leaseFreed(jittered(attemptMs), ending);
        await (this.follower?.unlessEnded(freed) ?? freed);
        // Prevents a busy loop where the wait above resolves at once.
        await pause(LEAST_PAUSE_MS, this.options.ending);
      } catch (error) {
        if (isFinal(error)) throw error;
        if (this.follower && !this.follower.hasFailed && isStoreAway(error)) {
          // It serves what it has, as long as that is fresh.
          await pause(attemptMs, this.options.ending);
          continue;
        }
        this.dropFollower(error);
        this.waits('unavailable', error);
        settled();
        await pause(ATTEMPT_MS, this.options.ending);
      }
    }
    return null;
  }

  /** Null where another node leads, or nobody can. */
  private async takeLease({ store }: NodeParts): Promise<LeaderLease | null> {
    try {
      const lease = await LeaderLease.take({
        store,
        holder: NODE_ID,
        leaseMs: this.options.config.leaseMs,
        renewalFailed: (error) => this.reports.notRenewed(error),
        renewed: () => this.reports.renewed(),
      });
      this.unled = null;
      return lease;
    } catch (error) {
      if (!(error instanceof StoreReadOnlyError)) throw error;
      this.unled = error;
      this.reports.notRenewed(error);
      return null;
    }
  }

  /** Nothing can be followed now. */
  private standBy(): void {
    if (this.unled) this.waits('unavailable', this.unled);
    else this.waits('follower', null);
  }

  /** Loads and serves the organization that another node leads; stands by where that cannot be done yet. */
  private async follow(parts: NodeParts, key: string): Promise<void> {
    if (!this.options.config.allowNewerStore) await assertNotNewer(parts.store);
    if (!(await canFollow(parts.store))) {
      this.standBy();
      return;
    }
    const follower = new FollowerTerm(parts, key, () => this.unled !== null);
    this.organization = follower.served;
    try {
      await follower.begin();
    } catch (error) {
      follower.stop();
      this.organization = undefined;
      if (!(error instanceof NothingToFollowError)) throw error;
      this.standBy();
      return;
    }
    if (this.isEnding) {
      follower.stop();
      return;
    }
    this.follower = follower;
    parts.firstStart.found();
    // Still served while this node begins to lead.
    this.options.server.serve({ ...follower.service, health: () => this.state() });
    this.health = 'ready';
    this.reports.follows(parts, this.unled);
  }

  private dropFollower(error: unknown): void {
    const { follower } = this;
    if (!follower) return;
    this.options.log.warn(
      { err: error },
      'following the journal failed: loading the organization again',
    );
    this.follower = undefined;
    this.organization = undefined;
    this.health = 'unavailable';
    this.options.server.withdraw(refusalOf('unavailable'));
    follower.stop();
  }

  /** Records the store's position while another process leads, because this one may take over at any time. */
  private async observe({ store, witness, firstStart, besideStore }: NodeParts): Promise<void> {
    // Processes of one folder share one witness file.
    if (besideStore) return;
    const seen = await seenOf(store, witness.seen);
    if (seen === null) return;
    firstStart.found();
    witness.record(seen);
    await witness.save();
  }

  /** One term, from taking the role to losing it. @throws Error when no later term can succeed */
  private async serve(surroundings: NodeSurroundings, lease: LeaderLease): Promise<void> {
    const { parts, settled } = surroundings;
    if (this.health !== 'starting' && !this.follower) this.health = 'unavailable';
    const over = new Promise<void>((resolve) => (this.termOver = resolve));
    this.lease = lease;
    try {
      const { term, password } = await this.lead(surroundings, lease);
      if (this.term === term && !this.isEnding) {
        parts.firstStart.found();
        this.open(parts, term, password);
        settled();
      }
    } catch (error) {
      const { term } = this;
      // Errors of a term that is over do not matter, nor those of one that did not begin.
      if (!term) return;
      this.drop(term);
      if (!mayBecomeAvailable(error) && !(error instanceof FencedError)) {
        // So that other processes need not wait for the lease to expire.
        await lease.release();
        throw error;
      }
      this.waits('unavailable', error);
      await pause(ATTEMPT_MS, this.options.ending);
    }
    await over;
  }

  /** Leads with the organization that this node has followed, or loads it. */
  private async lead(
    { parts, address }: NodeSurroundings,
    lease: LeaderLease,
  ): Promise<{ term: Leadership; password: string | null }> {
    const { follower } = this;
    const begin = (served: OrganizationService, follows: boolean): Leadership => {
      const term = new Leadership(parts, served, lease, address, follows);
      this.term = term;
      this.organization = served;
      lease.onLost((error) => this.depose(term, error));
      return term;
    };
    if (follower) {
      try {
        const term = begin(await this.unlessEnding(follower.promote()), true);
        await term.takeOver(follower.position);
        this.follower = undefined;
        follower.promoted();
        return { term, password: null };
      } catch (error) {
        // Also where the term was dropped meanwhile, which does not know of what the follower has beside it.
        follower.stop();
        if (this.isEnding) throw error;
        this.dropFollower(error);
        if (!(error instanceof MustReloadError) && !follower.hasFailed) throw error;
        this.term = undefined;
      }
    }
    const term = begin(new OrganizationService(parts), false);
    return { term, password: await term.begin() };
  }

  /** @throws Error when the process ends meanwhile: what follows no more reaches no position */
  private async unlessEnding<T>(work: Promise<T>): Promise<T> {
    const { ending } = this.options;
    const ended = new Promise<never>((_resolve, reject) => {
      const end = (): void => reject(new Error('The process ends'));
      if (ending.aborted) end();
      else ending.addEventListener('abort', end, { once: true });
    });
    return Promise.race([work, ended]);
  }

  /** Starts to serve requests with a loaded organization. */
  private open(parts: NodeParts, term: Leadership, password: string | null): void {
    this.options.server.serve(term.service);
    this.health = 'ready';
    this.options.admin.open();
    this.reports.leads(parts, password);
  }

  /** The lease is lost: drops the term, whose state may be stale. */
  private depose(term: Leadership, error: Error): void {
    if (this.term !== term) return;
    this.options.log.warn({ err: error }, 'the role of the leader was lost');
    this.drop(term);
  }

  /** Drops a term; the next attempt to take the lease finds out whether another process leads. */
  private drop(term: Leadership): void {
    this.health = 'unavailable';
    this.options.admin.close();
    this.options.server.withdraw(refusalOf('unavailable'));
    this.term = undefined;
    this.lease = undefined;
    this.follower = undefined;
    this.organization = undefined;
    term.abandon();
    this.termOver();
  }
}

/** Whether no later attempt can succeed. */
function isFinal(error: unknown): boolean {
  const kinds = [ForeignSecretError, DamagedError, NewerStoreError];
  return kinds.some((kind) => error instanceof kind);
}

/** Whether an attempt failed because the store is away or without its organization, so that waiting may help. */
export function mayBecomeAvailable(error: unknown): boolean {
  return isStoreAway(error) || error instanceof MissingOrganizationError;
}
