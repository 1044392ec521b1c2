import { join } from 'node:path';
import { FolderTree, replaceFile, systemFiles, type Files } from '../durable-files.js';

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
  private readonly folders: FolderTree;

  constructor(
    private readonly folder: string,
    private readonly files: Files = systemFiles,
  ) {
    this.folders = new FolderTree(folder, files);
  }

  async put(key: string, data: Buffer): Promise<void> {
    const path = this.pathOf(key);
    await this.folders.make(key.split('/').slice(0, -1));
    await replaceFile(path, data, this.files);
  }

  async get(key: string): Promise<Buffer | undefined> {
    try {
      return await this.files.readFile(this.pathOf(key));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await this.files.rm(this.pathOf(key), { force: true });
  }

  /** @throws Error for a key that is none: it could lead out of the folder */
  pathOf(key: string): string {
    if (!KEY.test(key) || key.length > MAX_KEY_LENGTH) throw new Error(`Not a blob key: ${key}`);
    return join(this.folder, ...key.split('/'));
  }
}
