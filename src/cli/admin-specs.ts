/** The commands of the admin socket. */
import {
  INTO_FLAGS,
  INTO_OPTIONS,
  intoFrom,
  PLACES,
  STORE,
  type AdminArguments,
  type Spec,
} from './spec.js';
import { configFrom } from '../config/config.js';
import { ConfigError } from '../config/values.js';
import { FOREIGN_SPECS } from './foreign-specs.js';

const PASSWORD_FLAG = { '--password-stdin': 'the password is the first line of standard input' };

const BACKUP: Spec = {
  name: 'backup',
  summary:
    'back up store and uploaded files to a folder, also while they are served; --organization all backs up all',
  takes: 'FOLDER',
  ofOne: true,
  options: PLACES,
  flags: {
    '--with-secret': 'include the secret of API keys',
    '--keep <NUMBER>': 'keep only this many exports in the folder',
  },
  command: ({ read, args, own, environment, warn }) => {
    const [folder] = args;
    if (folder === undefined || args.length > 1)
      throw new ConfigError('parley backup takes FOLDER');
    const keep = own['keep'] as string | undefined;
    if (keep !== undefined && !/^[1-9]\d{0,5}$/.test(keep)) {
      throw new ConfigError('--keep is a number from 1');
    }
    const config = configFrom(read, environment, warn);
    const withSecret = own['with-secret'] === true;
    return {
      kind: 'backup',
      config,
      folder,
      withSecret,
      keep: keep === undefined ? null : Number(keep),
    };
  },
};

const RESTORE: Spec = {
  name: 'restore',
  summary: 'check a backup and restore it into an empty store',
  takes: 'FOLDER [EXPORT]',
  options: [...PLACES, ...INTO_OPTIONS],
  flags: {
    '--check': 'only check the backup; write nothing',
    '--without-damaged': 'restore also where uploaded files are missing or altered',
    ...INTO_FLAGS,
  },
  command: ({ read, args, own, environment, warn }) => {
    const [folder, name = null] = args;
    if (folder === undefined || args.length > 2) {
      throw new ConfigError(
        'parley restore takes FOLDER and optionally the name of an export (default: the newest)',
      );
    }
    const config = configFrom(read, environment, warn);
    const [check, withoutDamaged] = [own['check'] === true, own['without-damaged'] === true];
    return { kind: 'restore', config, folder, name, check, withoutDamaged, into: intoFrom(own) };
  },
};

export const ADMIN_SPECS: readonly Spec[] = [
  BACKUP,
  RESTORE,
  ...FOREIGN_SPECS,
  admin('users list', [], 'list accounts', { '--all': 'include deactivated accounts' }),
  admin('users create', ['EMAIL', 'NAME'], 'create an account', {
    '--role <ROLE>': 'owner, administrator, moderator, member (default) or guest',
    ...PASSWORD_FLAG,
  }),
  admin('users role', ['EMAIL', 'ROLE'], 'change the role of an account'),
  admin('users deactivate', ['EMAIL'], 'deactivate an account; its keys, queues and bots end'),
  admin('users reactivate', ['EMAIL'], 'reactivate an account'),
  admin(
    'users reset-password',
    ['EMAIL'],
    'set a new password, shown once; API keys change',
    PASSWORD_FLAG,
  ),
  admin('users two-factor-off', ['EMAIL'], 'turn off two-factor authentication for an account'),
  admin('users login-link', ['EMAIL'], 'create a link to set a password, valid for one day'),
  admin('users import', ['FILE'], 'create accounts from a CSV file: email, name, role', {
    '--links': 'show links to set passwords instead of mailing them',
  }),
  admin('users export', ['EMAIL', 'FOLDER'], 'export a person’s data and files to a new folder'),
  admin('users erase', ['EMAIL'], 'erase a person’s data; messages stay, without a name', {
    '--messages': 'delete their messages too',
    '--yes': 'confirm: this cannot be undone',
  }),
  admin('keys revoke', ['EMAIL'], 'log an account out everywhere: its API key changes'),
  admin('organization show', [], 'show name, address and figures'),
  admin('organization rename', ['NAME'], 'change the name of the organization'),
  admin(
    'organization require-two-factor',
    ['WHOM'],
    'demand a second factor of nobody, administrators or everyone',
  ),
  admin(
    'organization deactivate',
    [],
    'deactivate the organization: nobody can log in, nothing is deleted',
  ),
  admin('organization reactivate', [], 'reactivate the organization'),
  admin('mails list', [], 'list mails that no mail server has accepted yet, and why'),
  admin('mails show', ['ID'], 'show a mail that waits, by its id in the list'),
  admin('mails retry', ['[ID]'], 'try a mail that waits again now, or all of them'),
  admin('mails test', ['EMAIL'], 'send a test mail now, and show what the mail server says'),
  admin('invitations list', [], 'list open invitations and reusable links'),
  admin('invitations revoke', ['ID'], 'revoke an invitation by its id in the list'),
  admin('scheduled list', [], 'list scheduled messages and reminders, earliest first'),
  {
    ...admin('actors count', [], 'count actors by machine and state; also as parley actors'),
    isDefault: true,
  },
  admin('actors list', ['KIND', '[STATE]'], 'list actors by id, of one state or all; 1000 at most'),
  admin('actors show', ['KIND', 'ID'], 'show an actor: snapshot, deadline, and chart'),
  admin('queues list', [], 'list event queues'),
  admin('queues show', ['QUEUE'], 'show one event queue with its filter'),
  admin('queues drop', ['QUEUE'], 'end an event queue; its client registers again'),
  admin('audit', [], 'show who changed which setting, newest last', {
    '--user <EMAIL>': 'only what this account changed',
    '--kind <KIND>': 'only changes of this kind: organization, user, channel, group …',
    '--count <NUMBER>': 'number of records (default: 50)',
  }),
  admin('stats', [], 'show figures of the running server'),
  admin(
    'support-bundle',
    [],
    'print what helps others to help: versions, options, figures, log; no secrets, no contents',
  ),
  admin('top', [], 'show live what the running server does', {
    '--interval <SECONDS>': 'refresh interval (default: 2)',
    '--count <NUMBER>': 'stop after this many',
  }),
  admin('tail', [], 'follow journal entries as they become durable', {
    '--type <TYPES>': 'only entries with events of these types, separated by commas',
    '--user <EMAIL>': 'only entries with events for this account',
    '--count <NUMBER>': 'stop after this many',
  }),
];

/** A command of the admin socket. @param names what its arguments are; those in brackets are optional */
export function admin(
  name: string,
  names: readonly string[],
  summary: string,
  flags: Readonly<Record<string, string>> = {},
): Spec {
  return {
    name,
    summary,
    takes: names.join(' '),
    ofOne: true,
    options: [...STORE, 'state', 'secret-file', 'files', 'url'],
    flags,
    command: ({ read, args, own, environment, warn }) => {
      const least = names.filter((one) => !one.startsWith('[')).length;
      if (args.length < least || args.length > names.length) {
        const what = names.length === 0 ? 'no arguments' : names.join(' and ');
        throw new ConfigError(`parley ${name} takes ${what}`);
      }
      const known = Object.keys(flags).map((flag) => flag.slice(2).split(' ')[0]!);
      const given = known.map((flag) => [flag, own[flag]] as const);
      const request = { command: name, args, flags: Object.fromEntries(given) };
      const config = configFrom(read, environment, warn);
      return { kind: 'admin', config, request: request as AdminArguments };
    },
  };
}
