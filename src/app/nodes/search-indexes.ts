import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import type { Config } from '../../config/config.js';
import { IndexThread } from '../../services/search-index/thread-client.js';
import type { FedIndex, OpenedIndex } from '../../services/search-index/protocol.js';
import { isAlive, LeaseSocket } from '../../store/embedded/lease/lease-socket.js';
import { searchFolder } from '../data-folder/places.js';

/** Processes on one folder at most; a further one has no index, and reads messages to search them. */
const MAX_PROCESSES = 64;
/** Two processes that take a number at once see after this time which of them has it. Milliseconds. */
const SETTLING_MS = 20;

/**
 * The search index of this process: a folder of its own among those of all processes of one store. A process that
 * ended leaves its folder to the next one.
 */
export class SearchIndexes {
  private claimed: Promise<string> | undefined;
  private socket: LeaseSocket | undefined;
  /** Resolves when no index is open. */
  private free: Promise<void> = Promise.resolve();

  constructor(private readonly config: Config) {}

  /** Opens the index once the one before is closed. @param ended called when it ended unasked */
  async open(ended: (error: Error) => void): Promise<{ index: FedIndex; state: OpenedIndex }> {
    const before = this.free;
    let release = (): void => undefined;
    this.free = new Promise((resolve) => (release = resolve));
    await before;
    try {
      const folder = await (this.claimed ??= this.claim());
      const { thread, state } = await IndexThread.start(folder, ended);
      const index: FedIndex = {
        reset: (to) => thread.reset(to),
        apply: (batch) => thread.apply(batch),
        find: (query) => thread.find(query),
        close: () => thread.close().finally(release),
      };
      return { index, state };
    } catch (error) {
      this.claimed = undefined;
      release();
      throw error;
    }
  }

  /** Waits until the index is closed, and leaves its folder. */
  async close(): Promise<void> {
    await this.free;
    await this.socket?.close();
  }

  /** Takes the first folder that no other process has. */
  private async claim(): Promise<string> {
    const base = searchFolder(this.config);
    await mkdir(base, { recursive: true, mode: 0o700 });
    await this.socket?.close();
    this.socket = await LeaseSocket.listen(base, `${randomBytes(6).toString('hex')}.sock`);
    const { name } = this.socket;
    for (let number = 1; number <= MAX_PROCESSES; number++) {
      const path = join(base, `${number}.owner`);
      const owner = await readFile(path, 'utf8').catch(() => '');
      if (owner !== '' && (await isAlive(base, owner))) continue;
      if (owner !== '') await rm(join(base, owner), { force: true });
      const draft = join(base, `${name}.owner`);
      await writeFile(draft, name, { mode: 0o600 });
      await rename(draft, path);
      await pauseFor(SETTLING_MS);
      if ((await readFile(path, 'utf8')) === name) return join(base, String(number));
    }
    throw new Error(`${base} has an index for each of ${MAX_PROCESSES} processes already`);
  }
}
