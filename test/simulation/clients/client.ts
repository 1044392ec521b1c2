import { form, type Body, type Parameters, type WireEvent } from '../../system/harness/client.js';
import { PUBLIC_PORT } from '../node/node.js';
import { headIn, type Head } from '../node/http-text.js';
import type { Frame, Goodbye } from '../node/http-connection.js';
import { FORM_WITH_FILE, partsOf, type UploadedFile } from './form-with-file.js';
import type { End } from '../world/network.js';
import type { World } from '../world/world.js';

/** A reply; null stands for none: nobody knows what became of the request. */
export interface Reply {
  readonly status: number;
  readonly body: Body;
  readonly position: number | null;
  /** What it sets, with how long it is kept. */
  readonly cookies: readonly string[];
  /** Of a body that is no JSON. */
  readonly bytes: Buffer;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The client goes away after so many milliseconds. */
  readonly patienceMs?: number;
  /** The node that is asked; any where it is not named. */
  readonly node?: string;
  /** Before the path, where that is not of the API. */
  readonly base?: string;
  /** Sent instead of parameters. */
  readonly file?: UploadedFile;
}

/** A client leaves a request after so long, unless it says otherwise, milliseconds. */
export const PATIENCE_MS = 8000;
/** Messages that are asked for at once. */
const PAGE = 1000;
const POSITION = 'parley-position';
/** When a client that does not read stops, and when it goes on, as shares of its stay. */
const NAP = { from: 0.1, to: 0.8 };
const NO_BYTES: Buffer = Buffer.alloc(0);

/** A program of a user, at a host of its own, with one account. */
export class SimClient {
  /** Requests by their outcome. */
  static readonly NO_REPLY = 0;
  key = '';
  userId = 0;

  constructor(
    readonly world: World,
    readonly host: string,
    readonly email: string,
  ) {}

  get authorization(): string {
    return `Basic ${Buffer.from(`${this.email}:${this.key}`).toString('base64')}`;
  }

  /** The next node that this client turns to. */
  get node(): string {
    return this.world.random.pick(this.world.nodes).name;
  }

  /** Sends a request once. */
  call(
    method: string,
    path: string,
    parameters: Parameters = {},
    options: CallOptions = {},
  ): Promise<Reply | null> {
    const { node = this.node, headers = {}, patienceMs = PATIENCE_MS } = options;
    const { base = '/api/v1', file } = options;
    const text = form(parameters);
    const inQuery = method === 'GET' && text !== '';
    const body = file ? partsOf(file) : Buffer.from(inQuery ? '' : text);
    const type = file ? FORM_WITH_FILE : 'application/x-www-form-urlencoded';
    const lines = [
      `${method} ${base}${path}${inQuery ? `?${text}` : ''} HTTP/1.1`,
      'Host: parley.example',
      ...(this.key === '' ? [] : [`Authorization: ${this.authorization}`]),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(body.length === 0 ? [] : [`Content-Type: ${type}`]),
      `Content-Length: ${body.length}`,
    ];
    const request = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
    return new Promise((resolve) => {
      const end = this.world.network.connect(this.host, node, PUBLIC_PORT);
      const finished = (reply: Reply | null): void => {
        timer.cancel();
        end.close();
        this.world.answered(this, `${method} ${path}`, node, reply, parameters, file?.name);
        resolve(reply);
      };
      const timer = this.world.scheduler.in(patienceMs, () => finished(null));
      let received: Buffer = Buffer.alloc(0);
      end.onOpen = () => end.send(request);
      end.onClose = () => finished(null);
      end.onData = (payload) => {
        received = Buffer.concat([received, payload as Buffer]);
        const reply = replyIn(received);
        if (reply) finished(reply);
      };
    });
  }

  /** Sends a request until it succeeds. @throws Error for a refusal that stays */
  async mustCall(method: string, path: string, parameters: Parameters = {}): Promise<Body> {
    for (;;) {
      const reply = await this.call(method, path, parameters);
      if (reply?.status === 200) return reply.body;
      if (reply && reply.status !== 503) {
        throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      }
      await this.world.scheduler.pause(50);
    }
  }

  /** Texts of all messages of a narrow by their ids, however many there are: page by page. */
  async allMessages(narrow: readonly Body[]): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (let anchor: number | string = 'oldest'; ;) {
      const body = await this.mustCall('GET', '/messages', {
        ...{ anchor, num_before: 0, num_after: PAGE, apply_markdown: false },
        narrow,
      });
      const messages = body.messages as { id: number; content: string }[];
      for (const { id, content } of messages) found.set(id, content);
      if (body.found_newest === true || messages.length === 0) return found;
      anchor = messages.at(-1)!.id;
    }
  }

  /** Id of a channel that was made just now, as soon as a node that is asked has it. */
  async channelId(name: string): Promise<number> {
    for (;;) {
      const reply = await this.call('GET', '/get_stream_id', { stream: name });
      if (reply?.status === 200) return Number(reply.body.stream_id);
      await this.world.scheduler.pause(50);
    }
  }

  async logIn(password: string): Promise<void> {
    const body = await this.mustCall('POST', '/fetch_api_key', { username: this.email, password });
    this.key = String(body.api_key);
    this.userId = Number(body.user_id);
  }

  /** Reads a queue by a WebSocket or by server-sent events for a while; resolves when that is over. */
  listen(
    kind: 'socket' | 'stream',
    parameters: Parameters,
    stayMs: number,
    take: (events: readonly WireEvent[]) => number,
    naps = false,
  ): Promise<string> {
    const { node } = this;
    const path = `/api/v1/events?${form(parameters)}`;
    const upgrade =
      kind === 'socket'
        ? 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNpbXVsYXRpb24uLg==\r\nSec-WebSocket-Version: 13'
        : 'Accept: text/event-stream';
    const request = `GET ${path} HTTP/1.1\r\nHost: parley.example\r\nAuthorization: ${this.authorization}\r\n${upgrade}\r\n\r\n`;
    return new Promise((resolve) => {
      const end = this.world.network.connect(this.host, node, PUBLIC_PORT);
      const over = (how: string): void => {
        timer.cancel();
        end.close();
        resolve(how);
      };
      const timer = this.world.scheduler.in(stayMs, () => over('left'));
      const reader = kind === 'socket' ? readSocket : readStream;
      if (naps) {
        const { scheduler } = this.world;
        scheduler.in(NAP.from * stayMs, () => end.stopReading());
        scheduler.in(NAP.to * stayMs, () => end.read());
      }
      end.onOpen = () => end.send(Buffer.from(request));
      end.onClose = () => over('broken');
      end.onData = reader(end, take, over);
    });
  }
}

type Reader = (
  end: End,
  take: (events: readonly WireEvent[]) => number,
  over: (how: string) => void,
) => (payload: unknown) => void;

const readSocket: Reader = (end, take, over) => (payload) => {
  if (Buffer.isBuffer(payload)) {
    const head = headIn(payload);
    if (head?.first[1] !== '101') over(refusalOf(payload, head));
    return;
  }
  const message = payload as Frame | Goodbye;
  if ('code' in message) {
    over(`closed with ${message.code}`);
    return;
  }
  const frame = JSON.parse(message.frame) as { type: string; events?: WireEvent[] };
  if (frame.type === 'error') over(message.frame);
  const last_event_id = take(frame.events ?? []);
  const text = JSON.stringify({ type: 'ack', last_event_id });
  if (frame.events) end.send({ frame: text } satisfies Frame);
};

const readStream: Reader = (_end, take, over) => {
  let received: Buffer = Buffer.alloc(0);
  let head: Head | null = null;
  let text = '';
  return (payload) => {
    received = Buffer.concat([received, payload as Buffer]);
    if (!head) {
      head = headIn(received);
      if (!head) return;
      if (head.first[1] !== '200') {
        over(refusalOf(received, head));
        return;
      }
      received = received.subarray(head.size);
    }
    const chunks = takeChunks(received);
    received = chunks.rest;
    text += chunks.text;
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) takeBlock(block, take, over);
    if (chunks.isOver) over('ended');
  };
};

function takeBlock(
  block: string,
  take: (events: readonly WireEvent[]) => number,
  over: (how: string) => void,
): void {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
    }),
  );
  const data = fields.get('data');
  if (fields.get('event') === 'end') over(`ended: ${data}`);
  else if (data !== undefined && fields.has('id')) {
    take((JSON.parse(data) as { events: WireEvent[] }).events);
  }
}

function refusalOf(bytes: Buffer, head: Head | null): string {
  const status = head?.first[1] ?? '';
  const text = head ? bytes.toString('utf8', head.size) : '';
  return `refused ${status} ${(/"code":"(\w+)"/.exec(text) ?? [])[1] ?? ''}`;
}

function replyIn(bytes: Buffer): Reply | null {
  const head = headIn(bytes);
  if (!head) return null;
  const { headers, size, bodySize, first, cookies } = head;
  let text = '';
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunks = takeChunks(bytes.subarray(size));
    if (!chunks.isOver) return null;
    ({ text } = chunks);
  } else {
    if (bytes.length < size + bodySize) return null;
    if (isJson) text = bytes.toString('utf8', size, size + bodySize);
  }
  const position = headers.get(POSITION);
  return {
    status: Number(first[1]),
    cookies,
    bytes: isJson ? NO_BYTES : bytes.subarray(size, size + bodySize),
    body: text === '' ? {} : (JSON.parse(text) as Body),
    position: position === undefined ? null : Number(position),
  };
}

function takeChunks(bytes: Buffer): { text: string; rest: Buffer; isOver: boolean } {
  const parts: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n');
    const size = end < 0 ? NaN : Number.parseInt(rest.toString('latin1', 0, end), 16);
    if (size === 0) return { text: Buffer.concat(parts).toString(), rest, isOver: true };
    if (!(rest.length >= end + 4 + size)) {
      return { text: Buffer.concat(parts).toString(), rest, isOver: false };
    }
    parts.push(rest.subarray(end + 2, end + 2 + size));
    rest = rest.subarray(end + 4 + size);
  }
}
