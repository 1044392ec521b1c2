/** What the command line asks for: commands with their flags, read by `commander`. */
import { Command as CommandNode, CommanderError, Option as CommandOption } from 'commander';
import { USER_RIGHTS, type UserRight } from '../../schemas/users/user-document.js';
import { ADMIN_SPECS } from './admin-specs.js';
import { SHELLS, STORE, type Command, type Spec, type TransferArguments } from './spec.js';
import { readConfigFile } from '../config/file.js';
import { OPTIONS } from '../config/options.js';
import { baseUrl, configFrom, storeFrom } from '../config/config.js';
import {
  ConfigError,
  fileFlag,
  valueReader,
  type Environment,
  type FlagValue,
  type Read,
} from '../config/values.js';

export { helpText } from './help.js';

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
    summary: 'show the effective configuration, or what is wrong with it',
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
    flags: {
      '--move': 'seal the store: the organization continues on another server',
      '--without-damaged': 'leave damaged messages out, and name them',
    },
    command: ({ read, args, own }) => ({
      kind: 'export',
      ...transferFrom('export', read, args),
      move: own['move'] === true,
      withoutDamaged: own['without-damaged'] === true,
    }),
  },
  {
    name: 'import',
    summary: 'read an export into an empty store',
    options: STORE,
    command: ({ read, args }) => ({ kind: 'import', ...transferFrom('import', read, args) }),
  },
  note('new-history', 'start a new history: all clients register again'),
  {
    name: 'verify',
    summary: 'check the whole store for damage, also while it is served',
    options: [...STORE, 'files-credentials-file'],
    flags: {
      '--files [PLACE]': 'read uploaded files too: of this place, or of that which serve has',
    },
    command: ({ read, args, own, environment, warn }) => {
      if (args.length > 0) throw new ConfigError('parley verify takes no file');
      const store = storeFrom(read('store'));
      const files = own['files'] === undefined ? null : configFrom(read, environment, warn);
      return { kind: 'verify', store, files };
    },
  },
  note('forget-secret', 'replace the secret of API keys; all API keys change'),
  {
    name: 'restore-messages',
    summary: 'restore messages that retention removed',
    options: STORE,
    command: ({ read, args }) => ({
      kind: 'restore-messages',
      store: storeFrom(read('store')),
      places: args,
    }),
  },
  right('grant', 'give an account a right'),
  right('revoke', 'take a right from an account'),
  ...ADMIN_SPECS,
  {
    name: 'openapi',
    summary: 'print the API as an OpenAPI document',
    options: [],
    command: ({ args: [value = 'http://127.0.0.1:9991', ...more] }) => {
      if (more.length > 0) throw new ConfigError('parley openapi takes one URL');
      return { kind: 'openapi', url: baseUrl({ value, source: 'parley openapi' }) };
    },
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
function note(kind: 'forget-secret' | 'new-history', summary: string): Spec {
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
    options: [...STORE, 'state'],
    command: ({ read, args }) => ({
      kind,
      store: storeFrom(read('store')),
      state: read('state').value || null,
      ...rightFrom(kind, args),
    }),
  };
}

/** @throws ConfigError */
function takesNothing(command: string, [first]: readonly string[]): void {
  if (first === undefined) return;
  throw new ConfigError(`parley ${command} takes no arguments: '${first}' is unexpected`);
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
  if (first === undefined) throw new ConfigError('A command is missing, such as parley serve');
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
    if (option.flag === 'store') own.argParser(oneStore);
    if (!option.secret) return [own];
    return [
      own,
      new CommandOption(`--${fileFlag(option.flag)} <FILE>`, 'file that holds the value'),
    ];
  });
  const own = Object.entries(flags).map(([flag, help]) => new CommandOption(flag, help));
  return [...shared, ...own];
}

/**
 * Of other options the last wins; a command at another store than the one that was meant does harm.
 * @throws ConfigError
 */
function oneStore(value: string, former: string | undefined): string {
  if (former === undefined || former === value) return value;
  throw new ConfigError(`--store is given twice: ${former} and ${value}`);
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
  if (code === 'commander.help') return `parley ${first} needs a subcommand: see parley --help`;
  const text = message.replace(/^error: /, '');
  const [, said = text, near] = /^(.*)\n\(Did you mean (.*)\?\)$/.exec(text) ?? [];
  const capital = said.charAt(0).toUpperCase() + said.slice(1);
  return near === undefined ? capital : `${capital}. Did you mean ${near}?`;
}
