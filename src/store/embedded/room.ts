import { monotonicTime } from '../../platform/time.js';
import { StoreReadOnlyError } from '../port.js';

/** Room on the disk that is left alone, bytes. */
const RESERVE_BYTES = 16 * 1024 * 1024;
/** The part of it that even commits which make room leave alone. */
const LAST_RESERVE_BYTES = 4 * 1024 * 1024;
/** How long a look counts, milliseconds, and for how many bytes: another program may have filled the disk since. */
const LOOK_MS = 100;
const LOOK_BYTES = 1024 * 1024;
/** Room that nobody fills within a second, and how long a look at it counts, milliseconds: each costs 60 µs. */
const PLENTY_BYTES = 4 * 1024 ** 3;
const LOOK_AT_PLENTY_MS = 1000;

/** What LMDB copies of a transaction beside its values: pages above them, of each table, and for each value one. Bytes. */
const PAGES_BYTES = 64 * 1024;
const PAGE_BYTES = 4096;
/** Most bytes of a UTF-16 unit. */
const UNIT_BYTES = 3;

/** What a transaction writes: texts, and changes beside them. */
interface Written {
  readonly entries: readonly { readonly text: string }[];
  readonly writes: readonly { readonly text: string | null }[];
  readonly unapplied?: { readonly text: string } | null;
}

/**
 * The most room that a transaction takes, bytes.
 * @param others how many changes it has that are short
 */
export function roomFor({ entries, writes, unapplied }: Written, others: number): number {
  let length = unapplied?.text.length ?? 0;
  for (const { text } of entries) length += text.length;
  for (const { text } of writes) length += text?.length ?? 0;
  const changes = entries.length + writes.length + others;
  return PAGES_BYTES + PAGE_BYTES * changes + UNIT_BYTES * length;
}

/** Whoever writes without knowing may end the process. */
const UNKNOWN = 'the system does not tell how much room the disk has';

/**
 * DiskRoom keeps LMDB from a full disk: when it cannot write a page it writes a message behind the end of its buffer
 * (version 3.5.6, `last_error` in mdb.c), which ends the process.
 */
export class DiskRoom {
  /** Until when the last look counts, by the steady clock, and how much may be written until then. */
  #until = 0;
  #left = 0;

  /** @param free room on the disk, bytes; null where the system does not tell, and then nothing is written */
  constructor(private readonly free: () => number | null) {}

  /** @throws StoreReadOnlyError where there is no room for the transaction that takes the lease */
  assertForLease(): void {
    const free = this.free();
    if (free === null) throw new StoreReadOnlyError(UNKNOWN);
    if (free < LAST_RESERVE_BYTES) throw new StoreReadOnlyError('no space left on the disk');
  }

  /**
   * Takes the room for a transaction.
   * @param bytes the most that it writes
   * @param frees whether it makes room
   * @throws Error where there is too little
   */
  take(bytes: number, frees: boolean): void {
    const now = monotonicTime();
    if (now >= this.#until || bytes > this.#left) this.#look(now, bytes, frees);
    this.#left -= bytes;
  }

  #look(now: number, bytes: number, frees: boolean): void {
    const free = this.free();
    if (free === null) throw new Error(`The embedded store could not commit: ${UNKNOWN}`);
    const behind = free - bytes;
    if (behind >= RESERVE_BYTES) {
      const isPlenty = free >= PLENTY_BYTES;
      this.#until = now + (isPlenty ? LOOK_AT_PLENTY_MS : LOOK_MS);
      this.#left = isPlenty ? Infinity : Math.max(bytes, LOOK_BYTES);
      return;
    }
    this.#until = 0;
    if (!frees || behind < LAST_RESERVE_BYTES) {
      throw new Error('The embedded store could not commit: no space left on the disk');
    }
  }
}
