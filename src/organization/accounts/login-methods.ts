import type { Organization } from '../state/organization.js';
import type { ExtraLogin, LoginService } from '../state/site.js';

/** Name of a login method. */
type LoginMethod = 'Email' | ExtraLogin;

/** Whether this server is configured for a login method. */
function isAvailable(org: Organization, name: string): boolean {
  return name === 'Email' || (org.site.logins?.some((one) => one === name) ?? false);
}

/** Whether a login method is configured and enabled by the organization. */
export function loginEnabled(org: Organization, name: LoginMethod): boolean {
  const chosen = org.realm.current.authentication_methods[name];
  return isAvailable(org, name) && (chosen ?? name !== 'Email');
}

/**
 * Login methods by name as clients see them (`realm_authentication_methods`, register-realm.md#realm):
 * those the server is configured for, and others that the organization enabled or disabled.
 */
export function loginMethods(
  org: Organization,
): Record<string, { enabled: boolean; available: boolean }> {
  const chosen = org.realm.current.authentication_methods;
  const names = new Set([...Object.keys(chosen), ...(org.site.logins ?? [])]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      { enabled: chosen[name] ?? true, available: isAvailable(org, name) },
    ]),
  );
}

/** Services that people can log in by now, in the order of their buttons. */
export function loginServices(org: Organization): readonly LoginService[] {
  return loginEnabled(org, 'OpenID Connect') ? (org.site.loginServices ?? []) : [];
}

/** Where a browser begins to log in by a service. */
export function loginPath(name: string): string {
  return `/accounts/login/social/${name}`;
}

/** Where a browser begins to join by a service; the same but for the name. */
export function signUpPath(name: string): string {
  return `/accounts/register/social/${name}`;
}
