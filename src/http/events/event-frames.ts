/** What a WebSocket and a stream of server-sent events push of a queue (socket.md). */
import { HEARTBEAT_INTERVAL_MS } from '../../../actors/event-queue.js';
import type { EventQueue, EventText } from '../../journal/queues/event-queue.js';

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

/** Whether events wait after the newest one that was sent. */
export function isBehind(queue: EventQueue, sentId: number): boolean {
  const events = queue.pending();
  return events.length > 0 && events[events.length - 1]!.id > sentId;
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

/** JSON of some events, joined by commas. */
export function joined(events: readonly EventText[], start: number, end: number): string {
  let json = events[start]!.json;
  for (let i = start + 1; i < end; i++) json += `,${events[i]!.json}`;
  return json;
}
