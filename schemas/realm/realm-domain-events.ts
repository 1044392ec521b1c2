import Type from 'typebox';
import { exact } from '../exact.js';
import { RealmDomain } from './realm-domains.js';
import { events } from '../event.js';

/** events-organization.md#organization. */
export const realmDomainsAdd = Type.Object(
  { type: Type.Literal('realm_domains'), op: Type.Literal('add'), realm_domain: RealmDomain },
  exact,
);

/** events-organization.md#organization. */
export const realmDomainsChange = Type.Object(
  { type: Type.Literal('realm_domains'), op: Type.Literal('change'), realm_domain: RealmDomain },
  exact,
);

/** events-organization.md#organization. */
export const realmDomainsRemove = Type.Object(
  { type: Type.Literal('realm_domains'), op: Type.Literal('remove'), domain: Type.String() },
  exact,
);

/** All events of domains. */
export const realmDomainsEvents = events(realmDomainsAdd, realmDomainsChange, realmDomainsRemove);
