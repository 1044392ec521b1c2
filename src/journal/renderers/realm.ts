import type { EventData } from '../entry.js';
import { type EventRenderer, plainRenderer } from './event-renderer.js';

/** Stored form of `realm_emoji`: the change, and all custom emoji after it. */
interface CustomEmojiChanged extends EventData {
  readonly change: Readonly<Record<string, unknown>>;
  /** By id. */
  readonly realm_emoji: Readonly<Record<string, unknown>>;
}

/**
 * `realm_emoji` (event-queues.md#client-capabilities): the changed emoji for queues that declared
 * `individual_emoji_changes`, all of them for the others.
 */
export const realmEmojiRenderer: EventRenderer = {
  variant: (_event, { filter }) => (filter.capabilities.individual_emoji_changes ? 'one' : 'all'),
  bodies: ({ type, data }, variant) => {
    const { change, realm_emoji } = data as CustomEmojiChanged;
    return [variant === 'one' ? { type, ...change } : { type, op: 'update', realm_emoji }];
  },
};

/** `realm_linkifiers` (event-queues.md#client-capabilities): only for queues that declared `linkifier_url_template`. */
export const realmLinkifiersRenderer: EventRenderer = {
  ...plainRenderer,
  variant: (_event, { filter }) => (filter.capabilities.linkifier_url_template ? '' : null),
};
