import * as descriptors from '../../../schemas/realm/realm-domains.js';
import {
  addRealmDomain,
  changeRealmDomain,
  removeRealmDomain,
} from '../../organization/realm/realm-domains.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/**
 * Allowed e-mail domains (specification-endpoints.md#add-domain;
 * endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields).
 */
export function realmDomainHandlers(): AnyHandler[] {
  return [
    handle(descriptors.getRealmDomains, ({ org }) => ({ domains: org.domains.list() })),
    handle(descriptors.addRealmDomain, (tx, { params }) => {
      const { id, domain } = addRealmDomain(tx, params.domain, params.allow_subdomains);
      return { new_domain: [id, domain] as const };
    }),
    handle(descriptors.updateRealmDomain, (tx, { params }) => {
      changeRealmDomain(tx, params.domain, params.allow_subdomains);
      return {};
    }),
    handle(descriptors.removeRealmDomain, (tx, { params }) => {
      removeRealmDomain(tx, params.domain);
      return {};
    }),
  ];
}
