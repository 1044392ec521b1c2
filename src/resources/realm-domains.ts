import * as descriptors from '../../schemas/realm-domains.js';
import {
  addRealmDomain,
  changeRealmDomain,
  removeRealmDomain,
} from '../organization/realm-domains.js';
import { handle, type AnyHandler } from './handler.js';

/** Allowed e-mail domains (seed, endpoint 20; endpoints.md section G.3). */
export function realmDomainHandlers(): AnyHandler[] {
  return [
    handle(descriptors.getRealmDomains, ({ org }) => ({ domains: org.domains.list() })),
    handle(descriptors.addRealmDomain, (tx, { params }) => {
      const { id, domain } = addRealmDomain(tx, params.domain, params.allow_subdomains);
      return { new_domain: [id, domain] };
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
