import { ApiError, badRequest } from '../../errors/index.js';
import type { Consumer, EndReason, EventQueue } from '../../journal/queues/event-queue.js';
import type { Queues } from '../../journal/queues/queues.js';
import { withFloats } from '../../services/text/json-text.js';
import { connectionTurns } from '../../turns/connection-turns.js';
import { utf8Text, type NativeSocket } from '../native.js';
import { DEFLATED_BYTE_COST, holdsSecret } from '../reply/stream-encoder.js';
import { frameText, helloOf } from './event-frames.js';
import { FramePusher, type PushTarget } from './frame-pusher.js';

/** Results of `send` for a frame that went out whole, and for one that was dropped. */
const SENT = 1;
const DROPPED = 2;

/** The part of a native WebSocket that is used. */
export type Socket = Pick<NativeSocket<unknown>, 'send' | 'getBufferedAmount' | 'end'>;

/** Close codes (socket.md). */
const CLOSE: Readonly<Record<EndReason, readonly [number, string]>> = {
  superseded: [4002, 'A newer consumer took the queue'],
  expired: [4001, 'BAD_EVENT_QUEUE_ID'],
  deleted: [4001, 'BAD_EVENT_QUEUE_ID'],
  overflowed: [4001, 'BAD_EVENT_QUEUE_ID'],
  revoked: [4003, 'Credentials are no longer valid'],
  organization_deactivated: [4003, 'This organization has been deactivated'],
  draining: [1012, 'The server is restarting'],
};

/** Unsent bytes above which nothing more is pushed; events wait in the queue. */
export const MAX_UNSENT_BYTES = 256 * 1024;
/** Invalid frames over the life of a socket before it is closed with 1008. */
const MAX_BAD_FRAMES = 20;

/** What a frame takes until it is read, each byte of one that is parsed (JSON in brackets at worst), and a refusal. Nanoseconds. */
const FRAME_NS = 1500;
const PARSED_BYTE_NS = 65;
const REFUSAL_NS = 20_000;

/**
 * Frames that a socket may send in a round which has read those of others for long, and their bytes. More close it with
 * 1008: the native layer passes on all that it has read, and nothing else stops it.
 */
const MOST_KEPT = 8;
const MOST_KEPT_BYTES = 64 * 1024;
/**
 * The same for acknowledgements as nearly all clients write them, of which the newest is kept: as many as the events that
 * came while the server, or the network, stood still for some seconds.
 */
const MOST_KEPT_ACKNOWLEDGEMENTS = 64;

/**
 * WebSocketConsumer pushes a queue over a WebSocket (socket.md). It sends the events that were not sent on
 * this socket; the client's acknowledgements remove them from the queue.
 */
export class WebSocketConsumer implements Consumer, PushTarget {
  readonly kind = 'socket';
  deliveredAt: number;
  readonly byteCost: number;
  private badFrames = 0;
  private closed = false;
  /** Whether the native layer had something unsent after the newest frame, and has it still for all we know. */
  private clogged = false;
  private readonly pusher: FramePusher;
  /** Frames that wait to be read in a later round, or were pings in this one; and the bytes of them. */
  private kept: (Buffer | null)[] = [];
  private keptBytes = 0;
  /** Acknowledgements that wait likewise, and the newest of them. */
  private keptAcknowledgements = 0;
  private newestKept = -1;

  constructor(
    private readonly socket: Socket,
    private readonly queues: Queues,
    private readonly queue: EventQueue,
    private readonly now: () => number,
    /** Whether its frames are compressed, each by itself. */
    private readonly isCompressed = false,
  ) {
    this.byteCost = isCompressed ? DEFLATED_BYTE_COST : 1;
    this.deliveredAt = now();
    this.pusher = new FramePusher('socket', queue, queues.accountOf(queue), this);
  }

  /** Attaches to the queue, sends the greeting and the waiting events. */
  open(): void {
    const { queue } = this;
    const hello = JSON.stringify(helloOf(queue));
    this.clogged = this.socket.send(utf8Text(hello), false) !== SENT;
    this.queues.consumers.attach(queue, this);
    this.pusher.push();
  }

  /** Events are waiting. */
  wake(): void {
    this.pusher.push();
  }

  heartbeat(json: string): void {
    if (this.closed) return;
    this.pusher.push();
    // Before unsent events a heartbeat would make the client acknowledge events that it never got.
    if (this.closed || this.pusher.isBehind) return;
    this.send(Buffer.from(frameText('socket', json, this.queue.newestId)));
  }

  end(reason: EndReason): void {
    this.close(...CLOSE[reason]);
  }

  private close(code: number, message: string): void {
    if (this.closed) return;
    this.closed = true;
    this.socket.end(code, utf8Text(message));
  }

  /** The unsent bytes were sent. */
  drained(): void {
    this.pusher.push();
  }

  /** A text frame of the client; its bytes are valid during the call. */
  received(frame: ArrayBuffer): void {
    if (this.closed) return;
    const bytes = new Uint8Array(frame);
    const usual = usualAcknowledgement(bytes);
    const ns = usual === null ? FRAME_NS + PARSED_BYTE_NS * bytes.length : FRAME_NS;
    if (connectionTurns.countFrame(ns)) this.read(bytes, usual);
    else if (usual === null) this.keep(Buffer.from(bytes));
    else this.keepAcknowledgement(usual);
  }

  /** A ping or pong of the client. */
  pinged(): void {
    if (!this.closed && !connectionTurns.countFrame(FRAME_NS)) this.keep(null);
  }

  /** Keeps a frame for a later round. @param frame null for one of which nothing is to be read */
  private keep(frame: Buffer | null): void {
    this.keptBytes += frame?.length ?? 0;
    this.kept.push(frame);
    const isMore = this.keptBytes > MOST_KEPT_BYTES && this.kept.length > 1;
    this.waitWithKept(isMore || this.kept.length > MOST_KEPT);
  }

  private keepAcknowledgement(id: number): void {
    this.keptAcknowledgements += 1;
    this.newestKept = Math.max(this.newestKept, id);
    this.waitWithKept(this.keptAcknowledgements > MOST_KEPT_ACKNOWLEDGEMENTS);
  }

  private waitWithKept(areTooMany: boolean): void {
    if (areTooMany) return this.close(1008, 'Too many frames at once');
    if (this.kept.length + this.keptAcknowledgements > 1) return;
    connectionTurns.wait(0, this.queues.accountOf(this.queue), () => {
      const { kept, newestKept } = this;
      this.kept = [];
      this.keptBytes = 0;
      this.keptAcknowledgements = 0;
      this.newestKept = -1;
      if (newestKept >= 0 && !this.closed) this.acknowledge(newestKept);
      for (const one of kept) if (one && !this.closed) this.read(one, null);
    });
  }

  /** @param usual the id of an acknowledgement as nearly all clients write it */
  private read(bytes: Uint8Array, usual: number | null): void {
    try {
      this.acknowledge(usual ?? acknowledgement(bytes));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.refuse(error.message);
    }
  }

  /** Refuses a frame that is not text or not part of the protocol. */
  refuse(message: string): void {
    if (this.closed) return;
    connectionTurns.countFrame(REFUSAL_NS);
    this.badFrames += 1;
    if (this.badFrames > MAX_BAD_FRAMES) {
      this.close(1008, 'Too many bad frames');
      return;
    }
    const text = JSON.stringify({ type: 'error', code: 'BAD_REQUEST', msg: message });
    this.clogged = this.socket.send(utf8Text(text), false) !== SENT;
  }

  /** The native socket was closed. */
  gone(): void {
    this.closed = true;
    this.queues.consumers.release(this.queue, this);
  }

  private acknowledge(id: number): void {
    this.queue.touchedAt = this.now();
    // A repeated acknowledgement is harmless here: the client does not ask for older events.
    if (id > this.queue.acknowledgedId) this.queue.acknowledge(id);
  }

  get takes(): boolean {
    return !this.closed && this.queue.consumer === this && !this.isFull();
  }

  /** Whether more is unsent than may be. Nearly always nothing is: then the native layer is not asked. */
  private isFull(): boolean {
    if (!this.clogged) return false;
    const unsent = this.socket.getBufferedAmount();
    this.clogged = unsent > 0;
    return unsent > MAX_UNSENT_BYTES;
  }

  send(text: Buffer): boolean {
    const result = this.socket.send(text, false, this.isCompressed && !holdsSecret(text));
    if (result !== SENT) {
      // A dropped frame would be a gap: the client reconnects with its cursor.
      if (result === DROPPED) {
        this.close(1008, 'The connection is too slow');
        return false;
      }
      this.clogged = true;
    }
    this.deliveredAt = this.now();
    return true;
  }
}

const ACKNOWLEDGEMENT = Buffer.from('{"type":"ack","last_event_id":');
/** More digits are no number that JavaScript holds exactly. */
const MAX_DIGITS = 15;

/** The id of `{"type":"ack","last_event_id":n}` as nearly all clients write it; null for every other frame. */
function usualAcknowledgement(bytes: Uint8Array): number | null {
  const digits = bytes.length - ACKNOWLEDGEMENT.length - 1;
  if (digits < 1 || digits > MAX_DIGITS || bytes[bytes.length - 1] !== 0x7d) return null;
  for (let i = 0; i < ACKNOWLEDGEMENT.length; i++) {
    if (bytes[i] !== ACKNOWLEDGEMENT[i]) return null;
  }
  let id = 0;
  for (let i = ACKNOWLEDGEMENT.length; i < bytes.length - 1; i++) {
    const digit = bytes[i]! - 0x30;
    // JSON has no zeros before a number.
    if (digit < 0 || digit > 9 || (digit === 0 && id === 0 && digits > 1)) return null;
    id = id * 10 + digit;
  }
  return id;
}

/** @throws ApiError for a frame that is no acknowledgement */
function acknowledgement(bytes: Uint8Array): number {
  let frame: unknown;
  try {
    const text = Buffer.from(bytes).toString('utf8');
    frame = withFloats(text, JSON.parse(text));
  } catch {
    throw badRequest('Malformed JSON');
  }
  const { type, last_event_id: id } = (frame ?? {}) as { type?: unknown; last_event_id?: unknown };
  if (type !== 'ack') throw badRequest('Unknown frame type');
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) {
    throw badRequest('last_event_id is not an integer');
  }
  return id;
}
