import { makeSupportBundle } from '../../../schemas/administration/server.js';
import type { Work } from './admin-request.js';
import { callAsOwner } from './accounts.js';

/** What the console has as a file. */
export const supportBundle: Work = async (node) => {
  const { bundle } = await callAsOwner(node, makeSupportBundle, {});
  return JSON.parse(String(bundle)) as unknown;
};
