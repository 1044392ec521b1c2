import type { ClientCapability } from '../../../schemas/queues/register.js';

/**
 * What a queue declared when it was registered (event-queues.md#queue-parameters and event-queues.md#client-capabilities): the part of its filter
 * that decides whether it gets an event and in which variant. Plain JSON, stored with the queue.
 */
export interface QueueFilter {
  /** Types admitted; null admits all. */
  readonly event_types: readonly string[] | null;
  readonly apply_markdown: boolean;
  readonly client_gravatar: boolean;
  readonly slim_presence: boolean;
  readonly include_subscribers: boolean | 'partial';
  readonly all_public_streams: boolean;
  readonly narrow: readonly (readonly [operator: string, operand: string])[];
  readonly capabilities: Capabilities;
}

/** Declared capabilities; absent means false. */
type Capabilities = Readonly<Partial<Record<ClientCapability, boolean>>>;

/** Whether the queue sees messages of public channels beyond its user's own (event-queues.md#queue-parameters). */
export function isAllPublic(filter: QueueFilter): boolean {
  return filter.all_public_streams || filter.narrow.length > 0;
}
