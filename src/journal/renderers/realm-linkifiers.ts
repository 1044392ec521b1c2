import { plainRenderer, type EventRenderer } from './event-renderer.js';

/** `realm_linkifiers` (event-queues.md#client-capabilities): only for queues that declared `linkifier_url_template`. */
export const realmLinkifiersRenderer: EventRenderer = {
  ...plainRenderer,
  variant: (_event, { filter }) => (filter.capabilities.linkifier_url_template ? '' : null),
};
