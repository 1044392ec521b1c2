/**
 * Where uploaded files are kept, outside the store of documents. Keys are relative paths made by the
 * server, never by a client. A file is written before the document that names it, so a crash may leave a file that
 * nobody names, never a name without its file.
 */
export interface BlobStore {
  /**
   * Stores a whole file, replacing an older one of that key; durable when it resolves.
   * @throws Error where it may not be: it may be there all the same, as a name that was not made durable
   */
  put(key: string, data: Buffer | BlobParts): Promise<void>;
  /** A whole file, or undefined; for small ones. @throws Error when it cannot be read */
  get(key: string): Promise<Buffer | undefined>;
  /**
   * A file to be read in parts, or undefined.
   * @param size of the whole file
   * @throws AlteredFileError when it has another size. @throws Error when it cannot be read
   */
  open(key: string, size: number): Promise<OpenBlob | undefined>;
  /** Removes a file; does nothing when there is none. @throws Error */
  delete(key: string): Promise<void>;
}

/** The bytes of a file that is not in memory as a whole. */
export interface BlobParts {
  /** Of all parts together, bytes. */
  readonly length: number;
  /** SHA-256 of all of them, hexadecimal. */
  readonly hash: string;
  /** The parts from the beginning; called again where an attempt to store them failed. */
  read(): AsyncIterable<Buffer>;
}

/** A file that is being read; whoever opened it closes it. */
export interface OpenBlob {
  /** Another text when the file was changed since, as far as its place tells. */
  readonly stamp: string;
  /**
   * Some bytes from `offset` on, at least one, at most up to `end`; as many as memory allows.
   * @throws Error when they cannot be read
   */
  read(offset: number, end: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** A file is not what was stored under its key. */
export class AlteredFileError extends Error {
  override name = 'AlteredFileError';
}

/** A blob store as the process sees it that has it. */
export interface FileStore extends BlobStore {
  /** Names the place to the operator. */
  readonly description: string;
  /** Whether any file is there. @throws Error when that cannot be said */
  holdsFiles(): Promise<boolean>;
  /** Ends connections. */
  close(): void;
}

/**
 * Stores files under keys that nothing had before: all of them, or none.
 * @param remove gets the keys of those that were stored, or that may have been, where one fails
 */
export async function putNew(
  blobs: Pick<BlobStore, 'put'>,
  files: readonly (readonly [key: string, data: Buffer])[],
  remove: (keys: readonly string[]) => void,
): Promise<void> {
  const begun: string[] = [];
  try {
    for (const [key, data] of files) {
      begun.push(key);
      await blobs.put(key, data);
    }
  } catch (error) {
    remove(begun);
    throw error;
  }
}

const KEY = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;
const MAX_KEY_LENGTH = 500;

/**
 * Checks a key: segments of `[A-Za-z0-9._-]` joined by slashes, none of them starting with a dot.
 * @throws Error for a key that is none: it could lead out of the folder
 */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new Error(`Not a blob key: ${key}`);
}

/** Whether a text is a key. */
export function isKey(text: string): boolean {
  return KEY.test(text) && text.length <= MAX_KEY_LENGTH;
}
