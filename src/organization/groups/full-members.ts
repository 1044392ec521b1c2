import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import {
  channelsNaming,
  captureVisibility,
  emitVisibilityDiff,
} from '../channels/channel-visibility.js';
import { emitGroupMembers } from './group-events.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

const DAY_MS = 86_400_000;
/**
 * Less than the shortest waiting period, so that no account made meanwhile is due before the next look.
 */
const LOOK_AGAIN_MS = DAY_MS / 2;
/** Wait after a failure, or where somebody is due already. */
const RETRY_MS = 1000;
const KEY = 'waiting period';

/**
 * Announces those whose waiting period is over by now as members of `role:fullmembers` (
 * endpoints-groups.md#system-groups), and what they see because of it. Writes nothing when nobody's is.
 */
export function countFullMembers(tx: Transaction): void {
  const { org } = tx;
  const { waitingPeriod } = org;
  const before = waitingPeriod.countedUntil;
  if (before !== undefined && !someoneDue(org, before, tx.now)) return;
  changeFullMembers(tx, org.realm.current.waiting_period_threshold, () => undefined);
}

/**
 * Changes what decides who is a full member, and tells who became one and who is one no more.
 * @param days the waiting period after the change
 * @param change e.g. writes that waiting period
 */
export function changeFullMembers(tx: Transaction, days: number, change: () => void): void {
  emitMoved(tx, moved(tx, days), () => {
    change();
    const { waitingPeriod } = tx.org;
    if (waitingPeriod.countedUntil !== tx.now) waitingPeriod.insert({ counted_until: tx.now });
  });
}

/**
 * Changes when somebody joined, to this moment: where there is a waiting period, it begins anew. Others
 * whose time has come meanwhile are left for the next count.
 * @param change writes it
 */
export function beginWaiting(tx: Transaction, user: UserDocument, change: () => void): void {
  const waits = tx.org.realm.current.waiting_period_threshold > 0;
  const leaves = waits && user.role === ROLE.member && tx.org.isFullMember(user);
  if (leaves) emitMoved(tx, { came: [], went: [user.user_id] }, change);
  else change();
}

interface Moved {
  readonly came: readonly number[];
  readonly went: readonly number[];
}

/** Tells who came to be a full member by a change, and who is none any more. */
function emitMoved(tx: Transaction, { came, went }: Moved, change: () => void): void {
  const { org } = tx;
  const full = org.groups.system('role:fullmembers');
  const naming = channelsNaming(org, [full.id]);
  // Public channels are seen by full members and others alike.
  const hidden = captureVisibility(
    org,
    [...came, ...went],
    naming.filter((one) => one.invite_only),
  );
  const open = captureVisibility(
    org,
    [],
    naming.filter((one) => !one.invite_only),
  );
  change();
  emitGroupMembers(tx, 'remove_members', full, went);
  emitGroupMembers(tx, 'add_members', full, came);
  emitVisibilityDiff(tx, hidden);
  emitVisibilityDiff(tx, open);
}

/** Members who are full members now and were not, and the reverse; ascending. */
function moved(tx: Transaction, days: number): Moved {
  const { org } = tx;
  const came: number[] = [];
  const went: number[] = [];
  for (const id of [...org.users.active].sort((a, b) => a - b)) {
    const user = org.users.get(id)!;
    if (user.role !== ROLE.member) continue;
    const will = days === 0 || user.date_joined + days * DAY_MS <= tx.now;
    if (will === org.isFullMember(user)) continue;
    (will ? came : went).push(id);
  }
  return { came, went };
}

/** Whether anybody's waiting period ended between two moments. */
function someoneDue(org: Organization, since: number, until: number): boolean {
  const next = nextDue(org, since);
  return next !== undefined && next <= until;
}

/** When the next waiting period after a moment ends, whatever the account's role is by now. */
function nextDue(org: Organization, since: number): number | undefined {
  const days = org.realm.current.waiting_period_threshold;
  if (days === 0) return undefined;
  let next: number | undefined;
  for (const user of org.users.values()) {
    const due = user.date_joined + days * DAY_MS;
    if (due > since && (next === undefined || due < next)) next = due;
  }
  return next;
}

/** What keeping time needs. */
export interface FullMemberParts {
  readonly wheel: Pick<DeadlineWheel, 'arm' | 'disarm'>;
  /** Runs work as one transaction. @throws ApiError 503 while the store is failing */
  readonly transact: (work: (tx: Transaction) => void) => void;
}

/** Counts full members when the next of them is due. */
export class FullMemberClock {
  private readonly look = (): void => {
    try {
      this.parts.transact(countFullMembers);
    } finally {
      // Also when the store is failing: then nobody was counted, and they stay due.
      this.parts.wheel.arm(KEY, this.next(), this.look);
    }
  };

  constructor(
    private readonly org: Organization,
    private readonly parts: FullMemberParts,
  ) {}

  /** Counts those who came of age while nobody looked, with the next tick, and waits for the next. */
  start(): void {
    this.changed();
  }

  stop(): void {
    this.parts.wheel.disarm(KEY);
  }

  /** The waiting period was changed: the time of the next one is another. */
  changed(): void {
    this.parts.wheel.arm(KEY, this.org.now(), this.look);
  }

  private next(): number {
    const now = this.org.now();
    const due = nextDue(this.org, this.org.waitingPeriod.countedUntil ?? now) ?? Infinity;
    return Math.max(now + RETRY_MS, Math.min(due, now + LOOK_AGAIN_MS));
  }
}
