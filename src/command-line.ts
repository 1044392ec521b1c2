/** What the command line asks for: commands with their flags, read by `commander`. */
import { Command as CommandNode, CommanderError, Option as CommandOption } from 'commander';
import { USER_RIGHTS, type UserRight } from '../schemas/users/user-document.js';
import { readConfigFile } from './config-file.js';
import { OPTIONS, type Option } from './config-options.js';
import { configFrom, storeFrom, type Config } from './config.js';
import {
  ConfigError,
  fileFlag,
  valueReader,
  type Environment,
  type FlagValue,
  type Given,
  type Read,
} from './option-values.js';

export { helpText } from './command-help.js';

interface TransferArguments {
  /** Store URL. */
  readonly store: string;
  /** The file; null for standard output or input. */
  readonly path: string | null;
}

/** An option with what it comes to. */
export interface EffectiveOption extends Given {
  readonly option: Option;
}

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'serve'; readonly config: Config }
  | {
      readonly kind: 'config check';
      readonly config: Config;
      readonly options: readonly EffectiveOption[];
      readonly asJson: boolean;
    }
  | { readonly kind: 'completion'; readonly shell: Shell }
  /** A command of the admin socket. */
  | {
      readonly kind: 'admin';
      readonly config: Config;
      readonly request: AdminArguments;
      readonly asJson: boolean;
    }
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

/** A command of the admin socket with what it was given. */
export interface AdminArguments {
  /** With its parents, e.g. `users list`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

/** Shells that a completion is made for. */
export const SHELLS = ['bash', 'zsh'] as const;
/** One of {@link SHELLS}. */
export type Shell = (typeof SHELLS)[number];

/** What a command was given. */
interface Invocation {
  readonly read: Read;
  readonly args: readonly string[];
  /** Switches and flags that the command has of its own. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  readonly warn: (sentence: string) => void;
}

/** One command. */
interface Spec {
  /** With its parents, e.g. `config check`. */
  readonly name: string;
  readonly summary: string;
  /** Options of the server that it takes too. */
  readonly options: 'all' | readonly string[];
  /** Flags that only this command has, e.g. `--move`, with what they do. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly command: (given: Invocation) => Command;
}

/** Where the store is, which every command over a stored organization asks. */
const STORE = ['config', 'store'];

const JSON_FLAG = { '--json': 'as JSON, for scripts' };
const PASSWORD_FLAG = { '--password-stdin': 'the password is the first line of standard input' };

const SPECS: readonly Spec[] = [
  {
    name: 'serve',
    summary: 'serve the organization',
    options: 'all',
    command: ({ read, args, environment, warn }) => {
      takesNothing('serve', args);
      return { kind: 'serve', config: configFrom(read, environment, warn) };
    },
  },
  {
    name: 'config check',
    summary: 'say what flags, environment and file come to, and what is wrong with it',
    options: 'all',
    flags: { '--json': 'as JSON' },
    command: ({ read, args, own, environment, warn }) => {
      takesNothing('config check', args);
      const config = configFrom(read, environment, warn);
      const options = OPTIONS.map((option) => ({ option, ...read(option.flag) }));
      return { kind: 'config check', config, options, asJson: own['json'] === true };
    },
  },
  {
    name: 'export',
    summary: 'write the whole store to a file or standard output',
    options: STORE,
    flags: { '--move': 'seal the store: the organization goes on elsewhere' },
    command: ({ read, args, own }) => ({
      kind: 'export',
      ...transferFrom('export', read, args),
      move: own['move'] === true,
    }),
  },
  {
    name: 'import',
    summary: 'read an export into an empty store',
    options: STORE,
    command: ({ read, args }) => ({ kind: 'import', ...transferFrom('import', read, args) }),
  },
  note('new-history', 'begin another history: all clients register again'),
  note('verify', 'read everything in the store and name damage'),
  note('forget-secret', 'take another secret for API keys'),
  {
    name: 'restore-messages',
    summary: 'put back what retention removed',
    options: STORE,
    command: ({ read, args }) => ({
      kind: 'restore-messages',
      store: storeFrom(read('store')),
      places: args,
    }),
  },
  right('grant', 'give an account a right'),
  right('revoke', 'take a right from an account'),
  admin('users list', [], 'accounts', { '--all': 'deactivated ones too' }),
  admin('users create', ['EMAIL', 'NAME'], 'create an account', {
    '--role <ROLE>': 'owner, administrator, moderator, member (default) or guest',
    ...PASSWORD_FLAG,
  }),
  admin('users role', ['EMAIL', 'ROLE'], 'change the role of an account'),
  admin('users deactivate', ['EMAIL'], 'end an account: its keys, queues and bots'),
  admin('users reactivate', ['EMAIL'], 'let an account log in again'),
  admin(
    'users reset-password',
    ['EMAIL'],
    'a new password, shown once; keys change',
    PASSWORD_FLAG,
  ),
  admin('queues list', [], 'event queues'),
  admin('queues show', ['QUEUE'], 'one event queue with its filter'),
  admin('queues drop', ['QUEUE'], 'end an event queue; its client registers again'),
  admin('audit', [], 'who changed which setting, the newest last', {
    '--user <EMAIL>': 'only what this account changed',
    '--kind <KIND>': 'only changes of this kind: organization, user, channel, group …',
    '--count <NUMBER>': 'so many; 50 unless told',
  }),
  admin('stats', [], 'figures of the running server'),
  admin('tail', [], 'journal entries as they become durable', {
    '--type <TYPES>': 'only entries with events of these types, by commas',
    '--user <EMAIL>': 'only entries with events for this account',
    '--count <NUMBER>': 'end after so many',
  }),
  {
    name: 'openapi',
    summary: 'print the API as an OpenAPI document',
    options: [],
    command: ({ args }) => ({ kind: 'openapi', url: args[0] ?? 'http://127.0.0.1:9991' }),
  },
  {
    name: 'completion',
    summary: `print the completion for a shell: ${SHELLS.join(' or ')}`,
    options: [],
    command: ({ args: [name = ''] }) => {
      const shell = SHELLS.find((one) => one === name);
      if (shell) return { kind: 'completion', shell };
      throw new ConfigError(`parley completion takes a shell: ${SHELLS.join(' or ')}`);
    },
  },
];

/** A command of the admin socket. @param names what its arguments are, all of them needed */
function admin(
  name: string,
  names: readonly string[],
  summary: string,
  flags: Readonly<Record<string, string>> = {},
): Spec {
  return {
    name,
    summary,
    options: [...STORE, 'secret-file', 'files'],
    flags: { ...flags, ...JSON_FLAG },
    command: ({ read, args, own, environment, warn }) => {
      if (args.length !== names.length) {
        const what = names.length === 0 ? 'flags alone' : names.join(' and ');
        throw new ConfigError(`parley ${name} takes ${what}`);
      }
      const known = Object.keys(flags).map((flag) => flag.slice(2).split(' ')[0]!);
      const given = known.map((flag) => [flag, own[flag]] as const);
      const request = { command: name, args, flags: Object.fromEntries(given) };
      const config = configFrom(read, environment, warn);
      return {
        kind: 'admin',
        config,
        request: request as AdminArguments,
        asJson: own['json'] === true,
      };
    },
  };
}

/** A command over a stored organization, without arguments. */
function note(kind: 'forget-secret' | 'new-history' | 'verify', summary: string): Spec {
  return {
    name: kind,
    summary,
    options: STORE,
    command: ({ read, args }) => {
      if (args.length > 0) throw new ConfigError(`parley ${kind} takes no file`);
      return { kind, store: storeFrom(read('store')) };
    },
  };
}

/** A command that changes a right. */
function right(kind: 'grant' | 'revoke', summary: string): Spec {
  return {
    name: kind,
    summary,
    options: STORE,
    command: ({ read, args }) => ({
      kind,
      store: storeFrom(read('store')),
      ...rightFrom(kind, args),
    }),
  };
}

/** @throws ConfigError */
function takesNothing(command: string, [first]: readonly string[]): void {
  if (first === undefined) return;
  throw new ConfigError(`parley ${command} takes flags alone, and '${first}' is none`);
}

/** @throws ConfigError */
function transferFrom(command: string, read: Read, args: readonly string[]): TransferArguments {
  if (args.length > 1) throw new ConfigError(`parley ${command} takes one file`);
  const [path = '-'] = args;
  return { store: storeFrom(read('store')), path: path === '-' ? null : path };
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
 * Reads the command line (without the program's name), the environment, and the configuration file that they name.
 * @param warn told what the operator should know about how secrets were given, one sentence each
 * @throws ConfigError naming the flag, the variable or the place in the file
 */
export function readCommand(
  args: readonly string[],
  environment: Environment,
  warn: (sentence: string) => void = () => undefined,
): Command {
  const [first] = args;
  if (first === undefined) throw new ConfigError('A command is needed: parley serve');
  if (first === 'help') return { kind: 'help' };
  if (first === '--version' || first === '-V') return { kind: 'version' };
  let command: Command | undefined;
  const program = commandTree((spec, positionals, flags) => {
    command = carryOut(spec, positionals, flags, environment, warn);
  });
  try {
    program.parse(withoutDashes(args), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { kind: 'help' };
    throw new ConfigError(refusalOf(error, first));
  }
  return command!;
}

/** Ids of queues are random, so that one in 64 begins as a flag does. Flags have no capitals, digits or underscores. */
function withoutDashes(args: readonly string[]): string[] {
  const isId = (word: string): boolean => /^-(?=[\w-]*[A-Z0-9_])[\w-]{19,}$/.test(word);
  if (args[0] !== 'queues' || !args.some(isId)) return [...args];
  return [...args.filter((word) => !isId(word)), '--', ...args.filter(isId)];
}

/** Flags are given by their names, without dashes. */
type Run = (
  spec: Spec,
  args: readonly string[],
  flags: Readonly<Record<string, FlagValue>>,
) => void;

/** All commands. @param run called with what the command line has */
export function commandTree(run: Run = () => undefined): CommandNode {
  const program = quiet(new CommandNode('parley'));
  for (const spec of SPECS) {
    const words = spec.name.split(' ');
    let parent = program;
    for (const word of words.slice(0, -1)) {
      const known = parent.commands.find((one) => one.name() === word);
      parent = known ?? quiet(parent.command(word));
    }
    const node = quiet(parent.command(words.at(-1)!)).description(spec.summary);
    node.argument('[arguments...]');
    for (const option of optionsOf(spec)) node.addOption(option);
    node.action((positionals: string[]) => {
      const flags = node.options.map((option) => [
        option.name(),
        node.getOptionValue(option.attributeName()) as FlagValue,
      ]);
      run(spec, positionals, Object.fromEntries(flags) as Record<string, FlagValue>);
    });
  }
  return program;
}

/** Errors are thrown, and nothing is printed by the library. */
function quiet(node: CommandNode): CommandNode {
  const nothing = (): void => undefined;
  return node
    .exitOverride()
    .configureOutput({ writeOut: nothing, writeErr: nothing })
    .helpOption('-h, --help', 'help')
    .helpCommand(false);
}

function optionsOf({ options, flags = {} }: Spec): CommandOption[] {
  const known = OPTIONS.filter(({ flag }) => options === 'all' || options.includes(flag));
  const shared = known.flatMap((option) => {
    const own = new CommandOption(`--${option.flag} <${option.value}>`, option.help);
    if (option.isList) {
      own.argParser((value: string, former: string[] | undefined) => [...(former ?? []), value]);
    }
    if (!option.secret) return [own];
    return [own, new CommandOption(`--${fileFlag(option.flag)} <FILE>`, `a file with it`)];
  });
  const own = Object.entries(flags).map(([flag, help]) => new CommandOption(flag, help));
  return [...shared, ...own];
}

function carryOut(
  spec: Spec,
  args: readonly string[],
  flags: Readonly<Record<string, FlagValue>>,
  environment: Environment,
  warn: (sentence: string) => void,
): Command {
  // What takes no option reads no file.
  const path = spec.options.length === 0 ? '' : valueReader(flags, environment)('config').value;
  const file = path === '' ? null : readConfigFile(path, warn);
  const read = valueReader(flags, environment, warn, file);
  return spec.command({ read, args, own: flags, environment, warn });
}

/** The library's sentence, on one line. */
function refusalOf({ code, message }: CommanderError, first: string): string {
  if (code === 'commander.help') return `parley ${first} needs another word: see parley --help`;
  const text = message.replace(/^error: /, '');
  const [, said = text, near] = /^(.*)\n\(Did you mean (.*)\?\)$/.exec(text) ?? [];
  const capital = said.charAt(0).toUpperCase() + said.slice(1);
  return near === undefined ? capital : `${capital}. Did you mean ${near}?`;
}
