/** Rows of an archive's files that are read again, one after another, by where they are. */
import { open } from '../../../platform/files.js';
import { ArchiveError } from '../archive.js';
import type { MessagePlace } from './message-index.js';

type Handle = Awaited<ReturnType<typeof open>>;

/** Files that are open at once: an archive may have one for each of thousands of rooms. */
const MAX_OPEN = 200;

export class RowFiles {
  /** The one that was used last is the last. */
  private readonly open = new Map<number, Handle>();

  /** @param paths by the numbers of files */
  constructor(private readonly paths: readonly string[]) {}

  /** The bytes of a row. @throws ArchiveError where the file became shorter meanwhile */
  async read({ file, from, length }: MessagePlace): Promise<Buffer> {
    const handle = await this.handleOf(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
    if (bytesRead < length) throw new ArchiveError(`${this.paths[file]} is cut short`);
    return buffer;
  }

  async close(): Promise<void> {
    for (const handle of this.open.values()) await handle.close();
    this.open.clear();
  }

  private async handleOf(file: number): Promise<Handle> {
    const known = this.open.get(file);
    this.open.delete(file);
    const [oldest] = this.open;
    if (!known && oldest && this.open.size >= MAX_OPEN) {
      this.open.delete(oldest[0]);
      await oldest[1].close();
    }
    const handle = known ?? (await open(this.paths[file]!, 'r'));
    this.open.set(file, handle);
    return handle;
  }
}
