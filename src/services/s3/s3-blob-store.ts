import type { S3Place } from './place.js';
import { filesUnavailable, serviceUnavailable, type ApiError } from '../../errors/index.js';
import {
  AlteredFileError,
  checkKey,
  isKey,
  type BlobParts,
  type FileStore,
  type OpenBlob,
} from '../blob-store.js';
import { S3Error, type S3Connection, type S3Reply, type S3Request } from './connection.js';
import { inBackground, untold } from '../../turns/background.js';

/** A file of a bucket. */
export interface ListedFile {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

/** Told when the bucket stops and begins to answer, once each. */
export interface S3Listener {
  failed(error: S3Error): void;
  recovered(): void;
}

const MIB = 1024 * 1024;

/** Files being stored, together: as many bodies as the server receives at once. Bytes. */
const MAX_STORING_BYTES = 16 * 25 * MIB;
/** Largest file that is read as a whole: pictures, which are far smaller. Bytes. */
const MAX_WHOLE_BYTES = 32 * MIB;
/**
 * The first part of a file, from the request that also checks whether the file exists: most files are pictures
 * that it holds as a whole. Bytes.
 */
const FIRST_BYTES = 64 * 1024;
/** A further part: large enough that the way to the bucket matters little. Bytes. */
const PART_BYTES = MIB;
/** Memory of all files that are being read: with more than 64 of them, their parts are smaller. Bytes. */
const READING_BYTES = 64 * MIB;
/** Removals that the bucket did not take, and that are made up for; further ones leave their files. */
const MAX_OWED = 10_000;
/** A listing of one file. */
const LIST = { 'list-type': '2', 'max-keys': '1' };
/** A thousand keys of 500 characters with what is said of each. Bytes. */
const MAX_LISTING = 2 * MIB;
/** Largest reply that says no more than that something was done, or lists one file. Bytes. */
const MAX_REPLY_BYTES = 64 * 1024;

/**
 * Files in a bucket. A large file is read by requests for one part each, the next when the client has taken the one
 * before: so a slow client holds no connection to the bucket, and a part that fails is asked for again.
 */
export class S3BlobStore implements FileStore {
  readonly description: string;
  private readonly prefix: string;
  private storing = 0;
  private reading = 0;
  private isAway = false;
  /** Keys of files to be removed when the bucket answers again. */
  private readonly owed = new Set<string>();
  private isMakingUp = false;

  constructor(
    { bucket, prefix }: S3Place,
    private readonly connection: S3Connection,
    private readonly listener: S3Listener,
  ) {
    this.prefix = prefix === '' ? '' : `${prefix}/`;
    this.description = `s3://${bucket}/${this.prefix}`;
  }

  async put(key: string, data: Buffer | BlobParts): Promise<void> {
    checkKey(key);
    this.owed.delete(key);
    // Of a file in parts, one is in memory.
    const held = Buffer.isBuffer(data) ? data.length : MIB;
    // The server counts a body until it is decoded, a folder takes it at once; a bucket may take a minute.
    if (this.storing + held > MAX_STORING_BYTES) {
      throw serviceUnavailable('Too many uploads at once');
    }
    this.storing += held;
    try {
      await this.ask({ method: 'PUT', key, body: data, maxBytes: MAX_REPLY_BYTES });
    } finally {
      this.storing -= held;
    }
  }

  async get(key: string): Promise<Buffer | undefined> {
    checkKey(key);
    const reply = await this.find({ method: 'GET', key, maxBytes: MAX_WHOLE_BYTES });
    return reply?.body;
  }

  async open(key: string, size: number): Promise<OpenBlob | undefined> {
    checkKey(key);
    const isWhole = size <= FIRST_BYTES;
    // A range of an empty file would be refused.
    const found = isWhole
      ? await this.find({ method: 'GET', key, maxBytes: FIRST_BYTES })
      : await this.find(rangeOf(key, 0, FIRST_BYTES));
    if (!found) return undefined;
    const total = isWhole ? found.body.length : totalOf(found);
    if (total !== size) {
      throw new AlteredFileError(
        `${this.description}${key} has ${total} bytes in place of ${size}`,
      );
    }
    const first = found.body;
    this.reading += 1;
    let isOpen = true;
    return {
      stamp: found.headers.etag ?? '',
      read: async (offset, end) => {
        if (offset < first.length) return first.subarray(offset, Math.min(end, first.length));
        const length = Math.min(this.partBytes, end - offset);
        const { body } = await this.ask(rangeOf(key, offset, length));
        if (body.length === length) return body;
        throw new Error(
          `${this.description}${key} gave ${body.length} bytes in place of ${length}`,
        );
      },
      close: async () => {
        if (isOpen) this.reading -= 1;
        isOpen = false;
      },
    };
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    try {
      await this.find({ method: 'DELETE', key, maxBytes: MAX_REPLY_BYTES });
      this.owed.delete(key);
    } catch (error) {
      if (this.owed.size < MAX_OWED) this.owed.add(key);
      throw error;
    }
  }

  async holdsFiles(): Promise<boolean> {
    const query = { ...LIST, ...(this.prefix === '' ? {} : { prefix: this.prefix }) };
    const { body } = await this.ask({ method: 'GET', key: null, query, maxBytes: MAX_REPLY_BYTES });
    return body.includes('<Contents>');
  }

  /**
   * Every file there is, in the order of keys; what somebody else put there under names that are no keys is left out.
   * @param most per request, at most a thousand
   * @throws ApiError 503
   */
  async *list(most = 1000): AsyncGenerator<ListedFile> {
    const { prefix } = this;
    let query: Record<string, string> = {
      ...{ 'list-type': '2', 'max-keys': String(most) },
      ...(prefix === '' ? {} : { prefix }),
    };
    for (;;) {
      const { body } = await this.ask({ method: 'GET', key: null, query, maxBytes: MAX_LISTING });
      const text = body.toString('utf8');
      for (const [, one = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const key = (inElement(one, 'Key') ?? '').slice(prefix.length);
        if (isKey(key)) yield { key, size: Number(inElement(one, 'Size')) };
      }
      const next = inElement(text, 'NextContinuationToken');
      if (next === undefined || inElement(text, 'IsTruncated') !== 'true') return;
      query = { ...query, 'continuation-token': next };
    }
  }

  close(): void {
    this.connection.close();
  }

  private get partBytes(): number {
    const share = Math.floor(READING_BYTES / Math.max(1, this.reading));
    return Math.max(FIRST_BYTES, Math.min(PART_BYTES, share));
  }

  /** The reply, or undefined where there is no such file. @throws ApiError 503 */
  private async find(request: S3Request): Promise<S3Reply | undefined> {
    try {
      return await this.ask(request);
    } catch (error) {
      const cause: unknown = (error as Error).cause;
      if (cause instanceof S3Error && cause.code === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  /** @throws ApiError 503 where the bucket does not answer or refuses; its cause says why */
  private async ask(request: S3Request): Promise<S3Reply> {
    const key = request.key === null ? null : this.prefix + request.key;
    try {
      const reply = await this.connection.send({ ...request, key });
      this.answered();
      return reply;
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      if (error.code === 'NoSuchKey') this.answered();
      else if (!this.isAway) {
        this.isAway = true;
        this.listener.failed(error);
      }
      throw unavailable(error);
    }
  }

  private answered(): void {
    if (!this.isAway) return;
    this.isAway = false;
    this.listener.recovered();
    inBackground(() => this.makeUp(), untold);
  }

  /** Removes what could not be removed, one file after the other, until the bucket fails again. */
  private async makeUp(): Promise<void> {
    if (this.isMakingUp) return;
    this.isMakingUp = true;
    try {
      for (const key of this.owed) await this.delete(key);
    } catch {
      // Told already; the rest waits for the next time.
    } finally {
      this.isMakingUp = false;
    }
  }
}

function rangeOf(key: string, first: number, length: number): S3Request {
  const headers = { Range: `bytes=${first}-${first + length - 1}` };
  // A store that ignores the range would send the whole file.
  return { method: 'GET', key, headers, maxBytes: length };
}

/** Size of the file that a reply is a part of; NaN where it does not say. */
function totalOf({ headers }: S3Reply): number {
  return Number(/^bytes \d+-\d+\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1]);
}

/** Text of the first element of a name; the characters of keys and tokens that XML escapes are put back. */
function inElement(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** The refusal that clients get (limits.md#busy). */
function unavailable(cause: S3Error): ApiError {
  const refusal = filesUnavailable();
  refusal.cause = cause;
  return refusal;
}
