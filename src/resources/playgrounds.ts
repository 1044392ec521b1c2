import * as descriptors from '../../schemas/playgrounds.js';
import { addPlayground, removePlayground } from '../organization/playgrounds.js';
import { handle, type AnyHandler } from './handler.js';

/** Playgrounds for code (endpoints.md section G.3). */
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
