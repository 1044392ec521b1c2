import * as descriptors from '../../schemas/linkifiers.js';
import {
  addLinkifier,
  changeLinkifier,
  linkifierList,
  removeLinkifier,
  reorderLinkifiers,
} from '../organization/linkifiers.js';
import { handle, type AnyHandler } from './handler.js';

/** Linkifiers (seed, endpoints 16 and 17; endpoints.md section G.3). */
export function linkifierHandlers(): AnyHandler[] {
  return [
    handle(descriptors.getLinkifiers, ({ org }) => ({ linkifiers: linkifierList(org) })),
    handle(descriptors.addLinkifier, (tx, { params }) => ({ id: addLinkifier(tx, params).id })),
    handle(descriptors.updateLinkifier, (tx, { params }) => {
      changeLinkifier(tx, params.filter_id, params);
      return {};
    }),
    handle(descriptors.removeLinkifier, (tx, { params }) => {
      removeLinkifier(tx, params.filter_id);
      return {};
    }),
    handle(descriptors.reorderLinkifiers, (tx, { params }) => {
      reorderLinkifiers(tx, params.ordered_linkifier_ids);
      return {};
    }),
  ];
}
