/**
 * The writer role of a directory, for one process at a time.
 *
 * The holder listens on a Unix socket inside the directory; the lease record names it. Whoever wants
 * the role asks the kernel: a socket that refuses connections was left behind by a dead process, so a
 * kill -9 frees the lease at once and a reused process id cannot be mistaken for the holder. A holder
 * that lives has the role until its lease runs out (`lease-term.ts`), which a suspended process does
 * not renew.
 *
 * The record changes hands in a transaction conditional on the token, so of several contenders one
 * wins; and every commit is conditional on it too, so that a holder that went on, or whose socket was
 * removed by hand, cannot write after its successor.
 *
 * LMDB has one more lock, of the transaction that is being written, which only the death of its process
 * frees. A holder that is suspended within one is killed by its successor (`#unblock`).
 */
import { join, resolve } from 'node:path';
import { emitWarning, pid as ownPid } from 'node:process';
import { readdirSync, unlinkSync } from '../../../platform/files.js';
import { randomUUID } from '../../../platform/randomness.js';
import { monotonicTime } from '../../../platform/time.js';
import { setTimeout, clearTimeout } from '../../../platform/timers.js';
import { FencedError, type Lease } from '../../port.js';
import { LEASE_KEY, type Environment } from '../environment.js';
import { isAlive, LEASE_SOCKET, LeaseSocket, onceGone, type SocketWriter } from './lease-socket.js';
import { asReadOnly, leaseLeft, LeaseTerm } from './lease-term.js';
import { withOpenLock } from './open-gate.js';
import { kill, ownIdentity, type ProcessIdentity } from './process-identity.js';
import type { DiskRoom } from '../room.js';
import type { WriteGate } from '../writer.js';

interface LeaseRecord {
  readonly holder: string;
  /** File name of the holder's socket. */
  readonly socket: string;
  /** The holder, where its system says who it is. */
  readonly process?: ProcessIdentity | null;
}

const TERM_FILE = /^lease-.+\.time$/;
/** How long a successor waits for a transaction of a holder that no longer renews: much longer than one takes. */
const BLOCKED_MS = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What the holder keeps open. */
interface Held {
  readonly lease: Lease;
  readonly socket: LeaseSocket;
  readonly term: LeaseTerm;
}

/** The writer role of a directory: the process that listens on the socket named in the record has it. */
export class DirectoryLease {
  readonly #directory: string;
  #held: Held | null = null;
  /** Serializes taking and releasing. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    directory: string,
    private readonly environment: Pick<Environment, 'meta' | 'refresh'>,
    private readonly gate: WriteGate,
    private readonly room: Pick<DiskRoom, 'assertForLease'>,
    /** How far the journal is durable. */
    private readonly position: () => number,
  ) {
    this.#directory = resolve(directory);
  }

  /** @throws FencedError when this process does not hold the lease */
  held(): Lease {
    if (this.#held === null) throw new FencedError('The lease is not held');
    return this.#held.lease;
  }

  /** Why `lease` is not the one held here, or null. */
  refusal(lease: Lease): FencedError | null {
    if (this.#held?.lease.token === lease.token) return null;
    return new FencedError(this.#held === null ? 'The lease is not held' : undefined);
  }

  /** @throws StoreReadOnlyError */
  acquire(holder: string, ttlMs: number): Promise<Lease | null> {
    return this.#inTurn(() => (this.#held === null ? this.#take(holder, ttlMs) : null));
  }

  /** @throws FencedError when it was lost; StoreReadOnlyError */
  renew(lease: Lease, ttlMs: number): void {
    const error = this.refusal(lease);
    if (error !== null) throw error;
    let refused: unknown = null;
    try {
      // First: whoever takes the role meanwhile has seen that it had run out before.
      this.#held?.term.renew(ttlMs);
    } catch (cause) {
      refused = cause;
    }
    if (!this.isNewest(lease)) throw new FencedError();
    if (refused !== null) throw refused as Error;
  }

  /** Whether nobody has taken the role since. */
  isNewest({ token }: Lease): boolean {
    this.environment.refresh();
    return this.#newestToken() === token;
  }

  /** Before each transaction. @throws StoreReadOnlyError */
  assertWritable(): void {
    this.#held?.term.assertWritable();
  }

  release(lease: Lease | null): Promise<void> {
    return this.#inTurn(async () => {
      const held = this.#held;
      if (held === null || (lease !== null && lease.token !== held.lease.token)) return;
      this.#held = null;
      await closeAll(held);
    });
  }

  /** Whether other processes ask this one how far the journal is durable. */
  get isFollowed(): boolean {
    return this.#held !== null && this.#held.socket.followers.size > 0;
  }

  /** Tells them. */
  announce(): void {
    this.#held?.socket.announce();
  }

  /** The socket of the process that took the role last, this one or another; '' before the first. */
  socketName(): string {
    return this.#record()?.socket ?? '';
  }

  /** Whether a socket is the one of this process. */
  isOwn(socket: string): boolean {
    return this.#held?.socket.name === socket;
  }

  /** Resolves when the holder releases the lease, ends or lets it run out, after `withinMs`, or on abort. */
  async freed(withinMs: number, signal: AbortSignal): Promise<void> {
    await this.#freedBy(this.socketName(), withinMs, signal);
  }

  async #freedBy(socket: string, withinMs: number, signal: AbortSignal): Promise<void> {
    if (socket === '' || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const until = monotonicTime() + withinMs;
      let timer: NodeJS.Timeout;
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        leave();
        resolve();
      };
      const look = (): void => {
        const left = leaseLeft(this.#directory, termName(socket));
        const wait = Math.min(left, until - monotonicTime(), LONGEST_TIMER_MS);
        if (wait <= 0) end();
        else timer = setTimeout(look, Math.ceil(wait));
      };
      const leave = onceGone(this.#directory, socket, end);
      signal.addEventListener('abort', end, { once: true });
      look();
    });
  }

  #inTurn<T>(action: () => T | Promise<T>): Promise<T> {
    const result = this.#turn.then(action);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #take(holder: string, ttlMs: number): Promise<Lease | null> {
    this.environment.refresh();
    const version = this.#newestToken();
    const former = this.#record();
    if (former === null) throw new Error('The lease record is missing');
    if (await this.#isHeld(former)) return null;
    const { position } = this;
    const pause = (): Promise<() => void> => this.gate.pause();
    this.room.assertForLease();
    const name = `lease-${randomUUID()}.sock`;
    const { socket, term } = await this.#begin(name, { position, pause }, ttlMs);
    const held: Held = { lease: { token: version + 1 }, socket, term };
    const record: LeaseRecord = { holder, socket: socket.name, process: ownIdentity() };
    let won = false;
    try {
      won = await withOpenLock(this.#directory, () =>
        this.gate.run(() => this.#unblock(former, this.#write(version, held.lease.token, record))),
      );
    } finally {
      if (!won) await closeAll(held);
    }
    if (!won) return null;
    // Writing may have waited for another's transaction.
    term.renew(ttlMs);
    await this.#outlive(former);
    term.renew(ttlMs);
    this.#held = held;
    await removeDead(this.#directory);
    return held.lease;
  }

  /** @throws StoreReadOnlyError */
  async #begin(name: string, writer: SocketWriter, ttlMs: number): Promise<Omit<Held, 'lease'>> {
    let socket: LeaseSocket | undefined;
    try {
      socket = await LeaseSocket.listen(this.#directory, name, writer);
      return { socket, term: new LeaseTerm(this.#directory, termName(name), ttlMs) };
    } catch (error) {
      await socket?.close();
      throw asReadOnly(error);
    }
  }

  async #isHeld({ socket }: LeaseRecord): Promise<boolean> {
    if (!(await isAlive(this.#directory, socket))) return false;
    return leaseLeft(this.#directory, termName(socket)) > 0;
  }

  /**
   * Waits for a write. Where a former holder blocks it, because it is suspended in the middle of a transaction,
   * the former holder is killed: nobody could write before it continues, which may be never, and its lease is
   * over in any case. Nothing that it had not committed was acknowledged.
   */
  async #unblock<T>({ socket, process }: LeaseRecord, write: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      if (!process || process.pid === ownPid || leaseLeft(this.#directory, termName(socket)) > 0)
        return;
      if (!kill(process)) return;
      const { pid } = process;
      emitWarning(
        `Process ${pid} let its lease of ${this.#directory} run out and kept the database locked: killed it`,
      );
    }, BLOCKED_MS);
    return write.finally(() => clearTimeout(timer));
  }

  /**
   * Waits until a former holder answers no more that renewed its lease once more, when it was continued between the look at
   * its lease and the transaction that ended it: it does not know of this one before it renews again.
   */
  async #outlive({ socket }: LeaseRecord): Promise<void> {
    if (socket === '') return;
    const left = leaseLeft(this.#directory, termName(socket));
    if (left > 0) await this.#freedBy(socket, left, new AbortController().signal);
  }

  #write(from: number, token: number, record: LeaseRecord): Promise<boolean> {
    const { meta } = this.environment;
    return meta.ifVersion(LEASE_KEY, from, () => {
      void meta.put(LEASE_KEY, JSON.stringify(record), token);
    });
  }

  /** The newest token that was ever given out for the directory, 0 at first. */
  #newestToken(): number {
    return this.environment.meta.getEntry(LEASE_KEY)?.version ?? 0;
  }

  #record(): LeaseRecord | null {
    const text = this.environment.meta.get(LEASE_KEY);
    return text === undefined ? null : (JSON.parse(text) as LeaseRecord);
  }
}

/** The file that says until when the lease of a socket runs. */
function termName(socket: string): string {
  return socket.replace(/\.sock$/, '.time');
}

async function closeAll({ socket, term }: Held): Promise<void> {
  await socket.close();
  term.close();
}

/** Removes what processes that ended left behind. */
async function removeDead(directory: string): Promise<void> {
  const names = readdirSync(directory);
  for (const name of names) {
    if (!LEASE_SOCKET.test(name) || (await isAlive(directory, name))) continue;
    remove(join(directory, name));
  }
  // A file of a time is made after its socket.
  const sockets = new Set(readdirSync(directory).filter((name) => LEASE_SOCKET.test(name)));
  for (const name of names) {
    if (TERM_FILE.test(name) && !sockets.has(name.replace(/\.time$/, '.sock'))) {
      remove(join(directory, name));
    }
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Its owner removed it first.
  }
}
