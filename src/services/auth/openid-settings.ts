import Type, { type Static } from 'typebox';
import { readSettingsFile } from '../settings-file.js';

const closed = { additionalProperties: false } as const;
const Name = Type.String({ minLength: 1, maxLength: 200 });
const RoleName = Type.Enum(['owner', 'administrator', 'moderator', 'member', 'guest']);
export type RoleName = Static<typeof RoleName>;

/** A person who is in no group of `roles` keeps the role they have. */
export const KEEP = 'keep';

/** One provider of logins (OpenID Connect Core 1.0). */
const OpenIdProviderSettings = Type.Object(
  {
    /** Part of the addresses to log in by, which the provider has to know. */
    name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,29}$' }),
    /** What the button says: "Log in with …". */
    display_name: Name,
    /** Address of a picture for the button. */
    display_icon: Type.Optional(Type.String({ pattern: '^https://' })),
    /** As the provider's tokens name it; its configuration is found from there. */
    issuer: Type.String({ pattern: '^https?://[^/?#@]+[^?#]*$' }),
    client_id: Name,
    /** Absent: a public client, which proves itself by PKCE alone. */
    client_secret: Type.Optional(Name),
    /** How the secret is sent. */
    client_authentication: Type.Enum(['client_secret_basic', 'client_secret_post'], {
      default: 'client_secret_basic',
    }),
    scopes: Type.Array(Type.String({ pattern: '^[!#-\\[\\]-~]+$' }), {
      default: ['openid', 'email', 'profile'],
      contains: Type.Literal('openid'),
      maxItems: 20,
    }),
    /** Believes addresses of a provider that never sends `email_verified`. */
    assume_email_verified: Type.Boolean({ default: false }),
    /** Whether a first login may make an account, as far as the organization lets people join. */
    create_accounts: Type.Boolean({ default: true }),
    /** Claim with the names of the groups that somebody is in. */
    groups_claim: Type.String({ minLength: 1, maxLength: 200, default: 'groups' }),
    /** Role by the provider's group; the strongest counts. Absent: roles are given here. */
    roles: Type.Record(Name, RoleName, { default: {}, maxProperties: 100 }),
    /**
     * Role of users who are in no group of `roles`, which demands a choice: without one, somebody who was removed from
     * the administrators there would silently stay one here.
     */
    default_role: Type.Optional(Type.Union([RoleName, Type.Literal(KEEP)])),
    /** Name of a user group here by the provider's group. */
    groups: Type.Record(Name, Name, { default: {}, maxProperties: 100 }),
  },
  closed,
);
export type OpenIdProviderSettings = Static<typeof OpenIdProviderSettings>;

/** What the file named by `PARLEY_OIDC` says. */
const OpenIdSettings = Type.Object(
  {
    /** In the order of their buttons; each takes one on every login page. */
    providers: Type.Array(OpenIdProviderSettings, { minItems: 1, maxItems: 10 }),
  },
  closed,
);

/** Local services in tests; credentials go over nothing else in the clear. */
const LOCAL = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::|\/|$)/;

/** Whether an issuer is asked over a connection that is not encrypted. */
export function isLocalIssuer(issuer: string): boolean {
  return LOCAL.test(issuer);
}

/** @throws Error when the file cannot be used; never shows a value, which may be a secret */
export async function readOpenIdSettings(path: string): Promise<OpenIdProviderSettings[]> {
  const { providers } = await readSettingsFile(path, OpenIdSettings);
  const names = new Set<string>();
  providers.forEach(({ name, issuer, default_role, roles }, i) => {
    const fault = (text: string): Error => new Error(`${path}: providers/${i} ${text}`);
    if (names.has(name)) throw fault('has the name of another provider');
    names.add(name);
    if (!issuer.startsWith('https:') && !isLocalIssuer(issuer)) {
      throw fault('has an issuer that is not https');
    }
    if (default_role !== undefined && Object.keys(roles).length === 0) {
      throw fault('has a default_role without roles');
    }
    if (default_role === undefined && Object.keys(roles).length > 0) {
      throw fault(
        `has roles without a default_role: name the role of people in none of these groups, or "${KEEP}" if they keep theirs`,
      );
    }
  });
  return providers;
}
