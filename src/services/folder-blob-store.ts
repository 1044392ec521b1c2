import { join } from 'node:path';
import { open, readdir } from '../platform/files.js';
import { FolderTree, replaceFile, systemFiles, type Files } from '../platform/durable-files.js';
import {
  AlteredFileError,
  checkKey,
  type BlobParts,
  type FileStore,
  type OpenBlob,
} from './blob-store.js';

/** Bytes read from disk at a time. */
const CHUNK_BYTES = 256 * 1024;

/** Files in a folder of this machine, which several may share. */
export class FolderBlobStore implements FileStore {
  private readonly folders: FolderTree;

  constructor(
    private readonly folder: string,
    private readonly files: Files = systemFiles,
  ) {
    this.folders = new FolderTree(folder, files);
  }

  get description(): string {
    return this.folder;
  }

  async put(key: string, data: Buffer | BlobParts): Promise<void> {
    const path = this.pathOf(key);
    await this.folders.make(key.split('/').slice(0, -1));
    await replaceFile(path, Buffer.isBuffer(data) ? data : data.read(), this.files);
  }

  async get(key: string): Promise<Buffer | undefined> {
    return unlessMissing(this.files.readFile(this.pathOf(key)));
  }

  async open(key: string, size: number): Promise<OpenBlob | undefined> {
    const path = this.pathOf(key);
    const file = await unlessMissing(open(path, 'r'));
    if (!file) return undefined;
    const found = await file.stat();
    if (found.size !== size) {
      await file.close();
      throw new AlteredFileError(`${path} has ${found.size} bytes in place of ${size}`);
    }
    return {
      stamp: `${found.ino} ${found.mtimeMs} ${found.ctimeMs}`,
      read: async (offset, end) => {
        const length = Math.min(CHUNK_BYTES, end - offset);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
      close: () => file.close(),
    };
  }

  async delete(key: string): Promise<void> {
    await this.files.rm(this.pathOf(key), { force: true });
  }

  async holdsFiles(): Promise<boolean> {
    return ((await unlessMissing(readdir(this.folder))) ?? []).length > 0;
  }

  close(): void {
    // A folder needs no connection.
  }

  private pathOf(key: string): string {
    checkKey(key);
    return join(this.folder, ...key.split('/'));
  }
}

async function unlessMissing<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
