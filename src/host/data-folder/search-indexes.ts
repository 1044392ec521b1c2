import type { Config } from '../../config/config.js';
import { IndexThread } from '../../services/search-index/thread-client.js';
import type { FedIndex, OpenedIndex } from '../../services/search-index/protocol.js';
import { OwnFolder } from './own-folder.js';
import { searchFolder } from './places.js';

/**
 * The search index of this process: a folder of its own among those of all processes of one store. A process that
 * ended leaves its folder to the next one.
 */
export class SearchIndexes {
  private claimed: Promise<string> | undefined;
  private own: OwnFolder | undefined;
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
    await this.own?.close();
  }

  /** Takes the first folder that no other process has. */
  private async claim(): Promise<string> {
    await this.own?.close();
    this.own = await OwnFolder.claim(searchFolder(this.config));
    return this.own.path;
  }
}
