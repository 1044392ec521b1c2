import { roleOver, startNodeRole, type NodeRoleState } from '../../actors/node-role.js';
import { fullPause, pause, jittered, LeaderLease } from './leader-lease.js';
import { refusalOf, type Health, type NodeHealth } from '../http/health.js';
import type { HttpSite } from '../http/http-site.js';
import { NOW } from '../organization/state/scheduled/next-due.js';
import { assertNotNewer, canFollow, NewerStoreError } from '../organization/state/software.js';
import { DamagedError, FencedError, isStoreAway, StoreReadOnlyError } from '../store/port.js';
import { MissingOrganizationError } from './history/first-start.js';
import { FollowerTerm } from './follower-term.js';
import { NothingToFollowError } from './following.js';
import { observe, OutdatedLeaderError } from './history/history-check.js';
import { UnreadableWitnessError } from './history/witness.js';
import type { LeadingNode } from './internal-calls.js';
import { ForeignSecretError } from './history/key-secret.js';
import { Leadership, MustReloadError, type LeaderAddress } from './leadership.js';
import type { NodeFigures } from '../host/monitoring/node-metrics.js';
import type { NodeParts } from './node-parts.js';
import { OrganizationService } from './service/organization-service.js';
import { NODE_ID, shortId } from '../host/node-id.js';
import { RoleReports, type RoleReportsOptions } from './role-reports.js';

/** Pause between two attempts to reach the store, and longest one between two to take the lease. */
export const ATTEMPT_MS = 1000;
/** Attempts to take the lease within its duration: a dead leader is replaced soon after it ends. */
const ATTEMPTS = 8;
const LEAST_PAUSE_MS = 20;
/** Clocks of two nodes run apart by less than this. */
const DRIFT = 1.02;
/** Between two attempts of a follower whose store tells when the lease is free: a precaution, which costs a millisecond. */
const TOLD_MS = 10_000;
/** Dependencies of {@link NodeRole}. */
interface NodeRoleOptions extends RoleReportsOptions {
  readonly site: HttpSite;
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
 * NodeRole does what the [machine](../../../actors/node-role.ts) of this process decides: it follows until it gets the
 * lease, leads until it loses it, and so on until the process ends (architecture.md#leadership).
 */
export class NodeRole {
  /** What this node loads or follows, until it leads with it. */
  private follower: FollowerTerm | undefined;
  /** From when it begins to lead until that is lost, or the process has ended. */
  private term: Leadership | undefined;
  /** Whether it has followed or led: other nodes may serve queues that it loads. */
  private hasServed = false;
  private readonly reports: RoleReports;
  private readonly actor = startNodeRole({
    // Still served while this node begins to lead.
    follow: () =>
      this.options.site.serve({ ...this.follower!.service, health: () => this.state() }),
    lead: () => {
      this.options.site.serve(this.term!.service);
      this.options.admin.open();
    },
    drop: () => this.drop(),
  });

  constructor(private readonly options: NodeRoleOptions) {
    this.reports = new RoleReports(options);
  }

  /** What this node does, as the machine names it. */
  get name(): NodeRoleState {
    return this.actor.getSnapshot().value;
  }

  /** What this node serves or loads now, as the leader or as a follower. */
  get served(): OrganizationService | undefined {
    return this.term?.served ?? this.follower?.served;
  }

  /** Null while this node does not lead. */
  get leading(): LeadingNode | null {
    return this.leads ? { leadership: this.term!, served: this.term!.served } : null;
  }

  /** Null while this node serves nothing. */
  get figures(): NodeFigures | null {
    return this.leads ? this.term!.figures() : (this.followed?.figures() ?? null);
  }

  /** Whether this node leads, whatever the state of its store. */
  get leads(): boolean {
    return this.name === 'leading' && (this.term?.lease.holds ?? false);
  }

  /** Which requests can be served now. */
  state(): Health {
    const { value, context } = this.actor.getSnapshot();
    if (value === 'waiting' || value === 'beginning') return context.idle;
    if (this.isEnding) return 'draining';
    return this.term?.health ?? this.follower?.state ?? 'unavailable';
  }

  /** Fields of `/health` beside the state. */
  nodeHealth(): NodeHealth {
    const { leads, term, followed, served } = this;
    // One that has lost the lease does not know who has it.
    const leader = leads || !term ? served?.org.leader.get('leader')?.node : undefined;
    const known = { node: shortId(NODE_ID), leader: leader === undefined ? null : shortId(leader) };
    const { size } = served?.org.setAside ?? { size: 0 };
    const replicas = leads ? served?.parts.store.replicas : followed?.replicas;
    const further = {
      ...(replicas ? { store_replicas: replicas } : {}),
      ...(size === 0 ? {} : { set_aside: size }),
    };
    if (leads) return { role: 'leader', ...known, position: term!.position, lag_ms: 0, ...further };
    if (!followed) {
      return { role: null, ...known, position: null, lag_ms: null, ...served?.progress };
    }
    const { position, staleness } = followed;
    return { role: 'follower', ...known, position, lag_ms: Math.round(staleness), ...further };
  }

  /** Whether other nodes follow this one, one of which takes over when it ends. */
  get isFollowed(): boolean {
    return this.leads && this.term!.homes.hasOthers;
  }

  /** Refuses everything from now on: the process ends. */
  drain(): void {
    this.actor.send({ type: 'drain' });
  }

  /** When the organization must be in memory next; {@link NOW} where this node does not lead. */
  async nextDue(): Promise<number> {
    return this.term?.nextDue() ?? NOW;
  }

  /** Position of the newest durable entry of the term, also once it is closed; null without one. */
  get termPosition(): number | null {
    return this.term?.position ?? null;
  }

  /** Ends all polls and sockets; their clients reconnect with their cursors. */
  release(): void {
    this.served?.release();
  }

  /** Ends the role after everything pending is durable, without giving the lease back. */
  async close(): Promise<void> {
    this.options.admin.close();
    if (this.term) await this.term.close();
    else this.follower?.stop();
    this.actor.send({ type: 'end' });
  }

  /** Keeps the index of messages for the next start, once the role has ended and the lease is given back. */
  async keepIndex(): Promise<void> {
    await this.term?.keepIndex();
  }

  /** Gives the lease back. */
  async releaseLease(): Promise<void> {
    await this.term?.lease.release();
  }

  /** Follows and leads until the process ends. @throws Error when no later attempt can succeed */
  async run(surroundings: NodeSurroundings): Promise<void> {
    while (!this.isEnding) {
      const lease = await this.takeRole(surroundings);
      if (!lease) return;
      await this.serve(surroundings, lease);
      this.reports.renewed();
      // At the end of the process, that of a term is released after the store was flushed.
      if (!this.term) await lease.release();
    }
  }

  /** What this node needs or had is not there: it serves nothing, and waits. */
  waits(error: unknown): void {
    this.actor.send({ type: 'lost' });
    this.reports.waits(error);
  }

  private get isEnding(): boolean {
    return this.name === 'draining' || this.name === 'ended';
  }

  /** Whether this node has the lease, and does not lead yet. */
  private get begins(): boolean {
    return this.actor.getSnapshot().hasTag('begins');
  }

  /** What this node serves as a follower. */
  private get followed(): FollowerTerm | undefined {
    return this.actor.getSnapshot().hasTag('follows') ? this.follower : undefined;
  }

  /** Why nobody can lead now; null where somebody does, or could. */
  private get unled(): Error | null {
    return this.actor.getSnapshot().context.unled;
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
    let outdated: number | null = null;
    while (!this.isEnding) {
      const insteadOf = outdated;
      outdated = null;
      try {
        // Before the lease: a process that may not lead must not keep others from it.
        await secret.assertFits(store);
        await firstStart.assertPresent(store);
        const lease = await this.takeLease(parts, insteadOf);
        // The former leader answers until its time is over, where it does not hear of this one.
        if (lease && insteadOf !== null) await fullPause(DRIFT * config.leaseMs, ending);
        if (lease) return lease;
        if (this.name === 'waiting') {
          await this.follow(parts, key);
          settled();
        }
        await this.observe(parts);
        const freed = this.unled
          ? pause(attemptMs, ending)
          : store.leaseFreed(
              jittered(this.followed && store.tellsLeaseEnd ? TOLD_MS : attemptMs),
              ending,
            );
        await (this.followed?.unlessEnded(freed) ?? freed);
        // Prevents a busy loop where the wait above resolves at once.
        await pause(LEAST_PAUSE_MS, ending);
      } catch (error) {
        if (isFinal(error)) throw error;
        if (this.followed && !this.followed.hasFailed && isStoreAway(error)) {
          // It serves what it has, as long as that is fresh.
          await pause(attemptMs, ending);
          continue;
        }
        if (this.followed) this.followsNoMore(error);
        this.waits(error);
        settled();
        // Who has seen what is gone takes the lead, and begins another history: until then positions are given again.
        if (error instanceof OutdatedLeaderError) outdated = error.leader;
        await pause(outdated === null ? ATTEMPT_MS : attemptMs, ending);
      }
    }
    return null;
  }

  /**
   * Null where another node leads, or nobody can.
   * @param insteadOf token of a leader that must not go on; null: none
   */
  private async takeLease(
    { store }: NodeParts,
    insteadOf: number | null,
  ): Promise<LeaderLease | null> {
    try {
      const lease = await LeaderLease.take({
        store,
        insteadOf: insteadOf ?? undefined,
        holder: NODE_ID,
        leaseMs: this.options.config.leaseMs,
        renewalFailed: (error) => this.reports.notRenewed(error),
        renewed: () => this.reports.renewed(),
      });
      if (!lease) this.actor.send({ type: 'refused', unled: null });
      return lease;
    } catch (error) {
      if (!(error instanceof StoreReadOnlyError)) throw error;
      this.actor.send({ type: 'refused', unled: error });
      this.reports.notRenewed(error);
      return null;
    }
  }

  /** Nothing can be followed now. */
  private standBy(): void {
    this.actor.send({ type: 'stand_by' });
    if (this.unled) this.reports.waits(this.unled);
    else this.reports.standsBy();
  }

  /** Loads and serves the organization that another node leads; stands by where that cannot be done yet. */
  private async follow(parts: NodeParts, key: string): Promise<void> {
    if (!this.options.config.allowNewerStore) await assertNotNewer(parts.store);
    if (!(await canFollow(parts.store))) {
      this.standBy();
      return;
    }
    const follower = new FollowerTerm(parts, key, () => this.unled !== null);
    this.follower = follower;
    try {
      await follower.begin();
    } catch (error) {
      follower.stop();
      this.follower = undefined;
      if (!(error instanceof NothingToFollowError)) throw error;
      this.standBy();
      return;
    }
    if (this.isEnding) {
      follower.stop();
      return;
    }
    parts.firstStart.found();
    this.actor.send({ type: 'followed' });
    this.hasServed = true;
    this.reports.follows(parts, this.unled);
  }

  /** Records the store's position while another process leads, because this one may take over at any time. */
  private async observe({ store, witness, firstStart, besideStore }: NodeParts): Promise<void> {
    // Processes of one folder share one witness file, and one that follows knows more than the store tells.
    if (besideStore || this.followed) return;
    if (await observe(store, witness)) firstStart.found();
  }

  /** One term, from taking the role to losing it. @throws Error when no later term can succeed */
  private async serve(surroundings: NodeSurroundings, lease: LeaderLease): Promise<void> {
    const { parts, settled } = surroundings;
    this.actor.send({ type: 'taken' });
    try {
      const password = await this.lead(surroundings, lease);
      if (this.begins) {
        parts.firstStart.found();
        this.actor.send({ type: 'led' });
        this.hasServed = true;
        this.reports.leads(parts, password);
        settled();
      }
    } catch (error) {
      // Errors of a term that is over do not matter.
      if (!this.begins) return;
      this.actor.send({ type: 'lost' });
      if (!mayBecomeAvailable(error) && !(error instanceof FencedError)) {
        // So that other processes need not wait for the lease to expire.
        await lease.release();
        if (!(error instanceof UnreadableWitnessError)) throw error;
      }
      this.reports.waits(error);
      await pause(ATTEMPT_MS, this.options.ending);
    }
    await roleOver(this.actor);
  }

  /**
   * Leads with the organization that this node has followed, or loads it.
   * @returns the owner's password where it was created
   */
  private async lead(
    { parts, address }: NodeSurroundings,
    lease: LeaderLease,
  ): Promise<string | null> {
    const { follower } = this;
    const open = async (served: OrganizationService): Promise<Leadership> => {
      const opened = Leadership.open(parts, served, lease, address, this.hasServed);
      const term = await this.unlessEnding(opened);
      this.term = term;
      lease.onLost((error) => {
        if (this.term === term) this.depose(error);
      });
      return term;
    };
    if (follower) {
      try {
        const term = await open(await this.unlessEnding(follower.promote()));
        await term.takeOver(follower.position);
        this.follower = undefined;
        follower.promoted();
        return null;
      } catch (error) {
        if (this.begins) this.followsNoMore(error);
        else follower.stop();
        const mustReload = error instanceof MustReloadError || follower.hasFailed;
        if (!this.begins || !mustReload) throw error;
        this.actor.send({ type: 'reload' });
      }
    }
    const term = await open(new OrganizationService(parts));
    return term.begin();
  }

  /** @throws Error when the process ends meanwhile: what follows no more reaches no position */
  private async unlessEnding<T>(work: Promise<T>): Promise<T> {
    const { ending } = this.options;
    let end = (): void => undefined;
    const ended = new Promise<never>((_resolve, reject) => {
      end = () => reject(new Error('The process ends'));
      if (ending.aborted) end();
      else ending.addEventListener('abort', end);
    });
    try {
      return await Promise.race([work, ended]);
    } finally {
      // A node may take the role many times before it ends.
      ending.removeEventListener('abort', end);
    }
  }

  /** The lease is lost: drops the term, whose state may be stale. */
  private depose(error: Error): void {
    this.options.log.warn({ err: error }, 'the role of the leader was lost');
    this.actor.send({ type: 'lost' });
  }

  private followsNoMore(error: unknown): void {
    const message = 'following the journal failed: loading the organization again';
    this.options.log.warn({ err: error }, message);
  }

  /** The next attempt to take the lease finds out whether another process leads. */
  private drop(): void {
    const { term, follower } = this;
    this.term = undefined;
    this.follower = undefined;
    this.options.admin.close();
    this.options.site.withdraw(refusalOf(this.state()));
    term?.abandon();
    follower?.stop();
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
