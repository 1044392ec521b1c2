import type { EventFields } from '../../../schemas/events.js';
import type { RendererOf } from './event-renderer.js';

type CustomEmojiEvent = EventFields<'realm_emoji'>;

/** What `realm_emoji` says of one emoji. */
export type CustomEmojiChange = Exclude<CustomEmojiEvent, { op: 'update' }>;

/** Stored form of `realm_emoji`: the change, and all custom emoji after it. */
type CustomEmojiChanged = {
  readonly change: CustomEmojiChange;
  /** By id. */
  readonly realm_emoji: Extract<CustomEmojiEvent, { op: 'update' }>['realm_emoji'];
};

/**
 * `realm_emoji` (event-queues.md#client-capabilities): the changed emoji for queues that declared
 * `individual_emoji_changes`, all of them for the others.
 */
export const realmEmojiRenderer: RendererOf<'realm_emoji', CustomEmojiChanged> = {
  variant: (_event, { filter }) => (filter.capabilities.individual_emoji_changes ? 'one' : 'all'),
  bodies: ({ type, data: { change, realm_emoji } }, variant) => [
    variant === 'one' ? { type, ...change } : { type, op: 'update', realm_emoji },
  ],
};

/** `realm_linkifiers` (event-queues.md#client-capabilities): only for queues that declared `linkifier_url_template`. */
export const realmLinkifiersRenderer: RendererOf<'realm_linkifiers'> = {
  variant: (_event, { filter }) => (filter.capabilities.linkifier_url_template ? '' : null),
  bodies: ({ type, data }) => [{ type, ...data }],
};
