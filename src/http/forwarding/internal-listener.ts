import {
  closeListenSocket,
  createApp,
  listen,
  portOf,
  utf8Text,
  type ListenSocket,
  type NativeApp,
  type NativeRequest,
  type NativeResponse,
} from '../native.js';
import { CHALLENGE, PROOF } from './internal-headers.js';
import { HELLO, ListenerProof } from './node-proof.js';
import { invalidJson, methodNotAllowed, notFound } from '../../errors/index.js';
import type { ErrorHandler } from '../error-handler.js';
import type { ConnectionGate } from '../limits/connection-limit.js';
import { guardApp } from '../limits/guarded.js';
import type { Exchange } from '../reply/exchange.js';
import { collectBody, keptBody, type BodyBudget } from '../request/body.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { inNextRound } from '../../turns/next-round.js';

const FORBIDDEN = utf8Text('403 Forbidden');

/**
 * InternalListener is the address at which the nodes of one organization reach one another. Whoever lacks
 * their key learns nothing there.
 */
export class InternalListener {
  readonly port: number;
  private readonly app: NativeApp = createApp();
  private readonly proof: ListenerProof;
  private socket: ListenSocket | undefined;

  /**
   * @param key of the nodes
   * @param enter a request of a node that has it
   * @param gate of its connections: strangers may open some, too
   * @throws Error when the port is in use or the address is not local
   */
  constructor(
    host: string,
    port: number,
    key: string,
    enter: (response: NativeResponse, request: NativeRequest) => void,
    gate: ConnectionGate,
  ) {
    if (key === '') throw new Error('The nodes need a key');
    guardApp(this.app, gate);
    this.app.any('/*', (response, request) => {
      if (this.proof.admits(request.getHeader('parley-node-proof'))) enter(response, request);
      else this.greet(response, request);
    });
    this.socket = listen(this.app, host, port);
    this.port = portOf(this.socket);
    gate.listensAt(this.port);
    this.proof = new ListenerProof(key, { host, port: this.port });
  }

  /**
   * Answers the first request of a connection; refuses any other. The answer comes in the next round of the event loop:
   * who says hello again without having heard it is cut off, so that nobody keeps the node busy with proofs.
   */
  private greet(response: NativeResponse, request: NativeRequest): void {
    const isHello = request.getUrl() === HELLO && request.getMethod() === 'get';
    const said = isHello ? this.proof.answer(request.getHeader('parley-node-challenge')) : null;
    if (said === null) {
      response.cork(() => {
        response.writeStatus(FORBIDDEN).end(utf8Text(''), true);
      });
      return;
    }
    let isGone = false;
    response.onAborted(() => {
      isGone = true;
    });
    inNextRound(() => {
      if (isGone) return;
      response.cork(() => {
        response.writeHeader(CHALLENGE, utf8Text(said.challenge));
        response.writeHeader(PROOF, utf8Text(said.proof));
        response.end(utf8Text(''));
      });
    });
  }

  /** Accepts no further connections. */
  closeListener(): void {
    if (this.socket) closeListenSocket(this.socket);
    this.socket = undefined;
  }

  /** Closes every connection. */
  stop(): void {
    this.closeListener();
    this.app.close();
  }
}

/** Paths of calls between nodes begin so. */
export const INTERNAL_BASE = '/internal/';

/** Largest body of a call between nodes, bytes. */
const MAX_CALL_BYTES = 1024 * 1024;
/** A longer one takes over a millisecond to parse and to answer. */
const LONG_CALL = 64 * 1024;

/** Answers a call of another node: JSON in, JSON out, also later; an `ApiError` reaches the caller as it is. */
export type InternalHandler = (body: unknown) => unknown;
/** Answers a call with any bytes: they are valid until the promise settles. */
export type InternalBytesHandler = (body: Buffer) => Promise<unknown>;

interface InternalRoute {
  readonly maxBytes: number;
  readonly answer: InternalBytesHandler;
}

/**
 * InternalCalls has what nodes of one organization call at one another beside the API. The calls are there
 * whatever the node does otherwise: a handler that needs a role refuses without it.
 */
export class InternalCalls {
  private readonly handlers = new Map<string, InternalRoute>();

  constructor(
    private readonly faults: ErrorHandler,
    private readonly budget: BodyBudget,
  ) {}

  /** @throws Error when the path is taken, or begins with something else than `/internal/` */
  add(path: string, handler: InternalHandler): void {
    this.addRoute(path, MAX_CALL_BYTES, async (body) => {
      const text = body.toString();
      // One in each round of the event loop, however many nodes call.
      if (text.length > LONG_CALL) await new EventLoopYield().take();
      return handler(parsed(text));
    });
  }

  /** As `add`, for calls whose bodies are no JSON. */
  addBytes(path: string, maxBytes: number, answer: InternalBytesHandler): void {
    // Kept, because the native layer takes a short body back when the call returns that gave it.
    this.addRoute(path, maxBytes, (body) => answer(keptBody(body)));
  }

  private addRoute(path: string, maxBytes: number, answer: InternalBytesHandler): void {
    if (!path.startsWith(INTERNAL_BASE) || this.handlers.has(path)) {
      throw new Error(`${path} cannot be a path of calls between nodes, or is one already`);
    }
    this.handlers.set(path, { maxBytes, answer });
  }

  /** @throws ApiError for a path or method that does not exist */
  serve(exchange: Exchange): void {
    const route = this.handlers.get(exchange.path);
    if (!route) throw notFound();
    if (exchange.method !== 'POST') throw methodNotAllowed(['POST']);
    const failed = (error: unknown): void => this.faults.fail(exchange, error);
    collectBody(exchange, route.maxBytes, this.budget, {
      complete: (body) => answer(exchange, route, body).catch(failed),
      refused: failed,
    });
  }
}

async function answer(exchange: Exchange, route: InternalRoute, body: Buffer): Promise<void> {
  const reply = await route.answer(body);
  exchange.reply(200, {}, JSON.stringify(reply ?? null));
}

/** @throws ApiError 400 */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidJson();
  }
}
