import type { EventData } from '../entry.js';
import type { EventRenderer } from './event-renderer.js';

/** A change of the custom emoji as the journal keeps it: what changed, and all of them after it. */
interface CustomEmojiChanged extends EventData {
  readonly change: Readonly<Record<string, unknown>>;
  /** By id. */
  readonly realm_emoji: Readonly<Record<string, unknown>>;
}

/**
 * `realm_emoji` (event-queues.md#client-capabilities): the one that changed for queues that declared
 * `individual_emoji_changes`, all of them for the others.
 */
export const realmEmojiRenderer: EventRenderer = {
  variant: (_event, { filter }) => (filter.capabilities.individual_emoji_changes ? 'one' : 'all'),
  bodies: ({ type, data }, variant) => {
    const { change, realm_emoji } = data as CustomEmojiChanged;
    return [variant === 'one' ? { type, ...change } : { type, op: 'update', realm_emoji }];
  },
};
