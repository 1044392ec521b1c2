/** What the command line asks for: commands with their flags, read by `commander`. */
import { Command as CommandNode, CommanderError, Option as CommandOption } from 'commander';
import { USER_RIGHTS, type UserRight } from '../schemas/users/user-document.js';
import { readConfigFile } from './config-file.js';
import { OPTIONS, type Option } from './config-options.js';
import { configFrom, storeFrom, type Config } from './config.js';
import {
  ConfigError,
  fileFlag,
  fileVariable,
  valueReader,
  type Environment,
  type FlagValue,
  type Given,
  type Read,
} from './option-values.js';

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
    program.parse([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { kind: 'help' };
    throw new ConfigError(refusalOf(error, first));
  }
  return command!;
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
  return [...USAGE, ...rows, '  --help                    this text', ''].join('\n');
}

const USAGE = [
  'Usage: parley serve [options]',
  '       parley config check [options]        what flags, environment and file come to, or what is wrong',
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
  '       parley completion bash|zsh           a script for the shell: source <(parley completion bash)',
  '       parley --version                     which version this is',
  '',
  'Serves one organization over HTTP and WebSocket. Flags win over the environment, this over the file of --config.',
  'Flags stand in the list of processes: give secrets by file or environment.',
  '',
  'Options:',
];
