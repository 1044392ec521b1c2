import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Stored domain from which people may register while the organization restricts domains. */
export const RealmDomainDocument = Type.Object({
  id: Type.Integer(),
  /** Lower case. */
  domain: Type.String(),
  allow_subdomains: Type.Boolean(),
});
export type RealmDomainDocument = Static<typeof RealmDomainDocument>;

/** The stored documents of `realm_domain`. */
export const realmDomainCollection = collection('realm_domain', RealmDomainDocument);
