import type { Payload } from './payload.js';
import type { SignatureCheck } from './signatures.js';

/** A message of a hook; the URL of the hook may name another topic. */
export interface HookMessage {
  readonly topic: string;
  readonly content: string;
}

/** A header by its lower-case name; null: the parameter `challenge` of a GET, as a text. */
export type Echoed = { readonly header: string | null };

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
  /** Names of older addresses. */
  readonly otherNames?: readonly string[];
  readonly displayName: string;
  /** Where the service documents what it sends. */
  readonly docs?: string;
  /** The kinds of events that make messages, by which those who set it up choose; null where it has no kinds. */
  readonly events: readonly string[] | null;
  /** Kinds of which nobody needs a message; of any other, the owner of the bot is told once. */
  readonly quiet?: readonly string[];
  /** Where the service puts a word that it wants back, before it sends events. */
  readonly challenge?: readonly string[];
  /** What the service wants back as it is, before it sends events: a header, or the parameter `challenge`. */
  readonly echoed?: Echoed;
  /** The header without which a request is no event of the service. */
  readonly eventHeader?: string;
  /** Whether a payload is of an older form of the service, which came before that header. */
  readonly needsNoHeader?: (payload: Payload) => boolean;
  /** Absent where the service does not sign. */
  readonly signature?: SignatureCheck;
  /** Whether a request is no event, but asks whose key it has, as services do that name a connection by it. */
  readonly asksForBot?: (payload: Payload) => boolean;
  /** Kind of the event; empty where it has no kinds. */
  readonly eventOf: (request: HookRequest) => string;
  /**
   * The message; null for events of which people need no message.
   * @throws AnomalousPayload
   */
  readonly message: (
    event: string,
    payload: Payload,
    header?: HookRequest['header'],
  ) => HookMessage | null;
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

/** Whether a kind of event is among those that are wanted, and not among those that are not; `*` is any letters. */
export function isSelected(
  event: string,
  only: readonly string[] | undefined,
  exclude: readonly string[] | undefined,
): boolean {
  if (only && !only.some((pattern) => matches(event, pattern))) return false;
  return !exclude?.some((pattern) => matches(event, pattern));
}

/** Whether an integration knows a kind of event: it makes messages of it, or people need none. */
export function isKnown({ events, quiet = [] }: Integration, event: string): boolean {
  return (
    event === '' || events?.includes(event) === true || quiet.some((one) => matches(event, one))
  );
}

/** Compares part by part, so that no pattern takes long. */
function matches(event: string, pattern: string): boolean {
  const [first, ...rest] = pattern.split('*') as [string, ...string[]];
  if (rest.length === 0) return event === pattern;
  const last = rest.pop()!;
  if (!event.startsWith(first) || !event.endsWith(last)) return false;
  let from = first.length;
  const end = event.length - last.length;
  for (const part of rest) {
    const at = event.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= end;
}
