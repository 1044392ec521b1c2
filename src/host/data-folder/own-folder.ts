import { join } from 'node:path';
import { mkdir, readFile, rename, rm, writeFile } from '../../platform/files.js';
import { randomBytes } from '../../platform/randomness.js';
import { pause as pauseFor } from '../../platform/timers.js';
import type { Config } from '../../config/config.js';
import { isAlive, LeaseSocket } from '../../store/embedded/lease/lease-socket.js';
import type { AppLog } from '../monitoring/log.js';
import { isEmbedded, stateFolder } from './places.js';

/** Processes on one place at most. */
const MAX_PROCESSES = 64;
/** Two processes that take a number at once see after this time which of them has it. Milliseconds. */
const SETTLING_MS = 20;

/**
 * A folder of this process alone, by number, among those of all processes that were given the same place. A process
 * that ended, in whatever way, leaves its folder to the next one.
 */
export class OwnFolder {
  private constructor(
    readonly path: string,
    private readonly socket: LeaseSocket,
  ) {}

  /**
   * Takes the first folder that no other process has.
   * @throws Error where the place cannot be used, or all are taken
   */
  static async claim(place: string): Promise<OwnFolder> {
    await mkdir(place, { recursive: true, mode: 0o700 });
    const socket = await LeaseSocket.listen(place, `${randomBytes(6).toString('hex')}.sock`);
    try {
      const path = await take(place, socket.name);
      await mkdir(path, { recursive: true, mode: 0o700 });
      return new OwnFolder(path, socket);
    } catch (error) {
      await socket.close();
      throw error;
    }
  }

  /** Leaves the folder to others. */
  close(): Promise<void> {
    return this.socket.close();
  }
}

async function take(place: string, name: string): Promise<string> {
  for (let number = 1; number <= MAX_PROCESSES; number++) {
    const path = join(place, `${number}.owner`);
    const owner = await readFile(path, 'utf8').catch(() => '');
    if (owner !== '' && (await isAlive(place, owner))) continue;
    if (owner !== '') await rm(join(place, owner), { force: true });
    const draft = join(place, `${name}.owner`);
    await writeFile(draft, name, { mode: 0o600 });
    await rename(draft, path);
    await pauseFor(SETTLING_MS);
    if ((await readFile(path, 'utf8')) === name) return join(place, String(number));
  }
  throw new Error(`${place} has a folder for each of ${MAX_PROCESSES} processes already`);
}

/** Where a process keeps its witness and its index of messages. */
export interface ProcessState {
  readonly path: string;
  close(): Promise<void>;
}

/**
 * The folder of this process's state. Processes of an embedded store share one, to which the process that leads writes;
 * on Redis each takes its own. One that can have none is served all the same: it loads everything at each start, and
 * would not notice an older store.
 * @throws Error where the folder of an embedded store's processes cannot be made
 */
export async function processState(
  config: Pick<Config, 'store' | 'state'>,
  log: Pick<AppLog, 'warn'>,
): Promise<ProcessState> {
  const place = stateFolder(config);
  if (isEmbedded(config)) {
    if (config.state !== null) await mkdir(place, { recursive: true, mode: 0o700 });
    return { path: place, close: async () => undefined };
  }
  try {
    return await OwnFolder.claim(place);
  } catch (error) {
    log.warn(
      { err: error, place },
      'this process cannot keep its state: name another folder (--state)',
    );
    return { path: join(place, 'none'), close: async () => undefined };
  }
}
