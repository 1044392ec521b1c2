/**
 * One process at a time opens or closes the database, while nobody writes.
 *
 * LMDB, as lmdb 3.5.6 has it, reads the number of the newest transaction when it begins to open the database, and
 * writes it to the memory that all processes share when it has done so (`mdb_env_open2` in mdb.c). A transaction that
 * another process commits in between is taken back by that: the next one begins where it began, and overwrites it,
 * although it was acknowledged. So an opener takes a lock, a socket in the directory, and asks whoever may write to
 * pause; a process that wants to become the writer takes the same lock for the transaction that makes it so. Closing
 * takes it too: the last process that closes destroys the locks of LMDB that one which opens may just have found.
 */
import type { Server } from 'node:net';
import { join } from 'node:path';
import {
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  unlinkSync,
} from '../../../platform/files.js';
import { createServer } from '../../../platform/network.js';
import { randomUUID } from '../../../platform/randomness.js';
import { monotonicTime } from '../../../platform/time.js';
import { pause as delay, setTimeout, clearTimeout } from '../../../platform/timers.js';
import { askToPause, isAlive, LEASE_SOCKET, onceGone, socketPath } from './lease-socket.js';
import { awaitStoppedHolders } from './lease-term.js';

/** The socket of the process that has the lock. */
const LOCK = 'opening.sock';
/**
 * How long the lock, and then the answers of writers, are awaited: opening takes some milliseconds, and seconds on a
 * machine that swaps. After that the database is opened without the lock, and a suspended writer may block it.
 */
const WAIT_MS = 5000;
/** How often holders of the lease that do not answer are checked. */
const LOOK_MS = 50;

const NOTHING = (): Promise<void> => Promise.resolve();

/** Runs `open` while no other process opens, closes or writes. */
export async function whileNobodyWrites<T>(directory: string, open: () => Promise<T>): Promise<T> {
  return withOpenLock(directory, async () => {
    const resume = await pauseWriters(directory);
    try {
      return await open();
    } finally {
      resume();
    }
  });
}

/**
 * Runs `work` while no other process opens or closes.
 * @param waitMs how long it waits for others at most
 */
export async function withOpenLock<T>(
  directory: string,
  work: () => Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  const leave = await take(directory, waitMs);
  try {
    return await work();
  } finally {
    await leave();
  }
}

/** Takes the lock. @returns gives it back */
async function take(directory: string, waitMs: number): Promise<() => Promise<void>> {
  const until = monotonicTime() + waitMs;
  for (;;) {
    const taken = await listen(directory);
    if (taken !== 'held') return taken;
    const left = until - monotonicTime();
    if (left <= 0) return NOTHING;
    if (await isAlive(directory, LOCK)) await gone(directory, left);
    else await clear(directory);
  }
}

/** Listens on the lock's socket; where no socket can be made, as in a folder that was removed, there is no lock. */
async function listen(directory: string): Promise<'held' | (() => Promise<void>)> {
  if (!existsSync(directory)) return NOTHING;
  const { path, free } = socketPath(directory, LOCK);
  const connections = new Set<{ destroy(): void }>();
  const server: Server = createServer((connection) => {
    connections.add(connection.on('error', () => undefined).resume());
    connection.once('close', () => connections.delete(connection));
  });
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve);
    server.listen({ path }, () => resolve(null));
  });
  if (error) {
    free();
    return error.code === 'EADDRINUSE' ? 'held' : NOTHING;
  }
  return () =>
    new Promise((resolve) => {
      server.close(() => {
        free();
        resolve();
      });
      for (const connection of connections) connection.destroy();
    });
}

/** Resolves when the process that has the lock gives it back or ends, or after so many milliseconds. */
async function gone(directory: string, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const leave = onceGone(directory, LOCK, () => {
      clearTimeout(timer);
      resolve();
    });
    const timer = setTimeout(() => {
      leave();
      resolve();
    }, ms);
  });
}

/** Removes the lock of a process that is gone. */
async function clear(directory: string): Promise<void> {
  const name = `opening-${randomUUID()}.sock`;
  const moved = join(directory, name);
  try {
    renameSync(join(directory, LOCK), moved);
    // Another may have cleared it, and somebody may have taken it since.
    if (await isAlive(directory, name)) linkSync(moved, join(directory, LOCK));
  } catch {
    // Others were quicker.
  }
  try {
    unlinkSync(moved);
  } catch {
    // It was never there.
  }
}

/**
 * Asks the process that has, or is about to take, the writer role to pause, and waits until it does. A suspended one is
 * awaited until its lease runs out, and then killed.
 * @returns lets them go on
 */
async function pauseWriters(directory: string): Promise<() => void> {
  const names = readdirSync(directory).filter((name) => LEASE_SOCKET.test(name));
  const asked = names.map((name) => askToPause(directory, name));
  const resume = (): void => {
    for (const { end } of asked) end();
  };
  let isOver = false;
  const look = async (): Promise<void> => {
    const until = monotonicTime() + WAIT_MS;
    while (!isOver && monotonicTime() < until) {
      await delay(LOOK_MS);
      await awaitStoppedHolders(directory, () => isOver);
    }
  };
  const answers = Promise.all(asked.map(({ answered }) => answered));
  await (names.length === 0 ? answers : Promise.race([answers, look()]));
  isOver = true;
  return resume;
}
