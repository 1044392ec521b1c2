import { filesFrom, filesKeysFrom, type FilesPlace } from './files-place.js';
import type { S3KeySource } from '../services/s3/place.js';
import {
  addressFrom,
  incomingMailFrom,
  nodeAddressFrom,
  portFrom,
  type Address,
  type MailListener,
} from './network.js';
import { backupFrom, type BackupPlan } from './backup-plan.js';
import { LINK_PREVIEWS, LOG_LEVELS, type LinkPreviews, type LogLevel } from './option.js';
import {
  baseUrl,
  daysFrom,
  mailAddressFrom,
  mailFrom,
  idleMinutesFrom,
  loadedFrom,
  minutesFrom,
  networksFrom,
  oneOf,
  optionalText,
  organizationFrom,
  originsFrom,
  ownerFrom,
  passwordFrom,
  mostFrom,
  quotaFrom,
  replicasFrom,
  secondsFrom,
  settingsFileFrom,
  storeFrom,
  switchFrom,
  textOf,
  validityFrom,
  workersFrom,
} from './parsers.js';
import { tlsFrom, type TlsConfig } from './tls.js';
import {
  ConfigError,
  effectiveOptions,
  shownOption,
  warnIfOpen,
  type Environment,
  type Given,
  type Read,
  type ShownOption,
} from './values.js';

/** Settings of `parley serve`. Flags win over the environment, this over the configuration file, this over defaults. */
export interface Config {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Processes that share the port. */
  readonly workers: number;
  /** Where other nodes of the organization reach this one; port 0 picks a free one. */
  readonly nodeAddress: Address;
  /** Store URL, e.g. `embedded:./data`. */
  readonly store: string;
  /** Where uploaded files are kept; null: beside the data. */
  readonly files: FilesPlace | null;
  /** Credentials of a bucket of files; null for files in a folder. */
  readonly filesKeys: S3KeySource | null;
  /** File with the secret that API keys are derived from; null: beside the data. */
  readonly secretFile: string | null;
  /** Folder of what a process keeps for itself; null: beside the data. */
  readonly state: string | null;
  /** Null: without TLS, which is a proxy's task then. */
  readonly tls: TlsConfig | null;
  /** Public base URL used in links; null follows from host and port. */
  readonly url: string | null;
  /** Reverse proxies whose headers about the client are trusted: addresses and networks in CIDR form. */
  readonly trustedProxies: readonly string[];
  /** Origins of other sites whose pages may use credentials of the API; `*` for all. */
  readonly allowedOrigins: readonly string[];
  readonly ownerEmail: string;
  /** Null: one is generated and shown once. */
  readonly ownerPassword: string | null;
  readonly organization: string;
  /** Create an organization in an empty store even where the secret or the files of another are there. */
  readonly newOrganization: boolean;
  readonly rateLimit: boolean;
  /** SMTP server, may hold a password; null: mails become files beside the data. */
  readonly mail: string | null;
  /** Address that mails come from; null follows from the base URL. */
  readonly mailFrom: string | null;
  /** Where incoming mail is accepted; null: nowhere. */
  readonly incomingMail: MailListener | null;
  /** Pattern of the addresses that accept mail, with `%s` in place of the token; null: none do. */
  readonly incomingMailAddress: string | null;
  readonly invitationLinkValidityMinutes: number;
  /** How long the lease of the leader lasts without renewal. Milliseconds. */
  readonly leaseMs: number;
  /** How long a request waits for a store that does not answer. Milliseconds. */
  readonly storeWaitMs: number;
  /** How many replicas of the store must have a change before it is acknowledged. */
  readonly storeReplicas: number;
  /** Whether to serve a store that newer software served last. */
  readonly allowNewerStore: boolean;
  /** Whether the index of messages is kept between starts. */
  readonly keepIndex: boolean;
  /** A scheduled message overdue by more is not sent. Milliseconds. */
  readonly lateDeliveryMs: number;
  /** An organization beside the main one that nobody used for so long leaves memory; null: never. Milliseconds. */
  readonly sleepAfterMs: number | null;
  /** Most organizations in memory beside the main one. */
  readonly loadedOrganizations: number;
  /** Uploaded files that no message links for longer are removed; null keeps them. Milliseconds. */
  readonly keepUploadsMs: number | null;
  /** How long messages that retention removed can be restored; null: not at all. Milliseconds. */
  readonly keepRemovedMessagesMs: number | null;
  /** How long records of changed settings are kept; null: until they exceed their number. Milliseconds. */
  readonly keepAuditMs: number | null;
  /** Quota of all uploaded files, MiB; null for none. */
  readonly uploadQuotaMib: number | null;
  /** Most active people of an organization; null: any number. */
  readonly memberQuota: number | null;
  /** Most messages of an organization; null: any number. */
  readonly messageQuota: number | null;
  /** Backups of this server; null where no folder is named for them. */
  readonly backup: BackupPlan | null;
  /** Whether guests who do not see a user do not learn their presence either. */
  readonly limitsPresence: boolean;
  /** How long one request to delete a topic may take. Milliseconds. */
  readonly topicDeletionMs: number;
  /** Addresses and networks that outgoing webhooks may reach though they are not public, in CIDR form. */
  readonly hookTargets: readonly string[];
  /** Which previews of other servers messages show. */
  readonly linkPreviews: LinkPreviews;
  /** Addresses and networks that previews may be fetched from though they are not public, in CIDR form. */
  readonly linkPreviewTargets: readonly string[];
  readonly log: LogLevel;
  /** A request that takes longer is logged. Milliseconds. */
  readonly slowRequestMs: number;
  /** File with the settings of login by signed token; null: there is none. */
  readonly jwt: string | null;
  /** File with the services for pushes to mobile devices; null: none are sent. */
  readonly push: string | null;
  /** File with the settings of login through an LDAP directory; null: there is none. */
  readonly ldap: string | null;
  /** File with the providers of single sign-on; null: there are none. */
  readonly oidc: string | null;
  /** File with the services for video calls; null: there are none. */
  readonly calls: string | null;
  /** Folder with an unpacked release of the web app; null: there is none. */
  readonly webApp: string | null;
  /** What each option came to, for administrators. */
  readonly options: readonly ShownOption[];
  /** Where metrics are served, apart from the API; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
}

export { LOG_LEVELS, type LogLevel };

export { ConfigError };

/** What flags, environment and configuration file come to, and what is wrong with them. */
export interface ConfigReading {
  /** Undefined stands for the settings whose values are faults. */
  readonly config: Partial<Config>;
  /** A sentence for each fault, which names the flag, the variable or the place in the file. */
  readonly faults: readonly string[];
}

/**
 * The settings that flags, environment and configuration file come to.
 * @throws ConfigError with a line for each fault, which names the flag, the variable or the place in the file
 */
export function configFrom(
  read: Read,
  environment: Environment,
  warn: (sentence: string) => void,
): Config {
  const { config, faults } = readConfig(read, environment, warn);
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return config as Config;
}

/** Reads all settings, so that one run tells every fault. */
export function readConfig(
  read: Read,
  environment: Environment,
  warn: (sentence: string) => void,
): ConfigReading {
  const faults: string[] = [];
  const take = <T>(parse: () => T): T | undefined => {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error.message);
      return undefined;
    }
  };
  const one = <T>(parse: (given: Given) => T, flag: string): T | undefined =>
    take(() => parse(read(flag)));
  const settingsFile = (flag: string): string | null | undefined =>
    one((given) => settingsFileFrom(given, warn), flag);
  const files = one((given) => filesFrom(given, environment), 'files');
  const filesKeys = take(() =>
    files === undefined ? null : filesKeysFrom(files, read('files-credentials-file'), environment),
  );
  if (filesKeys && 'file' in filesKeys) warnIfOpen(filesKeys.file, warn);
  const config: Record<keyof Config, unknown> & Partial<Config> = {
    host: one(textOf, 'host'),
    port: one(portFrom, 'port'),
    workers: one(workersFrom, 'workers'),
    nodeAddress: one(nodeAddressFrom, 'node-address'),
    store: one(storeFrom, 'store'),
    files,
    filesKeys,
    secretFile: one(optionalText, 'secret-file'),
    state: one(optionalText, 'state'),
    url: one((given) => (given.value === '' ? null : baseUrl(given)), 'url'),
    tls: take(() => tlsFrom(read('tls-cert'), read('tls-key'), read('redirect-port'))),
    trustedProxies: one(networksFrom, 'trusted-proxy'),
    allowedOrigins: one(originsFrom, 'allowed-origin'),
    ownerEmail: one(ownerFrom, 'owner-email'),
    ownerPassword: one(passwordFrom, 'owner-password'),
    organization: one(organizationFrom, 'organization'),
    newOrganization: one(switchFrom, 'new-organization'),
    rateLimit: one(switchFrom, 'rate-limit'),
    mail: one(mailFrom, 'mail'),
    mailFrom: one(mailAddressFrom, 'mail-from'),
    incomingMail: null,
    incomingMailAddress: null,
    ...take(() => incomingMailFrom(read('incoming-mail'), read('incoming-mail-address'))),
    invitationLinkValidityMinutes: one(validityFrom, 'invitation-link-validity-minutes'),
    leaseMs: one(secondsFrom, 'lease'),
    storeWaitMs: one(secondsFrom, 'store-wait'),
    storeReplicas: take(() => replicasFrom(read('store-replicas'), read('store'))),
    allowNewerStore: one(switchFrom, 'allow-newer-store'),
    keepIndex: one(switchFrom, 'keep-index'),
    lateDeliveryMs: one(minutesFrom, 'late-delivery'),
    loadedOrganizations: one(loadedFrom, 'loaded-organizations'),
    sleepAfterMs: one(idleMinutesFrom, 'sleep-after'),
    keepUploadsMs: one(daysFrom, 'keep-uploads'),
    keepRemovedMessagesMs: one(daysFrom, 'keep-removed'),
    keepAuditMs: one(daysFrom, 'keep-audit'),
    uploadQuotaMib: one(quotaFrom, 'upload-quota'),
    memberQuota: one(mostFrom, 'member-quota'),
    messageQuota: one(mostFrom, 'message-quota'),
    backup: take(() => backupFrom(read('backup-to'), read('backup-at'), read('backup-keep'))),
    limitsPresence: one(switchFrom, 'can-access-all-users-group-limits-presence'),
    topicDeletionMs: one(secondsFrom, 'topic-deletion-limit'),
    hookTargets: one(networksFrom, 'hook-target'),
    linkPreviews: one((given) => oneOf(LINK_PREVIEWS, given), 'link-previews'),
    linkPreviewTargets: one(networksFrom, 'link-preview-target'),
    log: one((given) => oneOf(LOG_LEVELS, given), 'log'),
    slowRequestMs: one(secondsFrom, 'slow-request'),
    jwt: settingsFile('jwt'),
    push: settingsFile('push'),
    ldap: settingsFile('ldap'),
    oidc: settingsFile('oidc'),
    calls: settingsFile('calls'),
    webApp: one(optionalText, 'web-app'),
    options: effectiveOptions(read).map(shownOption),
    metrics: one((given) => (given.value === '' ? null : addressFrom(given)), 'metrics'),
  };
  return { config, faults };
}
