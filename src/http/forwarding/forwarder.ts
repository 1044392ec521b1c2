import type { ApiError } from '../../errors.js';
import type { Exchange } from '../exchange.js';

/** Where the internal listener of a node is. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** Dependencies of the forwarder. */
export interface ForwarderOptions {
  /**
   * The node that leads, this one included; null while none does or it is not known. Another object than before
   * means another leader, or the same node leading again.
   */
  readonly leader: () => NodeAddress | null;
  /** Calls the listener whenever `leader` returns something else. @returns ends that */
  readonly changed: (listener: () => void) => () => void;
  /** Key of the nodes. */
  readonly key: string;
  /** How long a request may wait for a leader, milliseconds. */
  readonly waitMs: number;
  /** Resolves when this node's memory has reached a position; null where it has. */
  readonly reached: (seq: number) => Promise<void> | null;
}

/** A request as the leader gets it. */
export interface ForwardedRequest {
  readonly head: string;
  readonly body: Buffer;
}

/** Sends requests that write to the leader, and its replies to their clients. */
export interface Forwarder {
  /** Call it while the client is connected; the body may be overwritten after the call. */
  prepare(exchange: Exchange, body: Buffer): ForwardedRequest;

  /** Answers a request with the reply of the leader, or by `refuse`. Resolves when it is answered. */
  relay(
    exchange: Exchange,
    request: ForwardedRequest,
    refuse: (error: ApiError) => void,
  ): Promise<void>;

  /** Calls the leader beside the API (`HttpServer.internal`). @throws ApiError */
  call(path: string, body: unknown): Promise<unknown>;

  /** Refuses what was not sent yet; what was sent comes to its end. */
  close(): void;
}
