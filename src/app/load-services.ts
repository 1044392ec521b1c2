import type { Directory } from '../services/auth/ldap-directory.js';
import type { OpenIdProvider } from '../services/auth/openid-provider.js';
import type { PushTransport } from '../services/push/push-service.js';
import type { AppLog } from './log.js';

/** Loads the LDAP library only where a directory is configured, because every start would wait for it. */
export async function loadDirectory(path: string, log: AppLog): Promise<Directory> {
  const { Directory } = await import('../services/auth/ldap-directory.js');
  return Directory.load(path, (error) => log.error({ err: error }, 'the directory did not answer'));
}

/** Loads the library of OpenID Connect only where there are providers, because every start would wait for it. */
export async function loadProviders(path: string, log: AppLog): Promise<OpenIdProvider[]> {
  const { OpenIdProvider } = await import('../services/auth/openid-provider.js');
  return OpenIdProvider.load(path, (provider, fault) =>
    log.warn({ provider, fault }, 'a login by a provider failed'),
  );
}

/** Loads the services for pushes only where they are configured, because every start would wait for them. */
export async function loadPush(path: string): Promise<PushTransport> {
  const { ConfiguredPush } = await import('../services/push/configured-push.js');
  return ConfiguredPush.load(path);
}
