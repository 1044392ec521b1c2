import { hasPasswordLength, PASSWORD_LENGTHS } from '../../schemas/password.js';
import { availableParallelism } from 'node:os';
import { MAX_INVITATION_MINUTES } from '../../schemas/limits.js';
import { filesFrom, filesKeysFrom, type FilesPlace } from './files-place.js';
import type { S3KeySource } from '../services/s3/place.js';
import {
  addressFrom,
  incomingMailFrom,
  networkList,
  nodeAddressFrom,
  originList,
  portFrom,
  type Address,
  type MailListener,
} from './network.js';
import { LINK_PREVIEWS, LOG_LEVELS, type LinkPreviews, type LogLevel } from './option.js';
import { tlsFrom, type TlsConfig } from './tls.js';
import { ConfigError, warnIfOpen, type Environment, type Given, type Read } from './values.js';

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
  /** Whether to serve a store that newer software served last. */
  readonly allowNewerStore: boolean;
  /** Whether the index of messages is kept between starts. */
  readonly keepIndex: boolean;
  /** A scheduled message overdue by more is not sent. Milliseconds. */
  readonly lateDeliveryMs: number;
  /** Uploaded files that no message links for longer are removed; null keeps them. Milliseconds. */
  readonly keepUploadsMs: number | null;
  /** How long messages that retention removed can be restored; null: not at all. Milliseconds. */
  readonly keepRemovedMessagesMs: number | null;
  /** How long records of changed settings are kept; null: until they exceed their number. Milliseconds. */
  readonly keepAuditMs: number | null;
  /** Quota of all uploaded files, MiB; null for none. */
  readonly uploadQuotaMib: number | null;
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
  /** Where metrics are served, apart from the API; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
}

export { LOG_LEVELS, type LogLevel };

export { ConfigError };

/**
 * The settings that flags, environment and configuration file come to.
 * @throws ConfigError naming the flag, the variable or the place in the file
 */
export function configFrom(
  read: Read,
  environment: Environment,
  warn: (sentence: string) => void,
): Config {
  const url = read('url');
  const ownerEmail = read('owner-email');
  if (!/^[^\s@]+@[^\s@]+$/.test(ownerEmail.value)) {
    throw new ConfigError(`${ownerEmail.source}: ${ownerEmail.value} is not an e-mail address`);
  }
  const files = filesFrom(read('files'), environment);
  const filesKeys = filesKeysFrom(files, read('files-credentials-file'), environment);
  if (filesKeys && 'file' in filesKeys) warnIfOpen(filesKeys.file, warn);
  return {
    host: read('host').value,
    port: portFrom(read('port')),
    workers: workersFrom(read('workers')),
    nodeAddress: nodeAddressFrom(read('node-address')),
    store: storeFrom(read('store')),
    files,
    filesKeys,
    secretFile: read('secret-file').value || null,
    state: read('state').value || null,
    url: url.value === '' ? null : baseUrl(url),
    tls: tlsFrom(read('tls-cert'), read('tls-key'), read('redirect-port')),
    trustedProxies: networksFrom(read('trusted-proxy')),
    allowedOrigins: originsFrom(read('allowed-origin')),
    ownerEmail: ownerEmail.value,
    ownerPassword: passwordFrom(read('owner-password')),
    organization: organizationFrom(read('organization')),
    newOrganization: switchFrom(read('new-organization')),
    rateLimit: switchFrom(read('rate-limit')),
    mail: mailFrom(read('mail')),
    mailFrom: mailAddressFrom(read('mail-from')),
    ...incomingMailFrom(read('incoming-mail'), read('incoming-mail-address')),
    invitationLinkValidityMinutes: validityFrom(read('invitation-link-validity-minutes')),
    leaseMs: secondsFrom(read('lease')),
    storeWaitMs: secondsFrom(read('store-wait')),
    allowNewerStore: switchFrom(read('allow-newer-store')),
    keepIndex: switchFrom(read('keep-index')),
    lateDeliveryMs: minutesFrom(read('late-delivery')),
    keepUploadsMs: daysFrom(read('keep-uploads')),
    keepRemovedMessagesMs: daysFrom(read('keep-removed')),
    keepAuditMs: daysFrom(read('keep-audit')),
    uploadQuotaMib: quotaFrom(read('upload-quota')),
    limitsPresence: switchFrom(read('can-access-all-users-group-limits-presence')),
    topicDeletionMs: secondsFrom(read('topic-deletion-limit')),
    hookTargets: networksFrom(read('hook-target')),
    linkPreviews: oneOf(LINK_PREVIEWS, read('link-previews')),
    linkPreviewTargets: networksFrom(read('link-preview-target')),
    log: oneOf(LOG_LEVELS, read('log')),
    slowRequestMs: secondsFrom(read('slow-request')),
    jwt: settingsFileFrom(read('jwt'), warn),
    push: settingsFileFrom(read('push'), warn),
    ldap: settingsFileFrom(read('ldap'), warn),
    oidc: settingsFileFrom(read('oidc'), warn),
    calls: settingsFileFrom(read('calls'), warn),
    webApp: read('web-app').value || null,
    metrics: metricsFrom(read('metrics')),
  };
}

function oneOf<T extends string>(values: readonly T[], { value, source }: Given): T {
  const found = values.find((one) => one === value);
  if (found !== undefined) return found;
  throw new ConfigError(`${source}: ${value} is not one of ${values.join(', ')}`);
}

/** Most workers: each has the organization in memory, and more than processors serve nobody better. */
const MAX_WORKERS = 64;

function workersFrom({ value, source }: Given): number {
  if (value === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  const number = /^\d{1,2}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= MAX_WORKERS) return number;
  throw new ConfigError(`${source}: ${value} is not a number of processes (1 to 64, or auto)`);
}

/** A file of settings, which may hold a secret; it is validated when it is loaded. */
function settingsFileFrom({ value }: Given, warn: (sentence: string) => void): string | null {
  if (value === '') return null;
  warnIfOpen(value, warn);
  return value;
}

function metricsFrom(given: Given): Config['metrics'] {
  return given.value === '' ? null : addressFrom(given);
}

/** What a store URL may begin with. */
const STORE_SCHEMES = /^(?:embedded|rediss?(?:\+sentinel|\+cluster)?)$/;

export function storeFrom({ value, source }: Given): string {
  const scheme = /^([a-z+]+):./.exec(value)?.[1];
  // Only the scheme is repeated: the rest may hold a password.
  if (scheme === undefined || !STORE_SCHEMES.test(scheme)) {
    throw new ConfigError(`${source}: not a store URL such as embedded:./data`);
  }
  return value;
}

function mailFrom({ value, source }: Given): string | null {
  if (value === '') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  // Nothing of it is repeated: it may hold a password.
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new ConfigError(`${source}: not a mail server such as smtp://user:password@host:587`);
  }
  return value;
}

function mailAddressFrom({ value, source }: Given): string | null {
  if (value === '') return null;
  if (/^[^\s@<>]+@[^\s@<>]+$/.test(value)) return value;
  throw new ConfigError(`${source}: ${value} is not an e-mail address`);
}

function validityFrom({ value, source }: Given): number {
  const minutes = /^\d{1,8}$/.test(value) ? Number(value) : 0;
  if (minutes >= 1 && minutes <= MAX_INVITATION_MINUTES) return minutes;
  throw new ConfigError(
    `${source}: ${value} is not a number of minutes (1 to ${MAX_INVITATION_MINUTES})`,
  );
}

/** In milliseconds. */
function secondsFrom({ value, source }: Given): number {
  const seconds = /^\d{1,3}(\.\d{1,3})?$/.test(value) ? Number(value) : 0;
  if (seconds < 0.5 || seconds > 600) {
    throw new ConfigError(`${source}: ${value} is not a number of seconds (0.5 to 600)`);
  }
  return seconds * 1000;
}

/** In milliseconds. */
function minutesFrom({ value, source }: Given): number {
  const minutes = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (minutes < 1 || minutes > 525_600) {
    throw new ConfigError(`${source}: ${value} is not a number of minutes (1 to 525600)`);
  }
  return minutes * 60_000;
}

/** In milliseconds; null for none. */
function daysFrom({ value, source }: Given): number | null {
  const days = /^\d{1,5}$/.test(value) ? Number(value) : -1;
  if (days < 0 || days > 36_500) {
    throw new ConfigError(`${source}: ${value} is not a number of days (0 to 36500)`);
  }
  return days === 0 ? null : days * 86_400_000;
}

function quotaFrom({ value, source }: Given): number | null {
  if (!/^\d{1,9}$/.test(value)) throw new ConfigError(`${source}: ${value} is not a number of MiB`);
  return Number(value) === 0 ? null : Number(value);
}

function switchFrom({ value, source }: Given): boolean {
  if (value !== 'on' && value !== 'off')
    throw new ConfigError(`${source}: ${value} is neither on nor off`);
  return value === 'on';
}

function passwordFrom({ value, source }: Given): string | null {
  if (value === '') return null;
  if (!hasPasswordLength(value)) throw new ConfigError(`${source}: ${PASSWORD_LENGTHS}`);
  return value;
}

function organizationFrom({ value, source }: Given): string {
  if (value.trim() === '' || [...value].length > 40) {
    throw new ConfigError(`${source}: a name has 1 to 40 characters`);
  }
  return value.trim();
}

function networksFrom({ value, source }: Given): readonly string[] {
  const { list, wrong } = networkList(value);
  if (wrong === undefined) return list;
  throw new ConfigError(`${source}: ${wrong} is not an address or network such as 10.0.0.0/8`);
}

function originsFrom({ value, source }: Given): readonly string[] {
  const { list, wrong } = originList(value);
  if (wrong === undefined) return list;
  throw new ConfigError(`${source}: ${wrong} is not an origin such as https://app.example.org`);
}

/** @throws ConfigError */
export function baseUrl({ value, source }: Given): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new ConfigError(`${source}: ${value} is not a base URL such as https://chat.example.org`);
  }
  return url.origin;
}
