import { KEEP, type OpenIdProviderSettings, type RoleName } from './openid-settings.js';

/** Roles from the strongest on. */
const BY_STRENGTH: readonly RoleName[] = ['owner', 'administrator', 'moderator', 'member', 'guest'];
/** Groups of one person that are looked at: directories with more put none into tokens. */
const MAX_GROUPS = 1000;

/** Somebody a provider vouches for. */
export interface VouchedPerson {
  readonly email: string;
  readonly fullName: string;
  /** Role by the provider's groups; null: it says nothing about roles. */
  readonly role: RoleName | null;
  /** Groups here that the provider decides about, and whether the person is in them. */
  readonly groups: readonly { readonly name: string; readonly isMember: boolean }[];
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * What the token and the provider's answer about the user say together; the signed token wins. An address is taken with
 * what the same source says about it: one source's word that an address is verified proves nothing about another's.
 */
export function claimsOf(token: Claims, userInfo: Claims): Claims {
  const both = { ...userInfo, ...token };
  // A token with an address alone is no answer where the other source has one with its verification.
  const decides = (source: Claims): boolean =>
    textOf(source['email']) !== '' && source['email_verified'] !== undefined;
  const named = (source: Claims): boolean => textOf(source['email']) !== '';
  const sources = [token, userInfo];
  const source = sources.find(decides) ?? sources.find(named) ?? {};
  // Where no source says it of the address that it names, a "no" of the other one is still a "no".
  const denied = sources.find((one) => isDenied(one['email_verified']) && !decides(source));
  if (denied) return { ...both, email: source['email'], email_verified: false };
  return { ...both, email: source['email'], email_verified: source['email_verified'] };
}

function isDenied(verified: unknown): boolean {
  return verified !== undefined && verified !== true && verified !== 'true';
}

/**
 * What a provider's claims say (OpenID Connect Core 1.0, section 5.1), by the operator's settings; `no-email` where
 * there is no address, `unverified` where the provider does not say that it is theirs.
 */
export function personOf(
  claims: Claims,
  settings: OpenIdProviderSettings,
): VouchedPerson | 'no-email' | 'unverified' {
  const email = textOf(claims['email']);
  if (email === '') return 'no-email';
  // A provider that says the address is not verified is believed whatever the settings say.
  const verified = claims['email_verified'] ?? settings.assume_email_verified;
  if (verified !== true && verified !== 'true') return 'unverified';
  const person = { email, fullName: nameOf(claims, email) };
  if (isElsewhere(claims, settings.groups_claim)) return { ...person, role: null, groups: [] };
  const theirs = groupsOf(claims[settings.groups_claim]);
  return { ...person, role: roleOf(theirs, settings), groups: groupsHere(theirs, settings) };
}

/**
 * Whether the provider says that a claim is to be fetched elsewhere (OpenID Connect Core 1.0, section 5.6.2), as some do
 * for people in very many groups: these are in no fewer groups than before.
 */
function isElsewhere(claims: Claims, name: string): boolean {
  const names: unknown = claims['_claim_names'];
  if (claims[name] !== undefined || typeof names !== 'object' || names === null) return false;
  return Object.hasOwn(names, name);
}

function nameOf(claims: Claims, email: string): string {
  const parts = `${textOf(claims['given_name'])} ${textOf(claims['family_name'])}`.trim();
  const names = [textOf(claims['name']), parts, textOf(claims['preferred_username'])];
  return names.find((name) => name !== '') ?? email.slice(0, email.lastIndexOf('@'));
}

function roleOf(
  theirs: ReadonlySet<string>,
  { roles, default_role }: OpenIdProviderSettings,
): RoleName | null {
  const named = new Set(
    Object.keys(roles)
      .filter((group) => theirs.has(group))
      .map((group) => roles[group]!),
  );
  const other = default_role === undefined || default_role === KEEP ? null : default_role;
  return BY_STRENGTH.find((role) => named.has(role)) ?? other;
}

function groupsHere(
  theirs: ReadonlySet<string>,
  { groups }: OpenIdProviderSettings,
): VouchedPerson['groups'] {
  const here = new Map<string, boolean>();
  // Several of the provider's groups may stand for one here.
  for (const [group, name] of Object.entries(groups)) {
    here.set(name, (here.get(name) ?? false) || theirs.has(group));
  }
  return [...here].map(([name, isMember]) => ({ name, isMember }));
}

/** Names of groups: of a list, or a single one as text. */
function groupsOf(value: unknown): ReadonlySet<string> {
  const list = Array.isArray(value) ? value.slice(0, MAX_GROUPS) : [value];
  return new Set(list.filter((one): one is string => typeof one === 'string'));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
