import { invalidJson, methodNotAllowed, notFound } from '../../errors.js';
import type { ErrorHandler } from '../error-handler.js';
import type { Exchange } from '../exchange.js';
import { collectBody, type BodyBudget } from '../request/body.js';

/** Paths of calls between nodes begin so. */
export const INTERNAL_BASE = '/internal/';

/** Largest body of a call between nodes, bytes. */
const MAX_CALL_BYTES = 1024 * 1024;

/** Answers a call of another node: JSON in, JSON out, also later; an `ApiError` reaches the caller as it is. */
export type InternalHandler = (body: unknown) => unknown;

/**
 * InternalCalls has what nodes of one organization call at one another beside the API. The calls are there
 * whatever the node does otherwise: a handler that needs a role refuses without it.
 */
export class InternalCalls {
  private readonly handlers = new Map<string, InternalHandler>();

  constructor(
    private readonly faults: ErrorHandler,
    private readonly budget: BodyBudget,
  ) {}

  /** @throws Error when the path is taken, or begins with something else than `/internal/` */
  add(path: string, handler: InternalHandler): void {
    if (!path.startsWith(INTERNAL_BASE) || this.handlers.has(path)) {
      throw new Error(`${path} cannot be a path of calls between nodes, or is one already`);
    }
    this.handlers.set(path, handler);
  }

  /** @throws ApiError for a path or method that does not exist */
  serve(exchange: Exchange): void {
    const handler = this.handlers.get(exchange.path);
    if (!handler) throw notFound();
    if (exchange.method !== 'POST') throw methodNotAllowed(['POST']);
    const failed = (error: unknown): void => this.faults.fail(exchange, error);
    collectBody(exchange, MAX_CALL_BYTES, this.budget, {
      complete: (body) => {
        answer(exchange, handler, body.toString()).catch(failed);
      },
      refused: failed,
    });
  }
}

async function answer(exchange: Exchange, handler: InternalHandler, text: string): Promise<void> {
  const reply = await handler(parsed(text));
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
