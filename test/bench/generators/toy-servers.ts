/** Servers that deliver wrongly on purpose. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { BUILT_IN, EventWriter } from '../../../bench/exchange/sample.js';
import type { Address } from '../../../bench/exchange/jobs.js';

export type Misbehaviour = 'none' | 'drops' | 'repeats' | 'swaps';

const writer = new EventWriter(BUILT_IN.message);

/** The marks a client of such a server gets instead of `0` to `count - 1`. */
function marks(count: number, misbehaviour: Misbehaviour): number[] {
  const list = Array.from({ length: count }, (_, mark) => mark);
  if (misbehaviour === 'drops') list.splice(1, 1);
  if (misbehaviour === 'repeats') list.splice(1, 0, 0);
  if (misbehaviour === 'swaps') list.splice(0, 2, 1, 0);
  return list;
}

export interface ToyServer {
  readonly address: Address;
  /** Lets the events go to whoever is attached. */
  release(): void;
  close(): Promise<void>;
}

async function listen(server: Server): Promise<ToyServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    release: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function answer(response: ServerResponse, body: string): void {
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

/** Gives each poller one event per poll, then holds. The event's id is its place in the list. */
export function startPollServer(count: number, misbehaviour: Misbehaviour): Promise<ToyServer> {
  const list = marks(count, misbehaviour);
  return listen(
    createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://toy').searchParams;
      const cursor = Number(query.get('last_event_id'));
      const mark = list[cursor];
      if (mark === undefined) return;
      const events = writer.write(mark, cursor + 1);
      const queue = JSON.stringify(query.get('queue_id'));
      answer(response, `{"result":"success","msg":"","events":[${events}],"queue_id":${queue}}`);
    }),
  );
}

/** Pushes everything at once when released. */
export async function startPushServer(
  count: number,
  misbehaviour: Misbehaviour,
): Promise<ToyServer> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.send('{"type":"hello","queue_id":"q","last_event_id":0}');
  });
  const toy = await listen(server);
  return {
    address: toy.address,
    release: () => {
      for (const socket of sockets.clients) {
        marks(count, misbehaviour).forEach((mark, index) => {
          socket.send(`{"type":"events","events":[${writer.write(mark, index + 1)}]}`);
        });
      }
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      await toy.close();
    },
  };
}

/** Streams everything at once when released, in chunks that end anywhere. */
export async function startStreamServer(
  count: number,
  misbehaviour: Misbehaviour,
): Promise<ToyServer> {
  const streams: ServerResponse[] = [];
  const toy = await listen(
    createServer((_, response) => {
      response.setHeader('Content-Type', 'text/event-stream');
      response.write('event: hello\ndata: {"queue_id":"q","last_event_id":0}\n\n');
      streams.push(response);
    }),
  );
  return {
    ...toy,
    release: () => {
      for (const response of streams) {
        const text = marks(count, misbehaviour)
          .map((mark, i) => `id: ${i + 1}\ndata: {"events":[${writer.write(mark, i + 1)}]}\n\n`)
          .join('');
        for (let at = 0; at < text.length; at += 100) response.write(text.slice(at, at + 100));
      }
    },
  };
}

/** Answers requests with what `reply` gives, when it gives it. */
export function startReplyServer(
  reply: (number: number) => Promise<{ status: number; body: string }>,
  asked: (url: string) => void = () => undefined,
): Promise<ToyServer> {
  let number = 0;
  return listen(
    createServer((request, response) => {
      request.resume();
      asked(request.url ?? '');
      void reply(number++).then(({ status, body }) => {
        response.statusCode = status;
        answer(response, body);
      });
    }),
  );
}
