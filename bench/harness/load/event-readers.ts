import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createGunzip } from 'node:zlib';
import { WebSocket } from 'ws';
import type { Address, Seat } from '../../exchange/jobs.js';

/** Ways in which events come over the wire. */
export const FORMS = [
  'socket',
  'socket, compressed',
  'stream',
  'stream, gzip',
  'poll',
  'poll, gzip',
] as const;

export type Form = (typeof FORMS)[number];

/** A client that decodes what comes and counts the bytes on the wire. */
export interface EventReader {
  /** Bytes that came, headers included. */
  bytes(): number;
  close(): void;
}

/** Is told of each event's text as it was decoded, in order. */
type OnText = (text: string) => void;

/** Opens a client of a form; it is ready when its connection is. */
export function openReader(
  form: Form,
  address: Address,
  seat: Seat,
  onText: OnText,
): Promise<EventReader> {
  const coding = form.includes(',');
  if (form.startsWith('socket')) return openSocket(address, seat, coding, onText);
  return form.startsWith('stream')
    ? openStream(address, seat, coding, onText)
    : Promise.resolve(new Poller(address, seat, coding, onText));
}

function pathOf({ queueId, lastEventId }: Seat): string {
  return `/api/v1/events?queue_id=${queueId}&last_event_id=${lastEventId}`;
}

async function openSocket(
  { host, port }: Address,
  seat: Seat,
  isCompressed: boolean,
  onText: OnText,
): Promise<EventReader> {
  const asks = isCompressed ? '&compression=message' : '';
  const client = new WebSocket(`ws://${host}:${port}${pathOf(seat)}${asks}`, {
    headers: { Authorization: seat.authorization },
    perMessageDeflate: isCompressed,
  });
  client.on('message', (data: Buffer) => onText(data.toString()));
  await once(client, 'open');
  if (isCompressed !== (client.extensions !== '')) throw new Error('The socket has another form');
  const { _socket: wire } = client as unknown as { readonly _socket: Socket };
  return { bytes: () => wire.bytesRead, close: () => client.terminate() };
}

function headersOf({ authorization }: Seat, isCompressed: boolean, accept: string) {
  const coding = isCompressed ? 'gzip' : 'identity';
  return { Authorization: authorization, Accept: accept, 'Accept-Encoding': coding };
}

function answerTo(
  { host, port }: Address,
  seat: Seat,
  headers: Readonly<Record<string, string>>,
  agent: Agent | false,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host, port, path: pathOf(seat), agent, headers }, resolve).on('error', reject);
  });
}

async function openStream(
  address: Address,
  seat: Seat,
  isCompressed: boolean,
  onText: OnText,
): Promise<EventReader> {
  const headers = headersOf(seat, isCompressed, 'text/event-stream');
  const response = await answerTo(address, seat, headers, false);
  const { socket } = response;
  // An event may come in two pieces, a character too.
  let rest = '';
  const decoded = isCompressed ? response.pipe(createGunzip()) : response;
  decoded.setEncoding('utf8').on('data', (text: string) => {
    const end = (rest += text).lastIndexOf('\n') + 1;
    if (end > 0) onText(rest.slice(0, end));
    rest = rest.slice(end);
  });
  return { bytes: () => socket.bytesRead, close: () => socket.destroy() };
}

/** Asks again as soon as it is answered. */
class Poller implements EventReader {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly sockets = new Set<Socket>();
  private isClosed = false;

  constructor(
    private readonly address: Address,
    private readonly seat: Seat,
    private readonly isCompressed: boolean,
    private readonly onText: OnText,
  ) {
    void this.run().catch((error: unknown) => {
      if (!this.isClosed) throw error;
    });
  }

  bytes(): number {
    return [...this.sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }

  close(): void {
    this.isClosed = true;
    for (const socket of this.sockets) socket.destroy();
    this.agent.destroy();
  }

  private async run(): Promise<void> {
    const headers = headersOf(this.seat, this.isCompressed, 'application/json');
    for (let { lastEventId } = this.seat; !this.isClosed;) {
      const seat = { ...this.seat, lastEventId };
      const response = await answerTo(this.address, seat, headers, this.agent);
      this.sockets.add(response.socket);
      const isGzip = response.headers['content-encoding'] === 'gzip';
      const decoded = (isGzip ? response.pipe(createGunzip()) : response).setEncoding('utf8');
      let text = '';
      for await (const chunk of decoded) text += String(chunk);
      const { events } = JSON.parse(text) as { events: { id: number }[] };
      lastEventId = events.at(-1)?.id ?? lastEventId;
      this.onText(text);
    }
  }
}
