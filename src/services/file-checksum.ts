/** Checksums of uploaded files: SHA-256 in base64url, in the document of the file. */
import { createHash, webcrypto } from 'node:crypto';
import { AlteredFileError, type BlobStore, type OpenBlob } from './blob-store.js';
import { lruOfEntries } from '../platform/lru.js';

/** Files that this process found intact, and need not read again while they are the same. */
const MAX_KNOWN = 10_000;

/** What the document of a file says of its bytes. */
export interface FileBytes {
  /** Of the store of files. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Absent for files that were stored before there were checksums. */
  readonly sha256?: string | undefined;
}

/** The checksum of a whole file, made by another thread. */
export async function checksumOfFile(data: Buffer): Promise<string> {
  // A view of the same bytes: the type of buffers says less than what they are.
  const bytes = data as Buffer<ArrayBuffer>;
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('base64url');
}

/** Reads an open file. @throws AlteredFileError where it is not what was stored */
async function assertSame(file: OpenBlob, { key, size, sha256 }: FileBytes): Promise<void> {
  if (sha256 === undefined) return;
  const hash = createHash('sha256');
  for (let offset = 0; offset < size;) {
    const part = await file.read(offset, size);
    if (part.length === 0) break;
    hash.update(part);
    offset += part.length;
  }
  if (hash.digest('base64url') !== sha256)
    throw new AlteredFileError(`${key}: its checksum differs`);
}

/** What is wrong with a file; null where it is as it was stored. @throws Error where it cannot be read */
export async function fileFault(
  files: Pick<BlobStore, 'open'>,
  bytes: FileBytes,
): Promise<string | null> {
  try {
    const file = await files.open(bytes.key, bytes.size);
    if (!file) return `${bytes.key} is not there`;
    try {
      await assertSame(file, bytes);
      return null;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof AlteredFileError) return error.message;
    throw error;
  }
}

/**
 * Checks files before they are served: each once, and again when it was changed, as far as its place tells. The first
 * reader of a large file waits until all of it is read, a tenth of a second for 25 MiB.
 */
export class FileChecks {
  private readonly known = lruOfEntries<string, { stamp: string; checked: Promise<void> }>(
    MAX_KNOWN,
  );

  /** @throws AlteredFileError where it is not what was stored */
  async assertIntact(file: OpenBlob, bytes: FileBytes): Promise<void> {
    if (bytes.sha256 === undefined) return;
    const { key } = bytes;
    const { stamp } = file;
    const known = this.known.get(key);
    if (known?.stamp === stamp) return known.checked;
    const checked = assertSame(file, bytes);
    this.known.set(key, { stamp, checked });
    try {
      await checked;
    } catch (error) {
      // Also where it could not be read: the next one tries again.
      this.known.delete(key);
      throw error;
    }
  }
}
