/** The text of `--help`. */
import { OPTIONS } from './config-options.js';
import { fileFlag, fileVariable } from './option-values.js';

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
  '       parley backup FOLDER [--with-secret] [--keep NUMBER]',
  '                                            store and uploaded files, while they are served',
  '       parley restore FOLDER [EXPORT] [--check]',
  '                                            such a backup into an empty store, or only checked',
  '       parley import-zulip ARCHIVE          what Zulip exported (realm-*.tar.gz) into an empty store',
  '       parley import-slack ARCHIVE --organization NAME',
  '                                            what Slack exported (zip) into an empty store',
  '       parley new-history [--store URL]     begin another history: all clients register again',
  '       parley verify [--store URL]          read everything, also while it is served; name damage',
  '       parley forget-secret [--store URL]   take another secret for API keys; they all change',
  '       parley restore-messages [--store URL] [CHANNEL…]',
  '                                            what retention removed, back; "direct" for direct messages',
  '       parley grant [--store URL] EMAIL RIGHT',
  '       parley revoke [--store URL] EMAIL RIGHT',
  '                                            a right of an account: can_create_users, can_change_user_emails',
  '       parley users list [--all]            of the running server, or of a stopped embedded store:',
  '       parley users create EMAIL NAME [--role ROLE] [--password-stdin]',
  '       parley users role EMAIL ROLE',
  '       parley users deactivate EMAIL',
  '       parley users reactivate EMAIL',
  '       parley users reset-password EMAIL [--password-stdin]',
  '       parley users two-factor-off EMAIL',
  '       parley users login-link EMAIL',
  '       parley users import FILE [--links]   accounts from a CSV file: email, name, role',
  '       parley users export EMAIL FOLDER     what is kept of a person, with their files',
  '       parley users erase EMAIL --yes [--messages]',
  '       parley keys revoke EMAIL',
  '       parley organization show',
  '       parley organization rename NAME',
  '       parley organization deactivate',
  '       parley organization reactivate',
  '       parley invitations list',
  '       parley invitations revoke ID',
  '       parley scheduled list',
  '       parley mails list',
  '       parley actors',
  '       parley queues list',
  '       parley queues show QUEUE',
  '       parley queues drop QUEUE',
  '       parley audit [--user EMAIL] [--kind KIND] [--count NUMBER]',
  '       parley stats',
  '       parley top [--interval SECONDS] [--count NUMBER]',
  '       parley tail [--type TYPES] [--user EMAIL] [--count NUMBER]',
  '                                            each takes --store, --config and --json',
  '       parley openapi [URL]                 the API as an OpenAPI document, for a base URL',
  '       parley completion bash|zsh           a script for the shell: source <(parley completion bash)',
  '       parley --version                     which version this is',
  '',
  'Serves one organization over HTTP and WebSocket. Flags win over the environment, this over the file of --config.',
  'Flags stand in the list of processes: give secrets by file or environment.',
  '',
  'Options:',
];
