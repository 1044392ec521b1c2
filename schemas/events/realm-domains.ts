import Type from 'typebox';
import { RealmDomain } from '../realm-domains.js';

const closed = { additionalProperties: false };

/** Events.md section 13. */
export const realmDomainsAdd = Type.Object(
  { type: Type.Literal('realm_domains'), op: Type.Literal('add'), realm_domain: RealmDomain },
  closed,
);

/** Events.md section 13. */
export const realmDomainsChange = Type.Object(
  { type: Type.Literal('realm_domains'), op: Type.Literal('change'), realm_domain: RealmDomain },
  closed,
);

/** Events.md section 13. */
export const realmDomainsRemove = Type.Object(
  { type: Type.Literal('realm_domains'), op: Type.Literal('remove'), domain: Type.String() },
  closed,
);

export const realmDomainsEvents = [
  realmDomainsAdd,
  realmDomainsChange,
  realmDomainsRemove,
] as const;
