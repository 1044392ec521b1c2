import Type from 'typebox';
import { Empty, endpoint, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { ShortText } from '../text.js';

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
