/** Commands that write an organization to a file, or read one. */
import { configFrom } from '../config/config.js';
import { storeFrom } from '../config/parsers.js';
import { ConfigError, type Read } from '../config/values.js';
import {
  INTO_FLAGS,
  INTO_OPTIONS,
  intoFrom,
  STORE,
  type Command,
  type Invocation,
  type Spec,
  type TransferArguments,
} from './spec.js';

export const TRANSFER_SPECS: readonly Spec[] = [
  {
    name: 'export',
    summary: 'write the whole store as JSON lines to FILE or standard output',
    takes: '[FILE]',
    ofOne: true,
    options: [...STORE, 'url', 'files', 'files-credentials-file'],
    flags: {
      '--format <FORMAT>': 'parley (default), or zulip: a .tar.gz as Zulip exports, with all files',
      '--like <EXPORT>':
        'with --format zulip: an export of the server that is to read it, whose columns it takes',
      '--move': 'seal the store: the organization continues on another server',
      '--without-damaged': 'leave damaged messages out, and name them',
    },
    command: (given) => {
      const { read, args, own } = given;
      const [move, withoutDamaged] = [own['move'] === true, own['without-damaged'] === true];
      if (own['format'] === 'zulip') return zulipExport(given, move || withoutDamaged);
      if (own['like'] !== undefined) throw new ConfigError('--like is for --format zulip');
      if (own['format'] !== undefined && own['format'] !== 'parley') {
        throw new ConfigError('--format is parley or zulip');
      }
      return { kind: 'export', ...transferFrom('export', read, args), move, withoutDamaged };
    },
  },
  {
    name: 'import',
    summary: 'read an export into an empty store, from FILE or standard input',
    takes: '[FILE]',
    options: [...STORE, ...INTO_OPTIONS],
    flags: INTO_FLAGS,
    command: ({ read, args, own, environment, warn }) => {
      const into = intoFrom(own);
      const config = into.into === undefined ? null : configFrom(read, environment, warn);
      return { kind: 'import', ...transferFrom('import', read, args), config, into };
    },
  },
];

/** @throws ConfigError */
function transferFrom(command: string, read: Read, args: readonly string[]): TransferArguments {
  if (args.length > 1) throw new ConfigError(`parley ${command} takes one file`);
  const [path = '-'] = args;
  return { store: storeFrom(read('store')), path: path === '-' ? null : path };
}

/** @throws ConfigError */
function zulipExport(
  { read, args, environment, warn, own }: Invocation,
  hasFlags: boolean,
): Command {
  const { path } = transferFrom('export', read, args);
  if (path === null) throw new ConfigError('parley export --format zulip takes a file');
  if (hasFlags) throw new ConfigError('--move and --without-damaged are for the format parley');
  const like = typeof own['like'] === 'string' ? own['like'] : null;
  return { kind: 'foreign-export', config: configFrom(read, environment, warn), path, like };
}
