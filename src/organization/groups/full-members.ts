import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import {
  channelsNaming,
  captureVisibility,
  emitVisibilityDiff,
} from '../channels/channel-visibility.js';
import { emitGroupMembers } from '../views/group-events.js';
import { NEVER } from '../state/scheduled/next-due.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

const DAY_MS = 86_400_000;
/**
 * Less than the shortest waiting period (a day), so that no account created meanwhile is due before the
 * next check.
 */
const RECHECK_MS = DAY_MS / 2;
/** Pause after a failure, or where another user is due already. */
const RETRY_MS = 1000;
const KEY = 'waiting period';

/**
 * Adds users whose waiting period has ended to `role:fullmembers` (endpoints-groups.md#system-groups), with
 * the events of what they see because of it. Writes nothing when there are none.
 */
export function updateFullMembers(tx: Transaction): void {
  const { org } = tx;
  const { waitingPeriod } = org;
  const before = waitingPeriod.countedUntil;
  if (before !== undefined && !someoneDue(org, before, tx.now)) return;
  changeFullMembers(tx, org.realm.current.waiting_period_threshold, () => undefined);
}

/**
 * Runs a change of the waiting period and emits who gained and who lost full membership.
 * @param days the waiting period after the change
 * @param change writes it
 */
export function changeFullMembers(tx: Transaction, days: number, change: () => void): void {
  emitFullMemberDiff(tx, fullMemberDiff(tx, days), () => {
    change();
    const { waitingPeriod } = tx.org;
    if (waitingPeriod.countedUntil !== tx.now) waitingPeriod.insert({ counted_until: tx.now });
  });
}

/**
 * Runs a change of `date_joined` to the present moment, which restarts the user's waiting period, if
 * any. Other users who are due are left to the next update.
 * @param change writes it
 */
export function restartWaitingPeriod(
  tx: Transaction,
  user: UserDocument,
  change: () => void,
): void {
  const waits = tx.org.realm.current.waiting_period_threshold > 0;
  const leaves = waits && user.role === ROLE.member && tx.org.isFullMember(user);
  if (leaves) emitFullMemberDiff(tx, { gained: [], lost: [user.user_id] }, change);
  else change();
}

interface FullMemberDiff {
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

/** Runs a change and emits the users who gained or lost full membership, and what they see. */
function emitFullMemberDiff(
  tx: Transaction,
  { gained, lost }: FullMemberDiff,
  change: () => void,
): void {
  const { org } = tx;
  const full = org.groups.system('role:fullmembers');
  const channels = channelsNaming(org, [full.id]);
  // Public channels are seen by full members and others alike.
  const hidden = captureVisibility(
    org,
    [...gained, ...lost],
    channels.filter((one) => one.invite_only),
  );
  const open = captureVisibility(
    org,
    [],
    channels.filter((one) => !one.invite_only),
  );
  change();
  emitGroupMembers(tx, 'remove_members', full, lost);
  emitGroupMembers(tx, 'add_members', full, gained);
  emitVisibilityDiff(tx, hidden);
  emitVisibilityDiff(tx, open);
}

/** Members who will gain or lose full membership with the new waiting period; ascending. */
function fullMemberDiff(tx: Transaction, days: number): FullMemberDiff {
  const { org } = tx;
  const gained: number[] = [];
  const lost: number[] = [];
  for (const id of [...org.users.active].sort((a, b) => a - b)) {
    const user = org.users.get(id)!;
    if (user.role !== ROLE.member) continue;
    const will = days === 0 || user.date_joined + days * DAY_MS <= tx.now;
    if (will === org.isFullMember(user)) continue;
    (will ? gained : lost).push(id);
  }
  return { gained, lost };
}

/** Whether anybody's waiting period ended between two moments. */
function someoneDue(org: Organization, since: number, until: number): boolean {
  const next = nextDue(org, since);
  return next !== undefined && next <= until;
}

/** End of the first waiting period after a moment, of accounts of any role. Milliseconds since 1970. */
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

/** Dependencies of the clock. */
interface FullMemberParts {
  readonly wheel: Pick<DeadlineWheel, 'arm' | 'disarm'>;
  /** Runs work as one transaction. @throws ApiError 503 while the store is failing */
  readonly transact: (work: (tx: Transaction) => void) => void;
}

/** Updates full membership when the next user is due. */
export class FullMemberClock {
  private readonly check = (): void => {
    try {
      this.parts.transact(updateFullMembers);
    } finally {
      // Also after a failure of the store: those users stay due.
      this.parts.wheel.arm(KEY, this.next(), this.check);
    }
  };

  constructor(
    private readonly org: Organization,
    private readonly parts: FullMemberParts,
  ) {}

  /** Updates with the next tick those who became due while the server was down, then waits. */
  start(): void {
    this.changed();
  }

  stop(): void {
    this.parts.wheel.disarm(KEY);
  }

  /** Call after a change of the waiting period: recomputes when the next user is due. */
  changed(): void {
    this.parts.wheel.arm(KEY, this.org.now(), this.check);
  }

  /** When the next waiting period ends. */
  nextDue(): number {
    return nextDue(this.org, this.org.waitingPeriod.countedUntil ?? 0) ?? NEVER;
  }

  private next(): number {
    const now = this.org.now();
    const due = nextDue(this.org, this.org.waitingPeriod.countedUntil ?? now) ?? Infinity;
    return Math.max(now + RETRY_MS, Math.min(due, now + RECHECK_MS));
  }
}
