import { hostname } from 'node:os';
import { steadyClock } from '../platform/clock.js';
import type { LeaderDocument } from '../../schemas/store/leader-document.js';
import { LOOPBACK } from '../config/network.js';
import type { ReplicaCount } from '../store/port.js';
import type { AppLog } from '../host/monitoring/log.js';
import { StoreAwayLog } from '../host/monitoring/store-away-log.js';

/**
 * Shortest time without an answer after which the leader counts as unreachable: reports go each second. Milliseconds.
 */
const LEAST_PATIENCE_MS = 5000;
/** Leases within which a leader that has died or hangs is replaced, which is told by the journal. */
const LEASES = 2;

/** Dependencies of {@link LeaderContact}. */
interface LeaderContactOptions {
  readonly log: AppLog;
  readonly leaseMs: number;
  /** The node that leads; null while that is not known. */
  readonly leader: () => LeaderDocument | null;
  /** Why no request reaches it; null where none was needed, or one did. */
  readonly problem: () => string | null;
  /** Milliseconds by a clock that does not step. */
  readonly now?: () => number;
}

/**
 * LeaderContact knows whether a node that follows reaches its leader, and what the leader says of its store, by the
 * replies to its reports. A leader that dies is replaced within its lease; one that leads for longer and does not
 * answer cannot be reached from here, as where its address is one of its own machine.
 */
export class LeaderContact {
  private readonly now: () => number;
  private readonly lines: StoreAwayLog;
  private answeredAt: number;
  private isReadOnly = false;
  /** Of the leader's store, as it said last. */
  replicas: ReplicaCount | undefined;

  constructor(private readonly options: LeaderContactOptions) {
    this.now = options.now ?? (() => steadyClock.now());
    this.answeredAt = this.now();
    this.lines = new StoreAwayLog(
      options.log,
      'the leader cannot be reached: this node refuses changes and logins',
    );
  }

  /** Which requests this node can serve with its leader. */
  get state(): 'ready' | 'read_only' | 'leader_unreachable' {
    const patience = Math.max(LEAST_PATIENCE_MS, LEASES * this.options.leaseMs);
    if (this.now() - this.answeredAt >= patience) return 'leader_unreachable';
    return this.isReadOnly ? 'read_only' : 'ready';
  }

  /** The leader answered. @param isReadOnly whether its store takes no commits */
  answered(isReadOnly: boolean, replicas?: ReplicaCount): void {
    this.answeredAt = this.now();
    this.isReadOnly = isReadOnly;
    this.replicas = replicas;
  }

  /** Another node leads, or the same one again. */
  leaderChanged(): void {
    this.answered(false);
  }

  /** Tells the operator when the state has changed; called a few times a second. */
  look(): void {
    if (this.state === 'leader_unreachable') this.lines.away(this.reason);
    else if (this.lines.over()) this.options.log.info({}, 'the leader is reached again');
  }

  stop(): void {
    this.lines.over();
  }

  private get reason(): string {
    const leader = this.options.leader();
    if (!leader) return 'no node leads';
    const { host, port, node } = leader;
    const problem = this.options.problem() ?? 'it does not answer';
    const itsHost = node.slice(0, node.indexOf(':'));
    const isElsewhere = LOOPBACK.test(host) && itsHost !== hostname();
    const hint = isElsewhere
      ? ` (that is an address within ${itsHost}: set --node-address there)`
      : '';
    return `${host}:${port}: ${problem}${hint}`;
  }
}
