/** The commands of the admin socket. */
import { STORE, type AdminArguments, type Spec } from './command-spec.js';
import { configFrom } from './config.js';
import { ConfigError } from './option-values.js';

const JSON_FLAG = { '--json': 'as JSON, for scripts' };
const PASSWORD_FLAG = { '--password-stdin': 'the password is the first line of standard input' };

/** Where the store, its secret and the uploaded files are. */
const PLACES = [...STORE, 'secret-file', 'files', 'files-credentials-file'];

const BACKUP: Spec = {
  name: 'backup',
  summary: 'store and uploaded files into a folder, while they are served',
  options: PLACES,
  flags: {
    '--with-secret': 'put the secret of API keys beside it',
    '--keep <NUMBER>': 'remove exports of the folder beyond so many',
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
  summary: 'a backup into an empty store, after it was checked',
  options: PLACES,
  flags: { '--check': 'check it, and write nothing' },
  command: ({ read, args, own, environment, warn }) => {
    const [folder, name = null] = args;
    if (folder === undefined || args.length > 2) {
      throw new ConfigError(
        'parley restore takes FOLDER and, where it is not the newest, the name of an export',
      );
    }
    const config = configFrom(read, environment, warn);
    return { kind: 'restore', config, folder, name, check: own['check'] === true };
  },
};

/** Imports of what another software exported. */
function foreign(from: 'zulip' | 'slack', summary: string): Spec {
  return {
    name: `import-${from}`,
    summary,
    options: [...PLACES, 'url', ...(from === 'slack' ? ['organization'] : [])],
    command: ({ read, args, environment, warn }) => {
      const [archive] = args;
      if (archive === undefined || args.length > 1) {
        throw new ConfigError(
          `parley import-${from} takes an archive, or the folder it was unpacked to`,
        );
      }
      return { kind: 'foreign-import', from, config: configFrom(read, environment, warn), archive };
    },
  };
}

export const ADMIN_SPECS: readonly Spec[] = [
  BACKUP,
  RESTORE,
  foreign('zulip', 'an organization that Zulip exported (realm-*.tar.gz), into an empty store'),
  foreign('slack', 'a workspace that Slack exported (zip), into an empty store'),
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
  admin('users two-factor-off', ['EMAIL'], 'let an account log in by its password alone again'),
  admin('users login-link', ['EMAIL'], 'a link by which somebody sets their password; for one day'),
  admin('users import', ['FILE'], 'accounts from a CSV file: email, name, role', {
    '--links': 'show links to set passwords instead of mailing them',
  }),
  admin('users export', ['EMAIL', 'FOLDER'], 'what is kept of a person, into a new folder'),
  admin(
    'users erase',
    ['EMAIL'],
    'take a person out of what is kept; messages stay, without a name',
    {
      '--messages': 'delete their messages too',
      '--yes': 'it is meant: nothing brings it back',
    },
  ),
  admin('keys revoke', ['EMAIL'], 'log an account out everywhere: its API key changes'),
  admin('organization show', [], 'name, address, figures'),
  admin('organization rename', ['NAME'], 'change the name of the organization'),
  admin('organization deactivate', [], 'nobody can log in; nothing is deleted'),
  admin('organization reactivate', [], 'let people log in again'),
  admin('mails list', [], 'mails that no mail server has accepted yet'),
  admin('invitations list', [], 'open invitations and reusable links'),
  admin('invitations revoke', ['ID'], 'end an invitation, by its id in the list'),
  admin('scheduled list', [], 'scheduled messages and reminders, what is due first'),
  admin('actors', [], 'life cycles in memory by machine and state'),
  admin('queues list', [], 'event queues'),
  admin('queues show', ['QUEUE'], 'one event queue with its filter'),
  admin('queues drop', ['QUEUE'], 'end an event queue; its client registers again'),
  admin('audit', [], 'who changed which setting, the newest last', {
    '--user <EMAIL>': 'only what this account changed',
    '--kind <KIND>': 'only changes of this kind: organization, user, channel, group …',
    '--count <NUMBER>': 'so many; 50 unless told',
  }),
  admin('stats', [], 'figures of the running server'),
  admin('top', [], 'what the running server does, as it does it', {
    '--interval <SECONDS>': 'how often; 2 unless told',
    '--count <NUMBER>': 'end after so many',
  }),
  admin('tail', [], 'journal entries as they become durable', {
    '--type <TYPES>': 'only entries with events of these types, by commas',
    '--user <EMAIL>': 'only entries with events for this account',
    '--count <NUMBER>': 'end after so many',
  }),
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
    options: [...STORE, 'secret-file', 'files', 'url'],
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
