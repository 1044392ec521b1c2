/**
 * What a WebSocket and a stream of server-sent events push of a queue (socket.md), and the body of the reply to a poll:
 * bytes that all who are sent the same share.
 */
import { HEARTBEAT_INTERVAL_MS } from '../../../actors/event-queue.js';
import type { EventQueue, EventText } from '../../journal/queues/event-queue.js';
import { storedPart, type GzipPart } from '../reply/gzip-parts.js';
import { eventsPart } from '../reply/stream-encoder.js';

/** Length of events that share a frame, UTF-16 units. */
const MAX_FRAME = 128 * 1024;

/** The greeting, with the cursor of what follows. */
export function helloOf(queue: EventQueue) {
  return {
    type: 'hello',
    queue_id: queue.queueId,
    last_event_id: queue.length === 0 ? queue.newestId : queue.acknowledgedId,
    heartbeat_interval_seconds: HEARTBEAT_INTERVAL_MS / 1000,
  };
}

/** Index of the first event with a larger id (binary search). */
export function firstAfter(events: readonly EventText[], id: number): number {
  const last = events.length - 1;
  // Nearly always the newest one alone is.
  if (last >= 0 && events[last]!.id > id && (last === 0 || events[last - 1]!.id <= id)) return last;
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.id > id) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** End of the frame that begins at `start`: at least one event, not more than fit. */
export function frameEnd(events: readonly EventText[], start: number): number {
  let size = events[start]!.size;
  let end = start + 1;
  while (end < events.length && size + events[end]!.size <= MAX_FRAME) {
    size += events[end]!.size;
    end += 1;
  }
  return end;
}

/** Length of the ids that queues get (`newToken`). */
const QUEUE_ID_LENGTH = 24;
const QUEUE_ID_ROOM = '-'.repeat(QUEUE_ID_LENGTH);
const POLL_END = '"}\n';
/** Bytes at the end of the reply to a poll that are its queue's. */
const OWN_LENGTH = QUEUE_ID_LENGTH + POLL_END.length;

/** The reply to a poll. @param json the events; @param tail JSON text of further fields, after a comma, or empty */
export function pollText(queueId: string, json: string, tail: string): string {
  return `{"result":"success","msg":"","events":[${json}],"queue_id":"${queueId}"${tail}}\n`;
}

/**
 * How events are written: as a WebSocket's text; as a stream's event, whose id is the cursor to come back with; as the
 * body of the reply to a poll, with room for the queue's id.
 */
type Wire = keyof EventText['frames'];

export function frameText(wire: Wire, json: string, newestId: number): string {
  if (wire === 'socket') return `{"type":"events","events":[${json}]}`;
  if (wire === 'stream') return `id: ${newestId}\ndata: {"events":[${json}]}\n\n`;
  return pollText(QUEUE_ID_ROOM, json, '');
}

/**
 * The body of the reply to a poll with all waiting events, valid until the next call: it is made once for all queues with
 * the same events, and the id of each is written into it. Null where no other queue has them, or there are too many.
 */
export function sharedPollBody(queue: EventQueue): Buffer | null {
  const { queueId, length } = queue;
  const events = queue.pending();
  if (length === 0 || events[length - 1]!.queues < 2) return null;
  if (queue.bufferedBytes > MAX_FRAME || queueId.length !== QUEUE_ID_LENGTH) return null;
  const body = frameOf('poll', events, 0, length);
  const place = body.length - OWN_LENGTH;
  // Ids are ASCII, and a call into native code takes longer.
  for (let i = 0; i < QUEUE_ID_LENGTH; i++) body[place + i] = queueId.charCodeAt(i);
  return body;
}

/** The same compressed, but for the end that a queue has for itself. */
const compressedHeads = new WeakMap<Buffer, GzipPart>();

/** The parts of such a body as a gzip stream. @param body of {@link sharedPollBody} */
export function sharedPollParts(body: Buffer): readonly GzipPart[] {
  const place = body.length - OWN_LENGTH;
  let head = compressedHeads.get(body);
  if (!head) {
    head = eventsPart(body.subarray(0, place));
    compressedHeads.set(body, head);
  }
  return [head, storedPart(body.subarray(place))];
}

/** A frame of several events. */
interface SharedFrame {
  readonly wire: Wire;
  readonly events: readonly EventText[];
  readonly bytes: Buffer;
}

/**
 * Frames of several events that are kept: those of the largest backlog (8 Mi characters), so that all who are sent it at
 * once, and are slowed down each in its own way, share them. Together they have 8 MiB where all is ASCII, and 24 at most.
 */
const KEPT_FRAMES = 64;

/** The oldest first. */
const kept: SharedFrame[] = [];
/** The same by their last events. Several have the same one: they differ by wire, and by what each has been sent before. */
const byLast = new Map<EventText, SharedFrame[]>();

/** Bytes of the frame with some events, made once for all that send the same. */
export function frameOf(
  wire: Wire,
  events: readonly EventText[],
  start: number,
  end: number,
): Buffer {
  const last = events[end - 1]!;
  if (end - start === 1) {
    return (last.frames[wire] ??= Buffer.from(frameText(wire, last.json, last.id)));
  }
  const made = byLast
    .get(last)
    ?.find((frame) => frame.wire === wire && isOf(frame, events, start, end));
  if (made) return made.bytes;
  const own = events.slice(start, end);
  const json = own.map((event) => event.json).join();
  const frame = { wire, events: own, bytes: Buffer.from(frameText(wire, json, last.id)) };
  keep(frame, last);
  return frame.bytes;
}

function keep(frame: SharedFrame, last: EventText): void {
  if (kept.push(frame) > KEPT_FRAMES) {
    const oldest = kept.shift()!.events.at(-1)!;
    const same = byLast.get(oldest)!;
    if (same.length === 1) byLast.delete(oldest);
    else same.shift();
  }
  const same = byLast.get(last);
  if (same) same.push(frame);
  else byLast.set(last, [frame]);
}

function isOf(
  frame: SharedFrame,
  events: readonly EventText[],
  start: number,
  end: number,
): boolean {
  const { length } = frame.events;
  if (length !== end - start) return false;
  // Those that differ mostly differ at their end.
  for (let i = length - 1; i >= 0; i--) if (frame.events[i] !== events[start + i]) return false;
  return true;
}
