import type { Socket } from 'node:net';
import { connect } from '../../platform/network.js';
import { ConnectionProof, type NodeAddress } from './node-proof.js';
import { NodeReply, parseHead, type NodeReplyHead } from './node-reply.js';
import type { QueuedRequest } from './request-queue.js';

export type { NodeAddress } from './node-proof.js';

/** Up to this size a reply is passed on at once when it is complete, bytes; a larger one while it comes. */
const WHOLE_BYTES = 64 * 1024;

/** Longest head of a reply, bytes; those of this server have a few hundred. */
const MAX_HEAD_BYTES = 64 * 1024;

/**
 * Where all connections read into: what was read is copied before the next one reads. Node would otherwise
 * allocate as much for every read.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** The owner of connections. */
interface ConnectionOwner {
  /** It is connected, or its reply is complete: it can send a request. */
  free(connection: NodeConnection): void;
  /** It is closed, with what it was doing. */
  closed(connection: NodeConnection): void;
  /** The reply of a request has come, or has begun to. */
  replied(request: QueuedRequest, reply: NodeReply): void;
  /** The reply of a request will not come. */
  lost(request: QueuedRequest): void;
}

/** NodeConnection is one connection to another node; it sends one request at a time and is then kept. */
export class NodeConnection {
  /** Since when it does what it does, by the owner's clock, milliseconds. */
  since = 0;
  /** Whether it was ever established, to a node with the key; one that was closed before has not reached the node. */
  isConnected = false;
  /** Why it was closed, where the system says so. */
  failure: Error | null = null;
  private readonly socket: Socket;
  private readonly proof: ConnectionProof;
  private request: QueuedRequest | null = null;
  private reply: NodeReply | null = null;
  /** The reply was handed to the owner. */
  private handed = false;
  private begun: Buffer | null = null;

  constructor(
    address: NodeAddress,
    key: string,
    private readonly owner: ConnectionOwner,
  ) {
    const { host, port } = address;
    this.proof = new ConnectionProof(key, address);
    const callback = (length: number): boolean => this.received(READ_BUFFER.subarray(0, length));
    this.socket = connect({ host, port, noDelay: true, onread: { buffer: READ_BUFFER, callback } });
    this.socket.on('connect', () => this.socket.write(this.proof.hello));
    // A close follows every error.
    this.socket.on('error', (error) => (this.failure = error));
    this.socket.on('close', () => this.ended());
  }

  /** `replying`: at the pace of the client, which is not waited for here. */
  get state(): 'connecting' | 'idle' | 'waiting' | 'replying' {
    if (!this.isConnected) return 'connecting';
    if (this.request === null) return 'idle';
    return this.handed ? 'replying' : 'waiting';
  }

  /** Sends a request; from here on nobody knows whether it is carried out, until its reply comes. */
  send(request: QueuedRequest): void {
    const { bytes, start, body } = request.message;
    this.request = request;
    this.socket.cork();
    this.socket.write(bytes.subarray(0, start));
    this.socket.write(this.proof.next());
    this.socket.write(bytes.subarray(start));
    for (const part of body) this.socket.write(part);
    this.socket.uncork();
  }

  /** Closes it; a request without its reply is lost. */
  destroy(): void {
    this.socket.destroy();
  }

  /** @returns whether to read on */
  private received(bytes: Buffer): boolean {
    try {
      return this.reply ? this.receivedBody(Buffer.from(bytes)) : this.receivedHead(bytes);
    } catch {
      this.destroy();
      return false;
    }
  }

  private receivedHead(bytes: Buffer): boolean {
    const all = this.begun ? Buffer.concat([this.begun, bytes]) : bytes;
    const end = all.indexOf(END_OF_HEAD);
    const isExpected = this.request !== null || !this.isConnected;
    if (end === -1 || !isExpected) {
      if (!isExpected || all.length > MAX_HEAD_BYTES) throw new Error('Not a reply');
      this.begun = Buffer.from(all);
      return true;
    }
    this.begun = null;
    // One character for each byte: its lines go on as they came.
    const head = parseHead(all.toString('latin1', 0, end));
    if (!this.isConnected) return this.introduced(head);
    const flow = { resume: () => void this.socket.resume(), discard: () => this.destroy() };
    this.reply = new NodeReply(head, flow);
    return this.receivedBody(Buffer.from(all.subarray(end + END_OF_HEAD.length)));
  }

  /** The reply to the first request has come. */
  private introduced({ status, lines }: NodeReplyHead): boolean {
    if (!this.proof.accepts(lines)) {
      const what =
        status === 200
          ? 'it does not prove that it has the key of the nodes'
          : `it refuses what other nodes send (${status})`;
      this.failure = new Error(`${what}: is it another server?`);
      this.destroy();
      return false;
    }
    this.isConnected = true;
    this.owner.free(this);
    return true;
  }

  private receivedBody(bytes: Buffer): boolean {
    const { request } = this;
    const reply = this.reply!;
    const goesOn = bytes.length === 0 || reply.receive(bytes);
    const { isComplete } = reply;
    if (!this.handed && (isComplete || reply.head.size > WHOLE_BYTES)) {
      this.handed = true;
      this.owner.replied(request!, reply);
    }
    if (isComplete) this.finished();
    return isComplete || goesOn;
  }

  private finished(): void {
    const { closes } = this.reply!.head;
    this.request = null;
    this.reply = null;
    this.handed = false;
    // Where the reply overtook the request, the rest of the request stands before the next one.
    if (closes || this.socket.writableLength > 0) this.destroy();
    else this.owner.free(this);
  }

  private ended(): void {
    const { request, reply, handed } = this;
    this.request = null;
    this.reply = null;
    if (handed) reply?.fail(new Error('The connection to the node broke'));
    else if (request) this.owner.lost(request);
    this.owner.closed(this);
  }
}
