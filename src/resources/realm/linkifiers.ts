import * as descriptors from '../../../schemas/realm/linkifiers.js';
import {
  addLinkifier,
  changeLinkifier,
  linkifierList,
  removeLinkifier,
  reorderLinkifiers,
} from '../../organization/realm/linkifiers.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/**
 * Linkifiers (specification-endpoints.md#add-linkifier and specification-endpoints.md#update-linkifier;
 * endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields).
 */
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
