/**
 * The identity of a store's history (epoch), and the start of a new one: positions and counters jump so far
 * that no number is assigned that a client may have seen with another meaning.
 */
import type { HistoryReason } from '../../../schemas/store/history-document.js';
import { MAX_SPAN } from '../../journal/entry-form.js';
import type { CounterName } from './collections/realm.js';
import type { Organization } from './organization.js';
import type { Transaction } from './transaction.js';
import { newToken } from '../../services/auth/random-token.js';

/** Former histories remembered: a store is restored a few times a year, not daily. */
const MAX_FORMER = 100;
/** Longest time that counts, seconds: a clock that is wrong by years must not use up the numbers. */
const LONGEST_SECONDS = 90 * 86_400;
/**
 * A clock counts that is ahead of the copy by so much, seconds: an organization that is served, or whose copy is a year old. One
 * that is further ahead may be wrong.
 */
const LONGEST_AHEAD = 366 * 86_400;
/**
 * Fraction of the remaining numbers that one jump may take where the clock may be wrong, so that another jump is always
 * possible. A clock that counts takes as many as it says: else a small organization would get the same ids after two restores
 * of one copy, from 2030 on.
 */
const SHARE = 4;
/** Event ids from which on a term begins them anew: as many are left for one that goes on for years. */
const IDS_RENEWED = 2 ** 30;
/** Event ids from which on a term ends, so that they begin anew: any entry still has its ids below 2^31. */
const IDS_USED_UP = 2 ** 31 - MAX_SPAN;
/** The clock that sequences follow starts in 2026. Milliseconds since 1970. */
const EPOCH = Date.UTC(2026, 0, 1);

/** The jump of a sequence, which skips the numbers assigned after the store's state was saved. */
interface Allowance {
  /** Numbers skipped in any case. */
  readonly least: number;
  /** Further numbers per second since the store was last used. */
  readonly perSecond: number;
  /**
   * Lower bound of the sequence in numbers per second of the clock: a copy that is restored twice starts
   * the second time after all numbers assigned after the first.
   */
  readonly perClockSecond: number;
  /** Range of the random start of a sequence that does not follow the clock. */
  readonly spread: number;
  /** Largest number that a jump ends at; the remaining ones last long. */
  readonly maximum: number;
}

/**
 * Rates are averages over the age of a copy in days. Positions have 43 bits, which last for 68 years at
 * this rate. Message ids stay below 2^31, because clients read them as 32-bit integers: the clock alone gets there in
 * 2085. An organization that sends more on average is ahead of the clock and still skips the ids that it may have
 * assigned since.
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
    perClockSecond: 1,
    spread: 0,
    maximum: 2 ** 31 - 2 ** 28,
  },
  /** Replies are assembled from cached texts of 256 ids each: few ids may be skipped. */
  user: { least: 1000, perSecond: 0, perClockSecond: 0, spread: 10_000, maximum: 2 ** 31 - 1 },
  other: {
    least: 10_000,
    perSecond: 0,
    perClockSecond: 1,
    spread: 0,
    maximum: 2 ** 31 - 1,
  },
} satisfies Record<string, Allowance>;

/** A random id of a history. */
export function newHistoryId(): string {
  return newToken(12);
}

/** Records the id of an organization's history, from now on or from its creation. */
export function nameHistory(tx: Transaction, id: string, reason: 'created' | 'found'): void {
  const began = reason === 'created' ? tx.seq : 0;
  const document = { id, began, reason, at: tx.now, presence_update: 0, former: [] };
  tx.org.history.insert({ ...document, ids_from: tx.seq });
}

/** What is known of the ended history besides its store. */
export interface EndedHistory {
  /** Newest position that a client may have seen. */
  readonly seq: number;
  /** Newest assigned numbers by counter. */
  readonly counters: Readonly<Record<string, number>>;
  /** Seconds since then. */
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

/** Begins a new history with this transaction. The caller ends the queues of the former one. */
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
    ids_from: tx.seq,
    reason,
    at: tx.now,
    presence_update: org.counters.last('presence_update'),
    former: former ? [former.id, ...former.former].slice(0, MAX_FORMER) : [],
  });
}

/**
 * Whether event ids are to begin anew before the organization is served: earlier software gave 1024 for each position, or
 * half of those below 2^31 are used.
 * @param seq the newest position
 */
export function hasOldIds({ history }: Organization, seq: number): boolean {
  const from = history.current?.ids_from;
  return from === undefined || seq - from >= IDS_RENEWED;
}

/** Whether the term must end now so that event ids stay below 2^31. */
export function hasUsedUpIds({ history }: Organization, seq: number): boolean {
  return seq - history.idsFrom >= IDS_USED_UP;
}

/** Begins event ids anew with this transaction. The caller ends the queues of before. */
export function renewIds({ org, seq }: Transaction): void {
  const { current } = org.history;
  if (current) org.history.insert({ ...current, ids_from: seq });
}

/** The newest assigned numbers of an organization by counter. */
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
  const toClock = (time: number): number =>
    Math.floor((Math.max(0, time - EPOCH) / 1000) * perClockSecond) - last;
  const wanted = Math.max(given, toClock(now));
  const left = Math.max(0, maximum - last);
  const sure = toClock(now - Math.max(0, age - LONGEST_AHEAD) * 1000);
  return last + Math.min(wanted, Math.max(Math.floor(left / SHARE), Math.min(sure, left)));
}
