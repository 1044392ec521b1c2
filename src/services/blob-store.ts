import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Where uploaded files are kept, outside the store of documents. Keys are relative paths made by the
 * server, never by a client: segments of `[A-Za-z0-9._-]` joined by slashes, none of them starting
 * with a dot. A file is written before the document that names it, so a crash may leave a file that
 * nobody names, never a name without its file.
 */
export interface BlobStore {
  /** Stores a whole file, replacing an older one of that key; durable when it resolves. @throws Error */
  put(key: string, data: Buffer): Promise<void>;
  /** A whole file, or undefined. @throws Error when it cannot be read */
  get(key: string): Promise<Buffer | undefined>;
  /** Where the file is on disk, for whoever streams it; it need not exist. */
  pathOf(key: string): string;
  /** Removes a file; does nothing when there is none. @throws Error */
  delete(key: string): Promise<void>;
}

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;
const MAX_KEY_LENGTH = 500;

/** Files in a folder of this machine. */
export class FolderBlobStore implements BlobStore {
  constructor(private readonly folder: string) {}

  async put(key: string, data: Buffer): Promise<void> {
    const path = this.pathOf(key);
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.${randomBytes(6).toString('hex')}.part`;
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(data);
        await file.sync();
      } finally {
        await file.close();
      }
      // Whole or not at all, also for who reads it at this moment.
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async get(key: string): Promise<Buffer | undefined> {
    try {
      return await readFile(this.pathOf(key));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  /** @throws Error for a key that is none: it could lead out of the folder */
  pathOf(key: string): string {
    if (!KEY.test(key) || key.length > MAX_KEY_LENGTH) throw new Error(`Not a blob key: ${key}`);
    return join(this.folder, ...key.split('/'));
  }
}
