import * as descriptors from '../../../schemas/realm/playgrounds.js';
import { addPlayground, removePlayground } from '../../organization/realm/playgrounds.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Playgrounds for code (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields). */
export const playgroundHandlers: readonly AnyHandler[] = [
  handle(descriptors.addPlayground, (tx, { params }) => {
    const { name, pygments_language, url_template } = params;
    return { id: addPlayground(tx, { name, pygments_language, url_template }).id };
  }),
  handle(descriptors.removePlayground, (tx, { params }) => {
    removePlayground(tx, params.playground_id);
    return {};
  }),
];
