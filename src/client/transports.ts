import { formOf, ParleyError, type Calls } from './calls.js';
import type { Event } from './types.js';

export type Transport = 'socket' | 'stream' | 'poll';

/** Place in a queue: everything up to the event is acknowledged. */
export interface Cursor {
  readonly queueId: string;
  readonly lastEventId: number;
}

/** An open connection of one queue. */
export interface Connection extends AsyncIterable<Event[]> {
  /** Says that everything up to an event was dealt with. */
  acknowledge(lastEventId: number): void;
}

/** The queue is gone: register again. */
export class QueueGone extends Error {
  override readonly name = 'QueueGone';
}

/** A newer consumer has taken the queue. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** The server is there, but nothing comes by this transport. */
export class Blocked extends Error {
  override readonly name = 'Blocked';
}

/**
 * Silence after which a connection counts as dead. Heartbeats come every 45 to 55 s, a little later on a busy machine.
 */
const SILENCE_MS = 75_000;
/** How long the greeting may take. Milliseconds. */
const GREETING_MS = 10_000;
/**
 * On a stream, so many events are acknowledged by one request at the latest; what came before is acknowledged by it
 * too.
 */
const UNACKNOWLEDGED = 50;

/** Opens a transport at a cursor; ends when `signal` fires. */
export function connect(
  transport: Transport,
  client: Calls,
  cursor: Cursor,
  signal: AbortSignal,
): Connection {
  const open = { socket: bySocket, stream: byStream, poll: byPoll }[transport];
  return open(client, cursor, signal);
}

function byPoll(client: Calls, { queueId, lastEventId }: Cursor, signal: AbortSignal): Connection {
  let last = lastEventId;
  return {
    // The next poll says it.
    acknowledge: (id) => (last = id),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const silence = new Silence(signal);
        try {
          const params = { queue_id: queueId, last_event_id: last };
          const { events } = await client.call('GET /events', params, { signal: silence.signal });
          yield events;
          // An empty reply is an early one: a newer consumer came, or the server goes down.
          if (events.length === 0) return;
        } catch (error) {
          throw meaningOf(error);
        } finally {
          silence.end();
        }
      }
    },
  };
}

function byStream(
  client: Calls,
  { queueId, lastEventId }: Cursor,
  signal: AbortSignal,
): Connection {
  let told = lastEventId;
  let waiting = 0;
  return {
    acknowledge(id) {
      waiting += 1;
      if (waiting < UNACKNOWLEDGED || id <= told) return;
      waiting = 0;
      told = id;
      const params = { queue_id: queueId, last_event_id: id };
      // What fails here, the next connection says by its cursor.
      client.call('POST /events/ack', params, { signal }).catch(() => undefined);
    },
    async *[Symbol.asyncIterator]() {
      const silence = new Silence(signal, GREETING_MS);
      try {
        const query = formOf({ queue_id: queueId, last_event_id: lastEventId });
        const response = await client.request(`${client.base}/events?${query}`, {
          headers: { Accept: 'text/event-stream' },
          signal: silence.signal,
        });
        if (!response.ok || !response.body) await client.read(response);
        for await (const { name, data } of fieldsOf(response.body!, silence)) {
          if (name === 'end') throw endOf(JSON.parse(data) as EndData);
          if (name === 'hello') yield [];
          else yield (JSON.parse(data) as { events: Event[] }).events;
        }
      } catch (error) {
        if (silence.isOver && silence.isFirst) throw new Blocked('No greeting on the stream');
        throw meaningOf(error);
      } finally {
        silence.end();
      }
    },
  };
}

function bySocket(
  client: Calls,
  { queueId, lastEventId }: Cursor,
  signal: AbortSignal,
): Connection {
  let tell: ((id: number) => void) | undefined;
  return {
    acknowledge: (id) => tell?.(id),
    async *[Symbol.asyncIterator]() {
      const { ticket } = await client.call('POST /events/ticket', {}, { signal });
      const query = formOf({ queue_id: queueId, last_event_id: lastEventId, ticket });
      const url = `${client.url.replace(/^http/, 'ws')}/api/v1/events?${query}`;
      const silence = new Silence(signal, GREETING_MS);
      const socket = new client.WebSocket!(url, 'parley.v1');
      const inbox: Event[][] = [];
      let code: number | undefined;
      let wake: () => void = () => undefined;
      tell = (id) => {
        if (code === undefined) socket.send(JSON.stringify({ type: 'ack', last_event_id: id }));
      };
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(String(data)) as { type: string; events?: Event[] };
        silence.heard();
        if (frame.type === 'hello') inbox.push([]);
        else if (frame.type === 'events') inbox.push(frame.events!);
        wake();
      };
      // The close event follows, and says more.
      socket.onerror = () => undefined;
      const closed = (event: { code: number }): void => {
        code = event.code;
        wake();
      };
      socket.onclose = closed;
      silence.signal.addEventListener('abort', () => closed({ code: 1000 }));
      try {
        for (;;) {
          const events = inbox.shift();
          if (events) yield events;
          else if (code !== undefined) break;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
        if (code === 4001) throw new QueueGone();
        if (code === 4002) throw new Superseded();
        if (code === 4003) throw loginEnded('UNAUTHORIZED', 'The login has ended');
        if (silence.isFirst && !signal.aborted) throw new Blocked('No greeting on the socket');
      } finally {
        tell = undefined;
        silence.end();
        socket.close();
      }
    },
  };
}

/** A signal that fires when nothing was received for too long, or when another one does. */
class Silence {
  isFirst = true;
  isOver = false;
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout>;
  private readonly stop = (): void => {
    // Also while the caller is busy with what it got: a feed that is closed must not keep the process from ending.
    clearTimeout(this.timer);
    this.controller.abort();
  };

  constructor(
    private readonly outer: AbortSignal,
    ms = SILENCE_MS,
  ) {
    this.timer = setTimeout(() => this.expire(), ms);
    if (outer.aborted) this.stop();
    outer.addEventListener('abort', this.stop);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  heard(): void {
    // What still comes after the end must not keep the process from ending.
    if (this.signal.aborted) return;
    this.isFirst = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.expire(), SILENCE_MS);
  }

  end(): void {
    this.outer.removeEventListener('abort', this.stop);
    this.stop();
  }

  private expire(): void {
    this.isOver = true;
    this.stop();
  }
}

interface EndData {
  readonly close_code: number;
  readonly code: string;
  readonly msg: string;
}

function endOf({ close_code: closeCode, code, msg }: EndData): Error {
  if (closeCode === 4001) return new QueueGone(msg);
  return closeCode === 4002 ? new Superseded(msg) : loginEnded(code, msg);
}

function loginEnded(code: string, msg: string): ParleyError {
  return new ParleyError(401, code, msg, { result: 'error', code, msg });
}

/** A refused queue as the push channel reports it. */
function meaningOf(error: unknown): unknown {
  const isGone = error instanceof ParleyError && error.code === 'BAD_EVENT_QUEUE_ID';
  return isGone ? new QueueGone(error.message) : error;
}

/** The events of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html), as far as ours uses it. */
async function* fieldsOf(
  body: ReadableStream<Uint8Array>,
  silence: Silence,
): AsyncGenerator<{ name: string; data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      silence.heard();
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const lines = block.split('\n');
        const field = (name: string): string | undefined =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = field('data');
        if (data !== undefined) yield { name: field('event') ?? 'message', data };
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
