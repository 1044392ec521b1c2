import type { Config } from '../config/config.js';
import { createLoginLimiter } from '../http/limits/login-limits.js';
import { createMailLimiter } from '../http/limits/mail-limits.js';
import { unlimitedLogins, unlimitedMails } from '../resources/kernel/limiters.js';
import { ApiKeys } from '../services/auth/api-keys.js';
import { FileLinks } from '../services/auth/file-links.js';
import type { Directory } from '../services/auth/ldap-directory.js';
import { LinkKeys } from '../services/auth/link-keys.js';
import { OneTimeCodes } from '../services/auth/one-time-codes.js';
import type { OpenIdProvider } from '../services/auth/openid-provider.js';
import { SealedState } from '../services/auth/sealed-state.js';
import { WebTokens } from '../services/auth/web-tokens.js';
import { readCallSettings } from '../services/calls/call-settings.js';
import { NO_CALLS, videoCalls } from '../services/calls/video-calls.js';
import { createMarkdown } from '../services/markdown/markdown.js';
import { Troubles } from '../services/troubles.js';
import type { PushTransport } from '../services/push/push-service.js';
import type { AppLog } from '../host/monitoring/log.js';
import { openMail } from '../host/mail/mail-service.js';
import type { OrganizationParts } from '../nodes/organization-parts.js';

/** What services are made with. */
interface ServiceOptions {
  /** Base URL in links. */
  readonly url: string;
  /** From which keys are derived. */
  readonly secret: Buffer;
  readonly log: AppLog;
  /** Told what failed at a login, for the console. */
  readonly troubles: Troubles;
  readonly limits: Limits;
}

/** What people asked for lately, in memory: longer than an organization that nobody uses may be there. */
export type Limits = Pick<OrganizationParts, 'limiter' | 'mailLimiter'>;

export function createLimits({ rateLimit }: Pick<Config, 'rateLimit'>): Limits {
  return {
    limiter: rateLimit ? createLoginLimiter() : unlimitedLogins,
    mailLimiter: rateLimit ? createMailLimiter() : unlimitedMails,
  };
}

/** The parts of an organization that know nothing of its store: keys, limits, texts, and the services that are configured. */
type LoadedServices = Pick<
  OrganizationParts,
  | 'keys'
  | 'fileLinks'
  | 'linkKeys'
  | 'mail'
  | 'push'
  | 'mailLimiter'
  | 'markdown'
  | 'limiter'
  | 'directory'
  | 'webTokens'
  | 'providers'
  | 'videoCalls'
  | 'codes'
  | 'loginState'
  | 'sessionSeals'
  | 'desktopTokens'
  | 'backupLinks'
>;

/** @throws Error where a file of settings cannot be used */
export async function loadServices(
  config: Config,
  { url, secret, log, troubles, limits }: ServiceOptions,
): Promise<LoadedServices> {
  return {
    keys: new ApiKeys(secret),
    fileLinks: new FileLinks(secret),
    linkKeys: new LinkKeys(secret),
    mail: openMail(config, url),
    push: config.push === null ? null : await loadPush(config.push),
    ...limits,
    markdown: createMarkdown({
      publicUrl: url,
      onError: (error) => log.error({ err: error }, 'a message could not be rendered'),
    }),
    directory: config.ldap === null ? null : await loadDirectory(config.ldap, log, troubles),
    webTokens: config.jwt === null ? null : await WebTokens.load(config.jwt),
    providers: config.oidc === null ? [] : await loadProviders(config.oidc, log, troubles),
    videoCalls:
      config.calls === null ? NO_CALLS : videoCalls(await readCallSettings(config.calls), secret),
    codes: new OneTimeCodes(secret),
    loginState: new SealedState(secret, 'login'),
    sessionSeals: {
      session: new SealedState(secret, 'session'),
      device: new SealedState(secret, 'device'),
      token: new SealedState(secret, 'csrf token'),
    },
    desktopTokens: new SealedState(secret, 'desktop login'),
    backupLinks: new SealedState(secret, 'backup'),
  };
}

/** @throws Error where a file of settings cannot be used */
export async function assertServices(
  { ldap, jwt, oidc, push, calls }: Config,
  log: AppLog,
): Promise<void> {
  const told = new Troubles();
  if (ldap !== null) await loadDirectory(ldap, log, told);
  if (jwt !== null) await WebTokens.load(jwt);
  if (oidc !== null) await loadProviders(oidc, log, told);
  if (push !== null) await loadPush(push);
  if (calls !== null) await readCallSettings(calls);
}

/** Loads the LDAP library only where a directory is configured, because every start would wait for it. */
async function loadDirectory(path: string, log: AppLog, troubles: Troubles): Promise<Directory> {
  const { Directory } = await import('../services/auth/ldap-directory.js');
  return Directory.load(path, (error) => {
    troubles.failed('login: the directory', error);
    log.error({ err: error }, 'the directory did not answer');
  });
}

/** Loads the library of OpenID Connect only where there are providers, because every start would wait for it. */
async function loadProviders(
  path: string,
  log: AppLog,
  troubles: Troubles,
): Promise<OpenIdProvider[]> {
  const { OpenIdProvider } = await import('../services/auth/openid-provider.js');
  return OpenIdProvider.load(path, (provider, fault) => {
    troubles.failed(`login: ${provider}`, fault);
    log.warn({ provider, fault }, 'a login by a provider failed');
  });
}

/** Loads the services for pushes only where they are configured, because every start would wait for them. */
async function loadPush(path: string): Promise<PushTransport> {
  const { ConfiguredPush } = await import('../services/push/configured-push.js');
  return ConfiguredPush.load(path);
}
