/** What the command line asks for: commands with their flags, read by `commander`. */
import { Command as CommandNode, CommanderError, Help, Option as CommandOption } from 'commander';
import { USER_RIGHTS, type UserRight } from '../../schemas/users/user-document.js';
import { ADMIN_SPECS } from './admin-specs.js';
import { ORGANIZATIONS_SPECS } from './organizations-specs.js';
import { TRANSFER_SPECS } from './transfer-specs.js';
import { carryOut } from './invocation.js';
import { JSON_FLAG, OF_FLAG, SHELLS, STORE, type Command, type Spec } from './spec.js';
import { OPTIONS } from '../config/options.js';
import { configFrom, readConfig } from '../config/config.js';
import { baseUrl, storeFrom } from '../config/parsers.js';
import {
  ConfigError,
  effectiveOptions,
  fileFlag,
  fileVariable,
  type Environment,
  type FlagValue,
} from '../config/values.js';

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
    flags: {
      '--connect': 'also try store, files, mail server, directory and login providers',
    },
    command: ({ read, args, own, environment, warn, faults }) => {
      takesNothing('config check', args);
      const { config, faults: inValues } = readConfig(read, environment, warn);
      const options = effectiveOptions(read);
      return {
        kind: 'config check',
        config,
        options,
        faults: [...faults, ...inValues],
        connect: own['connect'] === true,
      };
    },
  },
  ...TRANSFER_SPECS,
  note('new-history', 'start a new history: all clients register again'),
  {
    name: 'verify',
    summary: 'check the whole store for damage, also while it is served',
    ofOne: true,
    options: [...STORE, 'state', 'files-credentials-file'],
    flags: {
      '--files [PLACE]': 'read uploaded files too: of this place, or of that which serve has',
    },
    command: ({ read, args, own, environment, warn }) => {
      if (args.length > 0) throw new ConfigError('parley verify takes no file');
      const store = storeFrom(read('store'));
      const files = own['files'] === undefined ? null : configFrom(read, environment, warn);
      return { kind: 'verify', store, state: read('state').value || null, files };
    },
  },
  note('forget-secret', 'replace the secret of API keys; all API keys change'),
  {
    name: 'restore-messages',
    summary: 'restore messages that retention removed; "direct" for direct messages',
    takes: '[CHANNEL…]',
    ofOne: true,
    options: STORE,
    command: ({ read, args }) => ({
      kind: 'restore-messages',
      store: storeFrom(read('store')),
      places: args,
    }),
  },
  right('grant', 'give an account a right: '),
  right('revoke', 'take a right from an account: '),
  ...ADMIN_SPECS,
  ...ORGANIZATIONS_SPECS,
  {
    name: 'openapi',
    summary: 'print the API as an OpenAPI document, for a base URL',
    takes: '[URL]',
    options: [],
    command: ({ args: [value = 'http://127.0.0.1:9991', ...more] }) => {
      if (more.length > 0) throw new ConfigError('parley openapi takes one URL');
      return { kind: 'openapi', url: baseUrl({ value, source: 'parley openapi' }) };
    },
  },
  {
    name: 'completion',
    summary: 'print a completion script: source <(parley completion bash)',
    takes: SHELLS.join('|'),
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
    ofOne: true,
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
    summary: `${summary}${USER_RIGHTS.join(' or ')}`,
    takes: 'EMAIL RIGHT',
    ofOne: true,
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
  let command: Command | undefined;
  let text = '';
  const program = commandTree(
    (spec, positionals, flags) => {
      command = carryOut(spec, positionals, flags, environment, warn);
    },
    (part) => (text += part),
  );
  try {
    const words = first === 'help' ? [...args.slice(1), '--help'] : withoutDashes(args);
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', text };
    if (error.code === 'commander.version') return { kind: 'version' };
    throw new ConfigError(refusalOf(error, first));
  }
  return command!;
}

/** Whether a command line asks for JSON, also one that is refused. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes(JSON_FLAG);
}

/** Ids of queues are random, so that one in 64 begins as a flag does. Flags have no capitals, digits or underscores. */
function withoutDashes(args: readonly string[]): string[] {
  const isId = (word: string): boolean => /^-(?=[\w-]*[A-Z0-9_])[\w-]{19,}$/.test(word);
  if (!['queues', 'actors'].includes(args[0]!) || !args.some(isId)) return [...args];
  return [...args.filter((word) => !isId(word)), '--', ...args.filter(isId)];
}

/** Flags are given by their names, without dashes. */
type Run = (
  spec: Spec,
  args: readonly string[],
  flags: Readonly<Record<string, FlagValue>>,
) => void;

const USAGE = 'COMMAND [options]';
const ABOUT = [
  'Serves one organization, or several, over HTTP and WebSocket. parley COMMAND --help shows the options of a command.',
  'Flags override environment variables, which override the file of --config. Other accounts can read flags in the process list: pass secrets by file or environment.',
].join('\n\n');
const OF_HELP = 'which organization, where the data folder has several: see organizations list';
const JSON_HELP = 'print results, notes and errors as JSON, for scripts';
/** Columns of flags and commands; what is longer has its text on the next line. */
const LEFT_COLUMNS = 30;

/**
 * All commands.
 * @param run called with what the command line has
 * @param print called with help, where that is asked for
 */
export function commandTree(
  run: Run = () => undefined,
  print: (text: string) => void = () => undefined,
): CommandNode {
  const program = new CommandNode('parley')
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: () => undefined })
    .configureHelp({ visibleCommands: leavesOf, subcommandTerm: termOf, padWidth, formatItem })
    .usage(USAGE)
    .description(ABOUT)
    .version('', '-V, --version', 'print the version')
    .option(JSON_FLAG, JSON_HELP)
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false);
  for (const spec of SPECS) {
    const words = spec.name.split(' ');
    let parent = program;
    for (const word of words.slice(0, -1)) {
      const known = parent.commands.find((one) => one.name() === word);
      parent = known ?? parent.command(word).helpCommand(false).usage(USAGE);
    }
    const isDefault = spec.isDefault === true;
    const node = parent.command(words.at(-1)!, { isDefault }).description(spec.summary);
    node.argument('[arguments...]').usage(`[options] ${spec.takes ?? ''}`.trimEnd());
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

/** Commands that do something, of one or of all that have subcommands. */
function leavesOf(node: CommandNode): CommandNode[] {
  return node.commands.flatMap((one) => (one.commands.length === 0 ? [one] : leavesOf(one)));
}

function termOf(node: CommandNode): string {
  const parents = node.parent?.parent ? `${node.parent.name()} ` : '';
  return `${parents}${node.name()} ${node.usage()}`.replace(/ \[options\]/, '');
}

function padWidth(node: CommandNode, help: Help): number {
  return Math.min(Help.prototype.padWidth.call(help, node, help), LEFT_COLUMNS);
}

function formatItem(this: Help, term: string, width: number, text: string, help: Help): string {
  const item = Help.prototype.formatItem.bind(this);
  if (help.displayWidth(term) <= width) return item(term, width, text, help);
  return `  ${term}\n${item('', width, text, help)}`;
}

function optionsOf({ options, ofOne = false, flags = {} }: Spec): CommandOption[] {
  const known = OPTIONS.filter(({ flag }) => options === 'all' || options.includes(flag));
  const shared = known.flatMap((option) => {
    const { flag, variable, fallback } = option;
    const help = `${option.help}${fallback && ` (default: ${fallback})`}\nenvironment: ${variable}`;
    const own = new CommandOption(`--${flag} <${option.value}>`, help);
    if (option.isList) {
      own.argParser((value: string, former: string[] | undefined) => [...(former ?? []), value]);
    }
    if (flag === 'store') own.argParser(oneStore);
    if (!option.secret) return [own];
    const text = `file that holds the value\nenvironment: ${fileVariable(variable)}`;
    return [own, new CommandOption(`--${fileFlag(flag)} <FILE>`, text)];
  });
  const all = ofOne ? { ...flags, [OF_FLAG]: OF_HELP } : flags;
  const own = Object.entries(all).map(([flag, help]) => new CommandOption(flag, help));
  return [...shared, ...own, new CommandOption(JSON_FLAG, JSON_HELP)];
}

/**
 * Of other options the last wins; a command at another store than the one that was meant does harm.
 * @throws ConfigError
 */
function oneStore(value: string, former: string | undefined): string {
  if (former === undefined || former === value) return value;
  throw new ConfigError(`--store is given twice: ${former} and ${value}`);
}

/** The library's sentence, on one line. */
function refusalOf({ code, message }: CommanderError, first: string): string {
  if (code === 'commander.help') return `parley ${first} needs a subcommand: see parley --help`;
  const text = message.replace(/^error: /, '');
  const [, said = text, near] = /^(.*)\n\(Did you mean (.*)\?\)$/.exec(text) ?? [];
  const capital = said.charAt(0).toUpperCase() + said.slice(1);
  return near === undefined ? capital : `${capital}. Did you mean ${near}?`;
}
