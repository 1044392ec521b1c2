import type { ClientCapability } from '../../schemas/register.js';

/**
 * What a queue declared when it was registered (events.md sections 3 and 4): the part of its filter
 * that decides whether it gets an event and in which variant. Plain JSON, stored with the queue.
 */
export interface QueueTraits {
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
export type Capabilities = Readonly<Partial<Record<ClientCapability, boolean>>>;

/** Whether the queue sees messages of public channels beyond its user's own (events.md section 3). */
export function isWide(traits: QueueTraits): boolean {
  return traits.all_public_streams || traits.narrow.length > 0;
}
