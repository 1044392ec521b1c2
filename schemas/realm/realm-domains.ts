import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { ShortText } from '../text.js';

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

/** A domain as clients see it (register.md#sections). */
export const RealmDomain = Type.Object(
  { domain: Type.String(), allow_subdomains: Type.Boolean() },
  { ...exact, title: 'AllowedDomain' },
);

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const getRealmDomains = endpoint({
  operation: 'get-realm-domains',
  method: 'GET',
  path: '/realm/domains',
  access: 'user',
  summary: 'Get the domains from which people may register',
  params: {},
  response: Type.Object({ domains: Type.Array(RealmDomain) }),
  errors: [],
  events: [],
});

/** specification-endpoints.md#add-domain; owners only since level 143. */
export const addRealmDomain = endpoint({
  operation: 'add-realm-domain',
  method: 'POST',
  path: '/realm/domains',
  access: 'owner',
  summary: 'Allow registration from an e-mail domain',
  params: { domain: required(ShortText), allow_subdomains: required(Type.Boolean()) },
  response: Type.Object({ new_domain: Type.Tuple([Type.Integer(), Type.String()]) }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { domain: 'example.com', allow_subdomains: false },
  events: ['realm_domains'],
  level: 143,
});

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const updateRealmDomain = endpoint({
  operation: 'update-realm-domain',
  method: 'PATCH',
  path: '/realm/domains/{domain}',
  access: 'owner',
  summary: 'Change whether the subdomains of an allowed domain are allowed',
  params: { domain: required(ShortText), allow_subdomains: required(Type.Boolean()) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { domain: 'example.com', allow_subdomains: true },
  events: ['realm_domains'],
});

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const removeRealmDomain = endpoint({
  operation: 'remove-realm-domain',
  method: 'DELETE',
  path: '/realm/domains/{domain}',
  access: 'owner',
  summary: 'Remove an allowed domain',
  params: { domain: required(ShortText) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { domain: 'example.com' },
  events: ['realm_domains', 'realm'],
});

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

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  allow_subdomains: 'Whether addresses of its subdomains are allowed too.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  allow_subdomains: 'Whether its subdomains are allowed too.',
  domains: 'Domains whose addresses can have accounts.',
  new_domain: ['Id and name of the domain.', [1, 'example.com']],
  realm_domain: 'The domain as it is now.',
});
