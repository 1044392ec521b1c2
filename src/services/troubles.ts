/** What went wrong in this process, for operators who look later: bounded lists, made only where something does. */
import { wallTime } from '../platform/time.js';
import {
  CONSOLE_TROUBLES,
  type FailuresRow,
  type RefusalsRow,
  type SlowRequestRow,
} from '../../schemas/queues/console-troubles.js';

/** The longest reason kept, UTF-16 units. */
const MAX_REASON = 200;
/** Addresses of people, which administrators may not all read. */
const MAIL_ADDRESS = /[^\s<>"']+@[^\s<>"']+/g;
/** Rows of each list. */
const KEPT = CONSOLE_TROUBLES;

/** What a server answered, without the addresses of people in it. */
export function withoutAddresses(text: string): string {
  return text.replaceAll(MAIL_ADDRESS, '…');
}

/** A request that was refused or failed. */
interface RefusedRequest {
  readonly status: number;
  /** Empty where there is none. */
  readonly code: string;
  /** Null where nobody is known. */
  readonly user: number | null;
  readonly operation: string;
  /** Address of the client; read once per row. */
  readonly address: () => string;
}

type Own<T> = Omit<T, 'node_id'>;
type Counted = { count: number; last_at: number };

/** See the head of this file. */
export class Troubles {
  private readonly refusals = new Map<string, Own<RefusalsRow> & Counted>();
  private readonly failures = new Map<string, Own<FailuresRow> & Counted>();
  private readonly slow: Own<SlowRequestRow>[] = [];

  /** @param now milliseconds since 1970 */
  constructor(private readonly now: () => number = wallTime) {}

  /** Counts a refusal by user, else by address, and by what was said. */
  refused({ status, code, user, operation, address }: RefusedRequest): void {
    // The address of a user is the last one; reading it costs more than all else here.
    const from = user === null ? address() : '';
    const key = `${status} ${code} ${user ?? from}`;
    const at = this.now();
    const known = this.refusals.get(key);
    if (known) {
      // Behind the others: the one that has not come for longest goes first.
      this.refusals.delete(key);
      Object.assign(known, { count: known.count + 1, last_at: at, endpoint: operation });
      this.refusals.set(key, known);
      return;
    }
    const row = { status, code, user_id: user, address: from || address(), endpoint: operation };
    put(this.refusals, key, { ...row, count: 1, last_at: at });
  }

  /** @param times milliseconds until the handler began, returned, and the reply was sent */
  slowRequest(operation: string, user: number | null, times: readonly number[]): void {
    const [received = 0, handled = 0, replied = 0] = times;
    this.slow.push({
      ...{ at: this.now(), endpoint: operation, user_id: user },
      took_ms: received + handled + replied,
      ...{ received_ms: received, handled_ms: handled, replied_ms: replied },
    });
    if (this.slow.length > KEPT) this.slow.shift();
  }

  /** Something that nobody waits for failed: a mail, a push, an operation of the store. */
  failed(kind: string, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    const reason = withoutAddresses(text).slice(0, MAX_REASON).toWellFormed();
    const key = `${kind} ${reason}`;
    const known = this.failures.get(key);
    this.failures.delete(key);
    put(this.failures, key, {
      ...{ kind, reason },
      count: (known?.count ?? 0) + 1,
      last_at: this.now(),
    });
  }

  /** The newest first. */
  lists(nodeId: string): {
    refusals: RefusalsRow[];
    slow: SlowRequestRow[];
    failures: FailuresRow[];
  } {
    const mine = <T>(rows: Iterable<T>): (T & { node_id: string })[] =>
      [...rows].reverse().map((row) => ({ ...row, node_id: nodeId }));
    return {
      refusals: mine(this.refusals.values()),
      slow: mine(this.slow),
      failures: mine(this.failures.values()),
    };
  }
}

/** Adds a row; the oldest one goes where there are too many. */
function put<T>(rows: Map<string, T>, key: string, row: T): void {
  rows.set(key, row);
  if (rows.size > KEPT) rows.delete(rows.keys().next().value!);
}
