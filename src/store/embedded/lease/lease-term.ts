/**
 * Until when a lease runs: a small file beside the holder's socket, by the steady clock that all processes of
 * a machine share. Renewing writes it without waiting for the disk: after a restart of the machine nobody
 * listens on the socket, and the file means nothing.
 */
import { join } from 'node:path';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  unlinkSync,
  writeSync,
} from '../../../platform/files.js';
import { machineTime } from '../../../platform/time.js';
import { pause as delay } from '../../../platform/timers.js';
import { StoreReadOnlyError } from '../../port.js';
import { isStopped, kill, ownIdentity, type ProcessIdentity } from './process-identity.js';

/** The end, and its bits turned round: what is read while it is written does not fit. */
const BYTES = 16;
/** Reads that may meet a writer; each takes microseconds. */
const ATTEMPTS = 100;
const TERM_FILE = /^lease-.+\.time$/;
const STOPPED_STEP_MS = 50;
const NANOSECONDS_PER_MS = 1e6;

/** The steady clock of the machine, milliseconds. */
export function steadyNow(): number {
  return Number(machineTime()) / NANOSECONDS_PER_MS;
}

/** What the system says of a disk without room, and of a file system that takes no writes. */
const READ_ONLY: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'its file system is read-only',
};

/** The same error, or what it says of the store where it says that. */
export function asReadOnly(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const reason = READ_ONLY[(cause as NodeJS.ErrnoException).code ?? ''];
    if (reason !== undefined) return new StoreReadOnlyError(reason, { cause: error });
  }
  return error;
}

/** The file of one lease, open for its holder. */
export class LeaseTerm {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #bytes = Buffer.alloc(BYTES);

  /** Makes the file. */
  constructor(directory: string, name: string, ttlMs: number) {
    this.#path = join(directory, name);
    this.#descriptor = openSync(this.#path, 'w', 0o600);
    try {
      this.renew(ttlMs);
      writeSync(this.#descriptor, JSON.stringify(ownIdentity()), BYTES);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** From now on the lease runs so long. @throws StoreReadOnlyError */
  renew(ttlMs: number): void {
    const end = BigInt(Math.ceil((steadyNow() + ttlMs) * NANOSECONDS_PER_MS));
    this.#bytes.writeBigInt64LE(end);
    this.#bytes.writeBigInt64LE(~end, BYTES / 2);
    this.assertWritable();
  }

  /**
   * Writes the same once more, which takes microseconds: a file system that turned read-only after an error refuses
   * writes and nothing else.
   * @throws StoreReadOnlyError
   */
  assertWritable(): void {
    try {
      writeSync(this.#descriptor, this.#bytes, 0, BYTES, 0);
    } catch (error) {
      throw asReadOnly(error);
    }
  }

  /** Closes and removes the file. */
  close(): void {
    closeSync(this.#descriptor);
    try {
      unlinkSync(this.#path);
    } catch {
      // Removed by hand.
    }
  }
}

/**
 * For how long a lease still runs, milliseconds, less than 0 when it ran out. Infinity where no file says so:
 * when in doubt, the directory has a writer.
 */
export function leaseLeft(directory: string, name: string): number {
  const bytes = Buffer.alloc(BYTES);
  let descriptor: number;
  try {
    descriptor = openSync(join(directory, name), 'r');
  } catch {
    return Infinity;
  }
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (readSync(descriptor, bytes, 0, BYTES, 0) < BYTES) continue;
      const end = bytes.readBigInt64LE();
      if (bytes.readBigInt64LE(BYTES / 2) !== ~end) continue;
      return Number(end) / NANOSECONDS_PER_MS - steadyNow();
    }
    return Infinity;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Waits while a holder is suspended, and kills it when its lease ran out. Called before the database is opened:
 * that takes transactions, which would block the whole process behind one that a suspended holder has open.
 * @param isOver whether the caller no longer waits: nobody is killed any more
 */
export async function awaitStoppedHolders(
  directory: string,
  isOver: () => boolean = () => false,
): Promise<void> {
  for (const name of readdirSync(directory)) {
    if (!TERM_FILE.test(name)) continue;
    const holder = holderOf(join(directory, name));
    while (holder !== null && !isOver() && isStopped(holder)) {
      if (leaseLeft(directory, name) <= 0) kill(holder);
      await delay(STOPPED_STEP_MS);
    }
  }
}

function holderOf(path: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(path).toString('utf8', BYTES)) as ProcessIdentity | null;
  } catch {
    return null;
  }
}
