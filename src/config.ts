import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { USER_RIGHTS, type UserRight } from '../schemas/users/user-document.js';
import { MAX_INVITATION_MINUTES } from '../schemas/limits.js';
import { filesFrom, filesKeysFrom, type FilesPlace, type S3KeySource } from './config-files.js';
import {
  addressFrom,
  networkList,
  nodeAddressFrom,
  originList,
  portFrom,
  type Address,
} from './config-network.js';
import { LOG_LEVELS, OPTIONS, type LogLevel } from './config-options.js';
import {
  ConfigError,
  fileFlag,
  fileVariable,
  valueReader,
  warnIfOpen,
  type Given,
  type Read,
} from './option-values.js';

/** Settings of `parley serve`. Flags win over the environment, which wins over defaults. */
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
  /** Public base URL used in links; null follows from host and port. */
  readonly url: string | null;
  /** Reverse proxies whose word about the client counts: addresses and networks in CIDR form. */
  readonly trustedProxies: readonly string[];
  /** Origins of other sites whose pages may use credentials of the API; `*` for all. */
  readonly allowedOrigins: readonly string[];
  readonly ownerEmail: string;
  /** Null: one is generated and shown once. */
  readonly ownerPassword: string | null;
  readonly organization: string;
  /** Create one in an empty store although the secret, or files, of one are there. */
  readonly newOrganization: boolean;
  readonly rateLimit: boolean;
  /** SMTP server, may hold a password; null: mails become files beside the data. */
  readonly mail: string | null;
  /** Address that mails come from; null follows from the base URL. */
  readonly mailFrom: string | null;
  readonly invitationLinkValidityMinutes: number;
  /** How long the role of the serving process lasts without renewal. Milliseconds. */
  readonly leaseMs: number;
  /** How long a request waits for a store that does not answer. Milliseconds. */
  readonly storeWaitMs: number;
  /** Whether to serve a store that newer software served last. */
  readonly allowNewerStore: boolean;
  /** A scheduled message overdue by more is not sent. Milliseconds. */
  readonly lateDeliveryMs: number;
  /** Uploaded files that no message links for longer are removed; null keeps them. Milliseconds. */
  readonly keepUploadsMs: number | null;
  /** How long messages that retention removed can be restored; null: not at all. Milliseconds. */
  readonly keepRemovedMessagesMs: number | null;
  /** What all uploaded files may take; null for no quota. */
  readonly uploadQuotaMib: number | null;
  /** How long one request to delete a topic may take. Milliseconds. */
  readonly topicDeletionMs: number;
  readonly log: LogLevel;
  /** File with the settings of login by signed token; null: there is none. */
  readonly jwt: string | null;
  /** File with the settings of login through an LDAP directory; null: there is none. */
  readonly ldap: string | null;
  /** Where metrics are served, apart from the API; null: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
}

export { LOG_LEVELS, type LogLevel };

export { ConfigError };

/** The text of `parley serve --help`. */
export function helpText(): string {
  const rows = OPTIONS.map((option) => {
    const flag = `  --${option.flag} ${option.value}`;
    const file = option.secret
      ? `\n${''.padEnd(28)}or a file with it: --${fileFlag(option.flag)}, ${fileVariable(option.variable)}`
      : '';
    const left = flag.length < 28 ? flag.padEnd(28) : `${flag}\n${''.padEnd(28)}`;
    const fallback = option.fallback === '' ? '' : ` (default: ${option.fallback})`;
    return `${left}${option.help}${fallback}\n${''.padEnd(28)}environment: ${option.variable}${file}`;
  });
  return [
    'Usage: parley serve [options]',
    '       parley export [--store URL] [FILE]   the whole store as JSON lines, to FILE or stdout',
    '                     --move                 seal the store: the organization goes on elsewhere',
    '       parley import [--store URL] [FILE]   the same into an empty store, from FILE or stdin',
    '       parley new-history [--store URL]     begin another history: all clients register again',
    '       parley verify [--store URL]          read everything, also while it is served; name damage',
    '       parley forget-secret [--store URL]   take another secret for API keys; they all change',
    '       parley restore-messages [--store URL] [CHANNEL…]',
    '                                            what retention removed, back; "direct" for direct messages',
    '       parley grant [--store URL] EMAIL RIGHT',
    '       parley revoke [--store URL] EMAIL RIGHT',
    '                                            a right of an account: can_create_users, can_change_user_emails',
    '       parley openapi [URL]                 the API as an OpenAPI document, for a base URL',
    '       parley --version                     which version this is',
    '',
    'Serves one organization over HTTP and WebSocket. Flags win over the environment.',
    'Flags stand in the list of processes: give secrets by file or environment.',
    '',
    'Options:',
    ...rows,
    '  --help                    this text',
    '',
  ].join('\n');
}

interface TransferArguments {
  /** Store URL. */
  readonly store: string;
  /** The file; null for standard output or input. */
  readonly path: string | null;
}

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'serve'; readonly config: Config }
  | (TransferArguments & { readonly kind: 'import' })
  /** `move`: seal the store. */
  | (TransferArguments & { readonly kind: 'export'; readonly move: boolean })
  | { readonly kind: 'forget-secret' | 'new-history' | 'verify'; readonly store: string }
  | {
      readonly kind: 'restore-messages';
      readonly store: string;
      /** Channels by id or name, `direct` for direct messages; none: all. */
      readonly places: readonly string[];
    }
  | {
      readonly kind: 'grant' | 'revoke';
      readonly store: string;
      readonly email: string;
      readonly right: UserRight;
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'openapi'; readonly url: string };

/**
 * Reads the command line (without the program's name) and the environment.
 * @param warn told what the operator should know about how secrets were given, one sentence each
 * @throws ConfigError naming the flag or variable
 */
export function readCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  warn: (sentence: string) => void = () => undefined,
): Command {
  const [command, ...rest] = args;
  if (command === '--help' || command === '-h' || command === 'help') return { kind: 'help' };
  if (command === '--version' || command === '-V') return { kind: 'version' };
  if (command === undefined) throw new ConfigError('A command is needed: parley serve');
  if (command === 'openapi') {
    const { flags, files } = readFlags(rest, []);
    if (flags.help === true) return { kind: 'help' };
    return { kind: 'openapi', url: files[0] ?? 'http://127.0.0.1:9991' };
  }
  const moves = command === 'export' || command === 'import';
  const notes = command === 'forget-secret' || command === 'new-history' || command === 'verify';
  const restores = command === 'restore-messages';
  const changesRight = command === 'grant' || command === 'revoke';
  const isTool = moves || notes || restores || changesRight;
  if (command !== 'serve' && !isTool) throw new ConfigError(`Unknown command: ${command}`);
  const switches = command === 'export' ? ['move'] : [];
  const only = isTool ? ['store'] : null;
  const { flags, files } = readFlags(rest, only, switches);
  if (flags.help === true) return { kind: 'help' };
  const read = valueReader(flags, environment, warn);
  if (command === 'serve') return { kind: 'serve', config: configFrom(read, environment, warn) };
  if (restores) return { kind: command, store: storeFrom(read('store')), places: files };
  if (changesRight) {
    return { kind: command, store: storeFrom(read('store')), ...rightFrom(command, files) };
  }
  if (notes) {
    if (files.length > 0) throw new ConfigError(`parley ${command} takes no file`);
    return { kind: command, store: storeFrom(read('store')) };
  }
  if (files.length > 1) throw new ConfigError(`parley ${command} takes one file`);
  const [path = '-'] = files;
  const transfer = { store: storeFrom(read('store')), path: path === '-' ? null : path };
  if (command === 'import') return { kind: command, ...transfer };
  return { kind: 'export', ...transfer, move: flags['move'] === true };
}

/** Whose right, and which. @throws ConfigError */
function rightFrom(
  command: string,
  [email = '', name = '', ...more]: readonly string[],
): { email: string; right: UserRight } {
  const right = USER_RIGHTS.find((one) => one === name);
  if (email !== '' && right && more.length === 0) return { email, right };
  throw new ConfigError(
    `parley ${command} takes an e-mail address and a right: ${USER_RIGHTS.join(' or ')}`,
  );
}

/**
 * @param only the flags of a command that takes a file; null for all, and no file
 * @param switches flags without a value that only this command has
 */
function readFlags(
  args: readonly string[],
  only: readonly string[] | null,
  switches: readonly string[] = [],
) {
  const known = OPTIONS.filter(({ flag }) => only?.includes(flag) ?? true).flatMap((option) =>
    option.secret ? [option, { flag: fileFlag(option.flag), isList: false }] : [option],
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        ...Object.fromEntries(switches.map((flag) => [flag, { type: 'boolean' as const }])),
        ...Object.fromEntries(
          known.map(({ flag, isList = false }) => [
            flag,
            { type: 'string' as const, multiple: isList },
          ]),
        ),
      },
      strict: true,
      allowPositionals: only !== null,
    });
    const flags: Record<string, string | boolean | undefined | (string | boolean)[]> = values;
    return { flags, files: positionals };
  } catch (error) {
    // Node's own sentence names the flag; the advice that follows it is about another program.
    throw new ConfigError((error as Error).message.split('. ')[0]!);
  }
}

function configFrom(
  read: Read,
  environment: Readonly<Record<string, string | undefined>>,
  warn: (sentence: string) => void,
): Config {
  const log = read('log');
  const url = read('url');
  const ownerEmail = read('owner-email');
  if (!/^[^\s@]+@[^\s@]+$/.test(ownerEmail.value)) {
    throw new ConfigError(`${ownerEmail.source}: ${ownerEmail.value} is not an e-mail address`);
  }
  if (!(LOG_LEVELS as readonly string[]).includes(log.value)) {
    throw new ConfigError(`${log.source}: ${log.value} is not one of ${LOG_LEVELS.join(', ')}`);
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
    url: url.value === '' ? null : baseUrl(url),
    trustedProxies: networksFrom(read('trusted-proxy')),
    allowedOrigins: originsFrom(read('allowed-origin')),
    ownerEmail: ownerEmail.value,
    ownerPassword: passwordFrom(read('owner-password')),
    organization: organizationFrom(read('organization')),
    newOrganization: switchFrom(read('new-organization')),
    rateLimit: switchFrom(read('rate-limit')),
    mail: mailFrom(read('mail')),
    mailFrom: mailAddressFrom(read('mail-from')),
    invitationLinkValidityMinutes: validityFrom(read('invitation-link-validity-minutes')),
    leaseMs: secondsFrom(read('lease')),
    storeWaitMs: secondsFrom(read('store-wait')),
    allowNewerStore: switchFrom(read('allow-newer-store')),
    lateDeliveryMs: minutesFrom(read('late-delivery')),
    keepUploadsMs: daysFrom(read('keep-uploads')),
    keepRemovedMessagesMs: daysFrom(read('keep-removed')),
    uploadQuotaMib: quotaFrom(read('upload-quota')),
    topicDeletionMs: secondsFrom(read('topic-deletion-limit')),
    log: log.value as LogLevel,
    jwt: settingsFileFrom(read('jwt'), warn),
    ldap: settingsFileFrom(read('ldap'), warn),
    metrics: metricsFrom(read('metrics')),
  };
}

/** Most workers: each has the organization in memory, and more than processors serve nobody better. */
const MAX_WORKERS = 64;

function workersFrom({ value, source }: Given): number {
  if (value === 'auto') return Math.min(availableParallelism(), MAX_WORKERS);
  const number = /^\d{1,2}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= MAX_WORKERS) return number;
  throw new ConfigError(`${source}: ${value} is not a number of processes (1 to 64, or auto)`);
}

/** A file of settings, which may hold a secret; what is wrong with it is told when it is loaded. */
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

function storeFrom({ value, source }: Given): string {
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
    `${source}: ${value} is not a time (1 to ${MAX_INVITATION_MINUTES} minutes)`,
  );
}

/** In milliseconds. */
function secondsFrom({ value, source }: Given): number {
  const seconds = /^\d{1,3}(\.\d{1,3})?$/.test(value) ? Number(value) : 0;
  if (seconds < 0.5 || seconds > 600) {
    throw new ConfigError(`${source}: ${value} is not a time (0.5 to 600 seconds)`);
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
    throw new ConfigError(`${source}: ${value} is not on or off`);
  return value === 'on';
}

function passwordFrom({ value, source }: Given): string | null {
  if (value === '') return null;
  if (value.length < 8 || value.length > 100) {
    throw new ConfigError(`${source}: a password has 8 to 100 characters`);
  }
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

function baseUrl({ value, source }: Given): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new ConfigError(`${source}: ${value} is not a base URL such as https://chat.example.org`);
  }
  return url.origin;
}
