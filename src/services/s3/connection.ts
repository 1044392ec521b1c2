import { createHash } from 'node:crypto';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { httpAgent, httpRequest, httpsAgent, httpsRequest } from '../../platform/network.js';
import { random } from '../../platform/randomness.js';
import { pause, timeoutSignal } from '../../platform/timers.js';
import type { BlobParts } from '../blob-store.js';
import type { S3Place } from './place.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { S3Credentials } from './credentials.js';

/** One request to a bucket. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Key of an object; null for the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | BlobParts;
  /** A longer reply is an error. */
  readonly maxBytes: number;
}

/** A successful reply. */
export interface S3Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** The bucket did not answer in time, or refused. */
export class S3Error extends Error {
  constructor(
    message: string,
    /** Null where there was no reply. */
    readonly status: number | null,
    /** Code of S3, such as `NoSuchKey`; empty where the reply has none. */
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'S3Error';
  }
}

/** Waits of the connection, milliseconds. */
export interface S3Waits {
  /** A connection on which no byte moves for so long is broken. */
  readonly idleMs: number;
  /** All attempts of a request together; for one with a body {@link S3Waits.uploadMs}. */
  readonly totalMs: number;
  readonly uploadMs: number;
}

/**
 * An answer takes a few milliseconds, a part of 1 MiB less than a second; clients give up after a minute, so 25 MiB
 * that take longer than 45 s (0.6 MiB/s) would be stored for nobody.
 */
const WAITS: S3Waits = { idleMs: 5000, totalMs: 10_000, uploadMs: 45_000 };

/** The first attempt and two more: for a kept connection that had ended, and a store that asks to slow down. */
const ATTEMPTS = 3;
/** Pause before the second attempt; four times as long before the third. Milliseconds. */
const PAUSE_MS = 100;
/** Replies after which the same request may succeed. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** Connections at a time; further requests wait for one of them. */
const MAX_CONNECTIONS = 64;
/** Unused connections that are kept. */
const MAX_KEPT = 8;
/** Largest reply that explains a refusal; Amazon's have a few hundred bytes. */
const MAX_FAULT_BYTES = 16 * 1024;
/** A body is handed to the network in such parts, and hashed in them. */
const PART_BYTES = 256 * 1024;
/** Signing keys remembered, one per day and credentials. */
const MAX_SIGNING_KEYS = 8;
const HASH_OF_NOTHING = createHash('sha256').digest('hex');

/** S3Connection sends signed requests to one bucket, again where that may help, and within bounds of time. */
export class S3Connection {
  private readonly agent: Agent;
  private readonly base: string;
  private readonly signingKeys = new Map<string, ArrayBuffer>();

  constructor(
    private readonly place: S3Place,
    private readonly credentials: S3Credentials,
    private readonly waits: S3Waits = WAITS,
  ) {
    const { endpoint, bucket, style } = place;
    const kept = { keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: MAX_KEPT };
    this.agent = this.isEncrypted ? httpsAgent(kept) : httpAgent(kept);
    this.base =
      style === 'path' ? `${endpoint}/${bucket}` : endpoint.replace('://', `://${bucket}.`);
  }

  /**
   * The reply to a request, which must be safe to repeat.
   * @throws S3Error, with the last attempt's fault as its cause
   */
  async send(request: S3Request): Promise<S3Reply> {
    const total = request.body ? this.waits.uploadMs : this.waits.totalMs;
    const deadline = timeoutSignal(total);
    const hash = request.body ? await hashOf(request.body) : HASH_OF_NOTHING;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(request, hash, deadline);
      } catch (error) {
        const fault = asS3Error(error, deadline.aborted ? total : null);
        if (attempt === ATTEMPTS || deadline.aborted || !(await this.mayHelp(fault))) throw fault;
      }
      // Spread, so that requests that failed together do not come back together.
      const ms = PAUSE_MS * 4 ** (attempt - 1) * (0.5 + random());
      await pause(ms, undefined, { signal: deadline }).catch(() => undefined);
    }
  }

  /** Ends the connections. */
  close(): void {
    this.agent.destroy();
  }

  private get isEncrypted(): boolean {
    return this.place.endpoint.startsWith('https:');
  }

  /** Whether another attempt may succeed; credentials that have expired are read again. */
  private async mayHelp({ status }: S3Error): Promise<boolean> {
    if (status === 400 || status === 401 || status === 403) {
      return this.credentials.refresh().catch(() => false);
    }
    return status === null || TRANSIENT.has(status);
  }

  private async attempt(
    { method, key, query, headers, body, maxBytes }: S3Request,
    hash: string,
    signal: AbortSignal,
  ): Promise<S3Reply> {
    const { keyId, secret, token } = this.credentials.current;
    if (this.signingKeys.size >= MAX_SIGNING_KEYS) this.signingKeys.clear();
    const signed = await new AwsV4Signer({
      method,
      url: `${this.base}/${key ?? ''}${query ? `?${new URLSearchParams(query).toString()}` : ''}`,
      headers: { ...headers, 'X-Amz-Content-Sha256': hash },
      accessKeyId: keyId,
      secretAccessKey: secret,
      sessionToken: token,
      service: 's3',
      region: this.place.region,
      cache: this.signingKeys,
    }).sign();
    const length = body || method === 'PUT' ? { 'Content-Length': body?.length ?? 0 } : {};
    const outgoing = (this.isEncrypted ? httpsRequest : httpRequest)(signed.url, {
      method,
      headers: { ...Object.fromEntries(signed.headers), ...length },
      agent: this.agent,
      signal,
    });
    outgoing.setTimeout(this.waits.idleMs, () => outgoing.destroy(new Error('no answer')));
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.on('error', reject);
    });
    if (body) sendBody(body, outgoing);
    else outgoing.end();
    const reply = await answered;
    const { statusCode: status = 0 } = reply;
    const isDone = status >= 200 && status < 300;
    const content = await received(reply, isDone ? maxBytes : MAX_FAULT_BYTES);
    if (isDone) return { status, headers: reply.headers, body: content };
    const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(content.toString('latin1'))?.[1] ?? '';
    throw new S3Error(`${method} was answered with ${status} ${code}`.trim(), status, code);
  }
}

/** @param timeout the deadline, where it has passed */
function asS3Error(error: unknown, timeout: number | null): S3Error {
  if (error instanceof S3Error) return error;
  const { code, message } = error as { code?: unknown; message: string };
  const what = typeof code === 'string' ? code : message;
  const text = timeout === null ? `no reply (${what})` : `no reply within ${timeout / 1000} s`;
  return new S3Error(text, null, '', { cause: error });
}

/** Sends a body; parts that cannot be read end the attempt. */
function sendBody(body: Buffer | BlobParts, outgoing: ClientRequest): void {
  const parts = Buffer.isBuffer(body) ? partsOf(body) : body.read();
  Readable.from(parts, { objectMode: false })
    .on('error', (error) => outgoing.destroy(error))
    .pipe(outgoing);
}

function* partsOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PART_BYTES) yield body.subarray(at, at + PART_BYTES);
}

async function hashOf(body: Buffer | BlobParts): Promise<string> {
  if (!Buffer.isBuffer(body)) return body.hash;
  const hash = createHash('sha256');
  const turn = new EventLoopYield();
  for (const part of partsOf(body)) {
    hash.update(part);
    if (turn.isDue) await turn.take();
  }
  return hash.digest('hex');
}

/** The whole content. @throws Error for more than `max` bytes, or a reply that was cut */
async function received(reply: IncomingMessage, max: number): Promise<Buffer> {
  const announced = Number(reply.headers['content-length'] ?? max);
  if (!(announced <= max)) {
    reply.destroy();
    throw new Error(`a reply of more than ${max} bytes`);
  }
  // Put together while it arrives: a list of its parts and their sum would take twice its memory.
  const content = Buffer.allocUnsafeSlow(announced);
  let size = 0;
  for await (const part of reply as AsyncIterable<Buffer>) {
    // Leaving the loop ends the connection.
    if (size + part.length > announced) throw new Error(`a reply of more than ${max} bytes`);
    size += part.copy(content, size);
  }
  return content.subarray(0, size);
}
