import type { ForeignReply } from '../reply/exchange.js';
import { POSITION, positionIn, UNPROCESSED } from './internal-headers.js';

/** Bytes of a reply that are kept for a client that is slower than the leader. */
const MAX_KEPT_BYTES = 256 * 1024;

/** The head of another node's reply. */
export interface NodeReplyHead extends ForeignReply {
  /** The journal's position at that node; null where the reply does not tell. */
  readonly position: number | null;
  /** The request had no effect and may be sent to another node. */
  readonly isUnprocessed: boolean;
  /** The other node closes the connection. */
  readonly closes: boolean;
}

/** Lines of the connection, and those that the native layer adds to every reply. */
const NOT_PASSED_ON = new Set(['content-length', 'connection', 'date', 'uwebsockets']);

/**
 * Reads the head of a reply. Nodes reply with a length or without a body, and in no other way.
 * @param text without the empty line at its end
 * @throws Error for anything else
 */
export function parseHead(text: string): NodeReplyHead {
  const [first, ...all] = text.split('\r\n');
  const status = Number(first!.slice(9, 12));
  if (!first!.startsWith('HTTP/1.1 ') || !(status >= 200)) throw new Error('Not a reply of a node');
  const lines: string[] = [];
  let size = status === 204 || status === 304 ? 0 : -1;
  let position: number | null = null;
  let isUnprocessed = false;
  let closes = false;
  for (const line of all) {
    const colon = line.indexOf(': ');
    const name = line.slice(0, colon);
    if (name === UNPROCESSED) isUnprocessed = true;
    else if (!NOT_PASSED_ON.has(name.toLowerCase())) {
      lines.push(line);
      if (name === POSITION) position = positionIn(line.slice(colon + 2));
    } else if (name === 'Content-Length') size = Number(line.slice(colon + 2));
    else if (name === 'Connection') closes = line.endsWith('close');
  }
  if (!(size >= 0)) throw new Error('A reply of a node without a length');
  // A node of others, who have another key, at an address that was the leader's before.
  if (status === 403 && lines.length === 0) isUnprocessed = true;
  const statusLine = first!.slice(9);
  return {
    status,
    statusLine,
    lines: lines.join('\r\n'),
    size,
    position,
    isUnprocessed,
    closes,
  };
}

/**
 * NodeReply is the reply of another node, whose body may still be coming. What has come and was not read is
 * bounded: `receive` says when to pause.
 */
export class NodeReply {
  private chunks: Buffer[] = [];
  /** Offset of the first chunk in the body. */
  private start = 0;
  private received = 0;
  private failure: Error | null = null;
  private arrived: (() => void) | undefined;

  /** @param flow the connection it comes by */
  constructor(
    readonly head: NodeReplyHead,
    private readonly flow: { resume(): void; discard(): void },
  ) {}

  /** Whether the whole body has come. */
  get isComplete(): boolean {
    return this.received === this.head.size;
  }

  /** The whole body, where it has come and nothing was read. */
  whole(): Buffer {
    return this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
  }

  /** Adds bytes. @returns whether more may come */
  receive(bytes: Buffer): boolean {
    this.chunks.push(bytes);
    this.received += bytes.length;
    this.arrived?.();
    return this.received - this.start < MAX_KEPT_BYTES;
  }

  /** The rest will not come. */
  fail(error: Error): void {
    this.failure = error;
    this.arrived?.();
  }

  /** Some bytes from `offset` on; none at the end. Offsets must not decrease. @throws Error where the rest is lost */
  async read(offset: number): Promise<Buffer> {
    while (this.chunks.length > 0 && offset >= this.start + this.chunks[0]!.length) {
      this.start += this.chunks.shift()!.length;
    }
    while (this.chunks.length === 0 && !this.isComplete) {
      if (this.failure) throw this.failure;
      this.flow.resume();
      await new Promise<void>((resolve) => (this.arrived = resolve));
    }
    return this.chunks[0]?.subarray(offset - this.start) ?? Buffer.alloc(0);
  }

  /** The whole body, once it has come. @throws Error where the rest is lost */
  async text(): Promise<string> {
    const read: Buffer[] = [];
    for (let offset = 0; offset < this.head.size; offset += read.at(-1)!.length) {
      read.push(await this.read(offset));
    }
    return Buffer.concat(read).toString();
  }

  /** Nobody reads the rest. */
  discard(): void {
    if (!this.isComplete) this.flow.discard();
  }
}
