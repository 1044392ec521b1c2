/**
 * The identity of a history (epoch), and how another one begins: positions and counters jump so far that
 * nothing is numbered like anything somebody may have seen.
 */
import { randomBytes } from 'node:crypto';
import type { HistoryReason } from '../../../schemas/store/history-document.js';
import type { CounterName } from './counters.js';
import { MAX_INDEXED_ID } from './message-index/posting-list.js';
import type { Organization } from './organization.js';
import type { Transaction } from './transaction.js';

/** Former histories remembered: a store is restored a few times a year, not daily. */
const MAX_FORMER = 100;
/** A clock that is wrong by years must not use up the numbers. Seconds. */
const LONGEST_SECONDS = 90 * 86_400;
/** Part of the numbers left that one jump may take at most: there is always a next one. */
const SHARE = 4;
/** The clock that sequences follow starts in 2026. Milliseconds since 1970. */
const EPOCH = Date.UTC(2026, 0, 1);

/** How far a sequence jumps, so that what was given since the store was as it is now is left out. */
interface Allowance {
  /** Numbers left out in any case. */
  readonly least: number;
  /** More of them by the time that has passed since the store was last seen. */
  readonly perSecond: number;
  /**
   * Where the sequence is at least by now, in numbers a second: a copy that is restored a second time
   * begins behind all that was given after the first.
   */
  readonly perClockSecond: number;
  /** A sequence that cannot follow the clock begins at random within so many. */
  readonly spread: number;
  /** Largest number a jump ends at; behind it there is room for a long life. */
  readonly maximum: number;
}

/**
 * Rates are averages over the days that a copy is old. Positions have 43 bits, which last for 68 years of
 * this clock. Messages have 32 bits, the clock takes 17 years for them; an organization that sends more
 * than this on average is ahead of it, and still leaves out what it may have sent since.
 */
const ALLOWANCES = {
  position: {
    least: 2 ** 30,
    perSecond: 0,
    perClockSecond: 4096,
    spread: 0,
    maximum: 2 ** 43 - 2 ** 36,
  },
  presence_update: {
    least: 1_000_000,
    perSecond: 0,
    perClockSecond: 4096,
    spread: 0,
    maximum: Number.MAX_SAFE_INTEGER - 2 ** 36,
  },
  message: {
    least: 1_000_000,
    perSecond: 10,
    perClockSecond: 8,
    spread: 0,
    maximum: MAX_INDEXED_ID - 2 ** 28,
  },
  /** Replies are joined from a text for every 256 accounts: not too many numbers in between. */
  user: { least: 1000, perSecond: 0, perClockSecond: 0, spread: 10_000, maximum: 2 ** 31 - 1 },
  other: {
    least: 10_000,
    perSecond: 0,
    perClockSecond: 1,
    spread: 0,
    maximum: 2 ** 31 - 1,
  },
} satisfies Record<string, Allowance>;

/** A random name of a history. */
export function newHistoryId(): string {
  return randomBytes(12).toString('base64url');
}

/** Names the history that an organization is in from now on, or from its beginning. */
export function nameHistory(tx: Transaction, id: string, reason: 'created' | 'found'): void {
  const began = reason === 'created' ? tx.seq : 0;
  tx.org.history.insert({ id, began, reason, at: tx.now, presence_update: 0, former: [] });
}

/** What is known of the history that ends, beside what the store has of it. */
export interface EndedHistory {
  /** Newest position that anybody may have been told of. */
  readonly seq: number;
  /** Newest numbers given, by counter. */
  readonly counters: Readonly<Record<string, number>>;
  /** Seconds since that was so. */
  readonly age: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Position of the first entry of a history that comes after one that ended. */
export function firstPosition(ended: EndedHistory): number {
  return jumped(ended.seq, ended, ALLOWANCES.position);
}

/** Begins another history with this transaction. Queues of the former one are the caller's to end. */
export function beginHistory(
  tx: Transaction,
  id: string,
  reason: HistoryReason,
  ended: EndedHistory,
): void {
  const { org } = tx;
  const names = new Set<string>(Object.keys(ended.counters));
  for (const { name } of org.counters.values()) names.add(name);
  for (const name of names) {
    const counter = name as CounterName;
    const last = Math.max(org.counters.last(counter), ended.counters[name] ?? 0);
    org.counters.skip(counter, jumped(last, ended, allowanceOf(counter)));
  }
  const former = org.history.current;
  org.history.insert({
    id,
    began: tx.seq,
    reason,
    at: tx.now,
    presence_update: org.counters.last('presence_update'),
    former: former ? [former.id, ...former.former].slice(0, MAX_FORMER) : [],
  });
}

/** The newest numbers given in an organization, by counter. */
export function countersOf(org: Organization): Record<string, number> {
  return Object.fromEntries(Array.from(org.counters.values(), ({ name, last }) => [name, last]));
}

function allowanceOf(counter: CounterName): Allowance {
  if (counter === 'message' || counter === 'presence_update' || counter === 'user') {
    return ALLOWANCES[counter];
  }
  return ALLOWANCES.other;
}

function jumped(
  last: number,
  { age, now, random }: Pick<EndedHistory, 'age' | 'now' | 'random'>,
  { least, perSecond, perClockSecond, spread, maximum }: Allowance,
): number {
  const seconds = Math.min(Math.max(0, age), LONGEST_SECONDS);
  const given = least + Math.ceil(perSecond * seconds) + Math.floor(random() * spread);
  const byClock = Math.floor((Math.max(0, now - EPOCH) / 1000) * perClockSecond) - last;
  return (
    last + Math.min(Math.max(given, byClock), Math.max(0, Math.floor((maximum - last) / SHARE)))
  );
}
