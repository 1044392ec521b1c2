import { monotonicTime } from '../platform/time.js';
import { setImmediate } from '../platform/timers.js';
import { FairQueue, organizationOf, type Account } from './fair-queue.js';
import { round } from './round.js';

/**
 * How long the work of one round goes on where nothing else waits, milliseconds. What is left comes in the next one, and
 * so does what would end later if it took as long as the longest before it: two works of ten milliseconds take two rounds.
 * Longer than a stretch of one caller (`STRETCH_MS`), so that hundreds of small writes still commit together.
 */
const WORK_MS = 16;

/** Work that waits for the next round of the event loop, in order, and on whose account each is. */
let waiting: (() => void)[] = [];
let accounts: Account[] = [];
/** Whether the last round left work behind. */
let isBehind = false;
/** On whose account its last work was. */
let latest: Account = null;

/**
 * Runs work in the next round of the event loop, in order, all of a round together (one timer each would
 * cost more than the rest). The work must not throw.
 *
 * Work that takes longer than a round may is divided among rounds, and then accounts take turns: somebody with two
 * hundred costly requests at once keeps others waiting for one of them.
 *
 * Requests that change something begin here. The native layer reads everything that came in one segment
 * before it returns, and closes the connection when a second request arrives there while the first waits
 * for its reply. The first is then aborted before it has any effect, so its client may repeat it.
 */
export function inNextRound(work: () => void, account: Account = null): void {
  accounts.push(account);
  if (waiting.push(work) === 1) round.schedule('writes', runAll);
}

/** Work for the end of the work of this round; null outside of it. */
let ending: (() => void)[] | null = null;

/**
 * Runs work once all that `inNextRound` runs now has run, or in the next round where it runs nothing now. So what
 * requests of one round changed commits together, and without another round in between, which would cost a call into
 * the system. The work must not throw.
 */
export function atEndOfRound(work: () => void): void {
  if (ending === null) setImmediate(work);
  else ending.push(work);
}

function runAll(): void {
  if (isBehind) takeTurns();
  const works = waiting;
  const theirs = accounts;
  waiting = [];
  accounts = [];
  const last: (() => void)[] = [];
  ending = last;
  // The clock is not read for a single one, as most are.
  let now = works.length === 1 ? 0 : monotonicTime();
  const end = works.length === 1 ? 0 : now + round.share(WORK_MS, now);
  let begun = 0;
  let longest = 0;
  try {
    do {
      works[begun++]!();
      if (begun === works.length) break;
      const since = now;
      now = monotonicTime();
      longest = Math.max(longest, now - since);
    } while (now + longest <= end);
  } finally {
    ending = null;
    isBehind = begun < works.length;
    latest = theirs[begun - 1]!;
    if (isBehind) putBack(works.slice(begun), theirs.slice(begun));
    for (const work of last) work();
  }
}

/** Puts work before what has come meanwhile. */
function putBack(works: (() => void)[], theirs: Account[]): void {
  if (waiting.length === 0) round.schedule('writes', runAll);
  waiting = works.concat(waiting);
  accounts = theirs.concat(accounts);
}

/**
 * Orders the waiting work: the first of each organization and account, then the second of each, and so on; that of the
 * organization, and of the account, that had the latest turn comes after the others.
 */
function takeTurns(): void {
  const queue = new FairQueue<number>();
  const its = organizationOf(latest);
  const rank = (account: Account): number => {
    if (account === latest) return 2;
    return organizationOf(account) === its ? 1 : 0;
  };
  for (let turn = 0; turn <= 2; turn++) {
    for (const [i, account] of accounts.entries())
      if (rank(account) === turn) queue.add(i, account);
  }
  const order = waiting.map(() => queue.take()!);
  waiting = order.map((i) => waiting[i]!);
  accounts = order.map((i) => accounts[i]!);
}
