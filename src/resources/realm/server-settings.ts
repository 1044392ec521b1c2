import { FEATURE_LEVEL, ZULIP_VERSION } from '../../../schemas/limits.js';
import { getServerSettings } from '../../../schemas/realm/server-settings.js';
import {
  loginEnabled,
  loginPath,
  loginServices,
  signUpPath,
} from '../../organization/accounts/login-methods.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Directory } from '../../services/auth/ldap-directory.js';
import { handle, type AnyHandler } from '../kernel/handler.js';
import { iconUrl } from '../queues/register/realm-section.js';

/** Login methods clients look for; deprecated, but they read it (server-settings.md#server-settings). */
const NO_METHODS = {
  password: false,
  email: false,
  ldap: false,
  dev: false,
  remoteuser: false,
  github: false,
  azuread: false,
  gitlab: false,
  google: false,
  apple: false,
  saml: false,
  'openid connect': false,
  discord: false,
} as const;

/**
 * `GET /server_settings` (server-settings.md#server-settings).
 *
 * @param directory null where the server has none configured
 */
export function serverSettingsHandler(directory: Directory | null = null): AnyHandler {
  return handle(getServerSettings, ({ org }) => serverSettings(org, directory));
}

function serverSettings(org: Organization, directory: Directory | null) {
  const realm = org.realm.current;
  const email = loginEnabled(org, 'Email');
  const ldap = loginEnabled(org, 'LDAP');
  return {
    zulip_version: ZULIP_VERSION,
    zulip_merge_base: ZULIP_VERSION,
    zulip_feature_level: FEATURE_LEVEL,
    push_notifications_enabled: org.site.pushes ?? false,
    is_incompatible: false,
    email_auth_enabled: email,
    require_email_format_usernames: !ldap || (directory?.namesAreEmails ?? true),
    realm_uri: org.site.url,
    realm_url: org.site.url,
    realm_name: realm.name,
    realm_icon: iconUrl(realm),
    realm_description: realm.rendered_description,
    realm_web_public_access_enabled: false,
    external_authentication_methods: loginServices(org).map((service) => ({
      name: `oidc:${service.name}`,
      display_name: service.display_name,
      display_icon: service.display_icon,
      login_url: loginPath(service.name),
      signup_url: signUpPath(service.name),
    })),
    authentication_methods: {
      ...NO_METHODS,
      password: email || ldap,
      email,
      ldap,
      'openid connect': loginServices(org).length > 0,
    },
  };
}
