import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket, type ClientOptions } from 'ws';
import { replyFault } from './contract.js';
import { utf8Of } from './utf8.js';

/** Parameters as a client has them: strings go raw, everything else as JSON. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A JSON object of a reply. */
export type Body = Record<string, unknown>;

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The text as it came. */
  readonly text: string;
  readonly body: Body;
}

/** An event as it came. */
export type WireEvent = Body & { readonly id: number; readonly type: string };

/** What `POST /register` answers. */
export type Snapshot = Body & { readonly queue_id: string; readonly last_event_id: number };

export interface RawRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** Called when the whole request was handed to the operating system. */
  readonly sent?: () => void;
}

export type PollOptions = Pick<RawRequest, 'signal' | 'sent'> & { readonly dontBlock?: boolean };

/** A poll that the server holds. */
export interface HeldPoll {
  readonly events: Promise<WireEvent[]>;
}

/** Pause before what got 503 is sent again, milliseconds. */
const AGAIN_MS = 25;

/** Idle connections are closed after so long: the server does it after 8 s and more. Milliseconds. */
const IDLE_MS = 4000;

/** Connections that stay open, as many as there are requests under way. */
export const agent = new Agent({ keepAlive: true, maxSockets: Infinity, timeout: IDLE_MS });

/** Since when an idle connection is idle. */
const idleSince = new WeakMap<Duplex, number>();
agent.on('free', (socket: Duplex) => idleSince.set(socket, performance.now()));

/**
 * Closes what has been idle for too long and is still kept: the agent's timer comes too late where this process
 * was busy for seconds without a turn of its event loop (it compiles the contract, say, on a machine that others
 * use too) and now sends a request in the same turn, into a connection that the server has closed meanwhile.
 */
export function closeStale(url: string): void {
  const { hostname, port } = new URL(url);
  const oldest = performance.now() - IDLE_MS;
  // The one that became idle first comes first.
  for (const socket of agent.freeSockets[agent.getName({ host: hostname, port: Number(port) })] ??
    []) {
    if ((idleSince.get(socket) ?? 0) > oldest) return;
    socket.destroy();
  }
}

/** The form text of parameters. */
export function form(parameters: Parameters): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) {
      text.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
  }
  return text.toString();
}

/** The method a form asks for: some clients can only send POST (errors.md#status-codes). */
function meant(method: string, body: string | Buffer): string {
  if (method !== 'POST' || !body.includes('method=')) return method;
  return /(?:^|&)method=([A-Z]+)/.exec(String(body))?.[1] ?? method;
}

/** A reply that is not as the published document says. */
export class ContractError extends Error {}

/** One request, exactly as described. @throws Error when the connection breaks, or the reply is no JSON in UTF-8 */
export function exchange(
  url: string,
  method: string,
  path: string,
  raw: RawRequest = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { body = '' } = raw;
    const headers: Record<string, string | number> = { ...raw.headers };
    if (body.length > 0) headers['Content-Length'] = Buffer.byteLength(body);
    closeStale(url);
    const sent = request(
      `${url}${path}`,
      { method, agent, headers, signal: raw.signal },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          try {
            const text = utf8Of(bytes);
            const parsed = text === '' ? {} : (JSON.parse(text) as Body);
            const { statusCode: status = 0, headers: received } = response;
            // As the server does.
            const asked = path.replace(/\/{2,}/g, '/');
            const fault = replyFault(meant(method, body), asked, status, parsed);
            if (fault !== null) reject(new ContractError(fault));
            else resolve({ status, headers: received, text, body: parsed });
          } catch (error) {
            const fault = error instanceof SyntaxError ? 'no JSON' : String(error);
            reject(new Error(`${method} ${path}: ${fault}: ${bytes.toString('utf8', 0, 200)}`));
          }
        });
      },
    );
    sent.on('error', reject);
    if (raw.sent) sent.on('finish', raw.sent);
    sent.end(body);
  });
}

/** An account's connection to a server. */
export class ApiClient {
  constructor(
    readonly url: string,
    /** May be changed with the account's. */
    public email: string,
    readonly key: string,
    readonly userId: number,
  ) {}

  /** Logs in by password. */
  static async login(url: string, email: string, password: string): Promise<ApiClient> {
    const { body } = await exchange(url, 'POST', '/api/v1/fetch_api_key', {
      headers: FORM,
      body: form({ username: email, password }),
    });
    if (body.result !== 'success') throw new Error(`login failed: ${JSON.stringify(body)}`);
    return new ApiClient(url, String(body.email), String(body.api_key), Number(body.user_id));
  }

  /** The same account on another address, e.g. after a restart. */
  at(url: string): ApiClient {
    return new ApiClient(url, this.email, this.key, this.userId);
  }

  get authorization(): string {
    return `Basic ${Buffer.from(`${this.email}:${this.key}`).toString('base64')}`;
  }

  /** A call whose outcome is the caller's to judge. GET has its parameters in the query. */
  call(
    method: string,
    path: string,
    parameters: Parameters = {},
    options: Pick<RawRequest, 'signal' | 'sent'> = {},
  ): Promise<Reply> {
    const text = form(parameters);
    const inQuery = method === 'GET' && text !== '';
    const headers: Record<string, string> = { Authorization: this.authorization };
    if (!inQuery && text !== '') Object.assign(headers, FORM);
    return exchange(this.url, method, `/api/v1${path}${inQuery ? `?${text}` : ''}`, {
      headers,
      body: inQuery ? '' : text,
      ...options,
    });
  }

  /** A call that must succeed. @throws Error with the reply otherwise */
  async ok(method: string, path: string, parameters: Parameters = {}): Promise<Body> {
    const { status, body } = await this.call(method, path, parameters);
    if (status !== 200 || body.result !== 'success') {
      throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    }
    return body;
  }

  /** As `ok`, but sent again while it gets 503, as clients do. */
  async okInTheEnd(method: string, path: string, parameters: Parameters = {}): Promise<Body> {
    for (;;) {
      const { status, text, body } = await this.call(method, path, parameters);
      if (status === 200) return body;
      if (status !== 503) throw new Error(`${method} ${path}: ${status} ${text}`);
      await pause(AGAIN_MS);
    }
  }

  async register(parameters: Parameters = {}): Promise<Snapshot> {
    return (await this.ok('POST', '/register', parameters)) as Snapshot;
  }

  /** Acknowledges up to `last` and returns what follows, waiting for an event unless told not to. */
  async poll(
    queueId: string,
    last: number,
    { dontBlock, ...options }: PollOptions = {},
  ): Promise<WireEvent[]> {
    const parameters = {
      queue_id: queueId,
      last_event_id: last,
      ...(dontBlock ? { dont_block: true } : {}),
    };
    const { status, body } = await this.call('GET', '/events', parameters, options);
    if (status !== 200) throw new Error(`GET /events: ${status} ${JSON.stringify(body)}`);
    return body.events as WireEvent[];
  }

  /** Begins to poll an empty queue; returns when the server holds the poll. */
  async hold(queueId: string, last: number, signal?: AbortSignal): Promise<HeldPoll> {
    let events: Promise<WireEvent[]> | undefined;
    await new Promise<void>((resolve) => {
      events = this.poll(queueId, last, { signal, sent: resolve });
    });
    // Whoever awaits it later still sees the failure.
    events!.catch(() => undefined);
    // The server reads what came first first: when it answers this, it has read the poll.
    await this.ok('GET', '/users/me');
    await this.ok('GET', '/users/me');
    return { events: events! };
  }

  /** Sends a channel message and returns its id. */
  async say(content: string, channel = 'general', topic = 'test'): Promise<number> {
    const reply = await this.ok('POST', '/messages', {
      type: 'channel',
      to: channel,
      topic,
      content,
    });
    return Number(reply.id);
  }

  /** Sends a direct message and returns its id. */
  async tell(to: readonly number[], content: string): Promise<number> {
    const reply = await this.ok('POST', '/messages', { type: 'direct', to, content });
    return Number(reply.id);
  }

  /** Creates an account and logs in as it. */
  async createUser(name: string): Promise<ApiClient> {
    const email = `${name}@example.org`;
    const password = `willow-anchor-${name}-47`;
    const fullName = name[0]!.toUpperCase() + name.slice(1);
    await this.ok('POST', '/users', { email, full_name: fullName, password });
    return ApiClient.login(this.url, email, password);
  }

  /** A WebSocket on the queue channel, not yet open. */
  socket(parameters: Parameters = {}, options: ClientOptions = {}): WebSocket {
    const text = form(parameters);
    const url = `${this.url.replace('http', 'ws')}/api/v1/events${text === '' ? '' : `?${text}`}`;
    return new WebSocket(url, { headers: { Authorization: this.authorization }, ...options });
  }
}

export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' } as const;
