import type { Payload } from './payload.js';
import type { SignatureCheck } from './signatures.js';

/** A message that a hook makes; whoever set the hook up may choose another topic. */
export interface HookMessage {
  readonly topic: string;
  readonly content: string;
}

/** What a service sent. */
export interface HookRequest {
  /** A header by its lower-case name; empty where absent. */
  readonly header: (name: string) => string;
  readonly payload: Payload;
}

/** A service whose webhooks make messages (endpoints-bots.md#incoming-webhooks). All functions are pure. */
export interface Integration {
  /** Name in the address, and of the integration everywhere. */
  readonly name: string;
  readonly displayName: string;
  /** The kinds of events that make messages, by which those who set it up choose; null where it has no kinds. */
  readonly events: readonly string[] | null;
  /** The header without which a request is no event of the service. */
  readonly eventHeader?: string;
  /** Absent where the service does not sign. */
  readonly signature?: SignatureCheck;
  /** Kind of the event; empty where it has no kinds. */
  readonly eventOf: (request: HookRequest) => string;
  /**
   * The message; null for events of which people need no message.
   * @throws AnomalousPayload
   */
  readonly message: (event: string, payload: Payload) => HookMessage | null;
}

/** What makes a message of one kind of events. */
export type EventFormatter = (payload: Payload) => HookMessage | null;

/** Formatters by kind of event, for an integration. */
export function byEvent(formatters: Readonly<Record<string, EventFormatter>>): {
  readonly events: readonly string[];
  readonly message: Integration['message'];
} {
  return {
    events: Object.keys(formatters),
    message: (event, payload) =>
      Object.hasOwn(formatters, event) ? formatters[event]!(payload) : null,
  };
}
