import { parseArgs } from 'node:util';

/** Settings of `parley serve`. Flags win over the environment, which wins over defaults. */
export interface Config {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Store URL, e.g. `embedded:./data`. */
  readonly store: string;
  /** Public base URL used in links; null follows from host and port. */
  readonly url: string | null;
  readonly ownerEmail: string;
  /** Null: one is generated and shown once. */
  readonly ownerPassword: string | null;
  readonly organization: string;
  readonly rateLimit: boolean;
  readonly log: LogLevel;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A flag or variable that cannot be used; its message names it. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

interface Option {
  readonly flag: string;
  readonly variable: string;
  readonly value: string;
  readonly fallback: string;
  readonly help: string;
}

const OPTIONS: readonly Option[] = [
  {
    flag: 'host',
    variable: 'PARLEY_HOST',
    value: 'ADDRESS',
    fallback: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 for all',
  },
  {
    flag: 'port',
    variable: 'PARLEY_PORT',
    value: 'NUMBER',
    fallback: '9991',
    help: 'port to listen on; 0 picks a free one',
  },
  {
    flag: 'store',
    variable: 'PARLEY_STORE',
    value: 'URL',
    fallback: 'embedded:./data',
    help: 'where the organization is kept: embedded:FOLDER',
  },
  {
    flag: 'url',
    variable: 'PARLEY_URL',
    value: 'URL',
    fallback: '',
    help: 'public base URL used in links (default: from host and port)',
  },
  {
    flag: 'owner-email',
    variable: 'PARLEY_OWNER_EMAIL',
    value: 'ADDRESS',
    fallback: 'owner@localhost',
    help: 'first start only: e-mail address of the organization owner',
  },
  {
    flag: 'owner-password',
    variable: 'PARLEY_OWNER_PASSWORD',
    value: 'TEXT',
    fallback: '',
    help: 'first start only: their password (default: generated and shown once)',
  },
  {
    flag: 'organization',
    variable: 'PARLEY_ORGANIZATION',
    value: 'NAME',
    fallback: 'Parley',
    help: 'first start only: name of the organization',
  },
  {
    flag: 'rate-limit',
    variable: 'PARLEY_RATE_LIMIT',
    value: 'on|off',
    fallback: 'on',
    help: 'request rate limits; off for load tests',
  },
  {
    flag: 'log',
    variable: 'PARLEY_LOG',
    value: 'LEVEL',
    fallback: 'info',
    help: `how much to log: ${LOG_LEVELS.join(', ')}`,
  },
];

/** The text of `parley serve --help`. */
export function helpText(): string {
  const rows = OPTIONS.map((option) => {
    const left = `  --${option.flag} ${option.value}`.padEnd(28);
    const fallback = option.fallback === '' ? '' : ` (default: ${option.fallback})`;
    return `${left}${option.help}${fallback}\n${''.padEnd(28)}environment: ${option.variable}`;
  });
  return [
    'Usage: parley serve [options]',
    '',
    'Serves one organization over HTTP and WebSocket. Flags win over the environment.',
    '',
    'Options:',
    ...rows,
    '  --help                    this text',
    '',
  ].join('\n');
}

/** What the command line asks for. */
export type Command =
  { readonly kind: 'serve'; readonly config: Config } | { readonly kind: 'help' };

/**
 * Reads the command line (without the program's name) and the environment.
 * @throws ConfigError naming the flag or variable
 */
export function readCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const [command, ...rest] = args;
  if (command === '--help' || command === '-h' || command === 'help') return { kind: 'help' };
  if (command === undefined) throw new ConfigError('A command is needed: parley serve');
  if (command !== 'serve') throw new ConfigError(`Unknown command: ${command}`);
  const flags = readFlags(rest);
  if (flags.help === true) return { kind: 'help' };
  const read = (flag: string): { value: string; source: string } => {
    const option = OPTIONS.find((one) => one.flag === flag)!;
    const given = flags[flag];
    if (typeof given === 'string') return { value: given, source: `--${flag}` };
    const variable = environment[option.variable];
    if (variable !== undefined && variable !== '') {
      return { value: variable, source: option.variable };
    }
    return { value: option.fallback, source: `--${flag}` };
  };
  return { kind: 'serve', config: configFrom(read) };
}

function readFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        ...Object.fromEntries(OPTIONS.map(({ flag }) => [flag, { type: 'string' as const }])),
      },
      strict: true,
    });
    return values;
  } catch (error) {
    // Node's own sentence names the flag; the advice that follows it is about another program.
    throw new ConfigError((error as Error).message.split('. ')[0]!);
  }
}

type Read = (flag: string) => { value: string; source: string };

function configFrom(read: Read): Config {
  const log = read('log');
  const url = read('url');
  const ownerEmail = read('owner-email');
  if (!/^[^\s@]+@[^\s@]+$/.test(ownerEmail.value)) {
    throw new ConfigError(`${ownerEmail.source}: ${ownerEmail.value} is not an e-mail address`);
  }
  if (!(LOG_LEVELS as readonly string[]).includes(log.value)) {
    throw new ConfigError(`${log.source}: ${log.value} is not one of ${LOG_LEVELS.join(', ')}`);
  }
  return {
    host: read('host').value,
    port: portFrom(read('port')),
    store: storeFrom(read('store')),
    url: url.value === '' ? null : baseUrl(url),
    ownerEmail: ownerEmail.value,
    ownerPassword: passwordFrom(read('owner-password')),
    organization: organizationFrom(read('organization')),
    rateLimit: switchFrom(read('rate-limit')),
    log: log.value as LogLevel,
  };
}

type Given = ReturnType<Read>;

function portFrom({ value, source }: Given): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) {
    throw new ConfigError(`${source}: ${value} is not a port (0 to 65535)`);
  }
  return Number(value);
}

/** What a store URL may begin with. */
const STORE_SCHEMES = ['embedded', 'redis', 'rediss', 'redis+sentinel', 'redis+cluster'];

function storeFrom({ value, source }: Given): string {
  const scheme = /^([a-z+]+):./.exec(value)?.[1];
  // Only the scheme is repeated: the rest may hold a password.
  if (scheme === undefined || !STORE_SCHEMES.includes(scheme)) {
    throw new ConfigError(`${source}: not a store URL such as embedded:./data`);
  }
  return value;
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

function baseUrl({ value, source }: Given): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new ConfigError(`${source}: ${value} is not a base URL such as https://chat.example.org`);
  }
  return url.origin;
}
