import { plainShape, type Shape } from '../shapes.js';

/** `realm_linkifiers` (events.md section 4): only for queues that declared `linkifier_url_template`. */
export const realmLinkifiersShape: Shape = {
  ...plainShape,
  variant: (_event, { traits }) => (traits.capabilities.linkifier_url_template ? '' : null),
};
