/** The text of `--help`. */
import { OPTIONS } from '../config/options.js';
import { fileFlag, fileVariable } from '../config/values.js';

/** The text of `parley serve --help`. */
export function helpText(): string {
  const rows = OPTIONS.map((option) => {
    const flag = `  --${option.flag} ${option.value}`;
    const file = option.secret
      ? `\n${''.padEnd(28)}or from a file: --${fileFlag(option.flag)}, ${fileVariable(option.variable)}`
      : '';
    const left = flag.length < 28 ? flag.padEnd(28) : `${flag}\n${''.padEnd(28)}`;
    const fallback = option.fallback === '' ? '' : ` (default: ${option.fallback})`;
    return `${left}${option.help}${fallback}\n${''.padEnd(28)}environment: ${option.variable}${file}`;
  });
  return [...USAGE, ...rows, '  --help                    show this help', ''].join('\n');
}

const USAGE = [
  'Usage: parley serve [options]',
  '       parley config check [options]        show the effective configuration, or what is wrong with it',
  '       parley export [--store URL] [FILE]   write the whole store as JSON lines to FILE or stdout',
  '                     --move                 seal the store: the organization continues on another server',
  '                     --without-damaged      leave damaged messages out, and name them',
  '       parley import [--store URL] [FILE]   read an export into an empty store, from FILE or stdin',
  '       parley backup FOLDER [--with-secret] [--keep NUMBER]',
  '                                            back up store and uploaded files, also while they are served',
  '       parley restore FOLDER [EXPORT] [--check]',
  '                                            restore a backup into an empty store, or only check it',
  '                     --without-damaged      also where uploaded files are missing or altered',
  '       parley import-zulip ARCHIVE          import a Zulip export (realm-*.tar.gz) into an empty store',
  '       parley import-slack ARCHIVE --organization NAME',
  '                                            import a Slack export (zip) into an empty store',
  '       parley new-history [--store URL]     start a new history: all clients register again',
  '       parley verify [--store URL] [--files [PLACE]]',
  '                                            check the whole store for damage, also while it is served;',
  '                                            with --files also the uploaded files',
  '       parley forget-secret [--store URL]   replace the secret of API keys; all API keys change',
  '       parley restore-messages [--store URL] [CHANNEL…]',
  '                                            restore messages that retention removed; "direct" for direct messages',
  '       parley grant [--store URL] EMAIL RIGHT',
  '       parley revoke [--store URL] EMAIL RIGHT',
  '                                            give a right to an account, or take it away:',
  '                                            can_create_users, can_change_user_emails',
  '       parley users list [--all]            for the running server, or for a stopped embedded store:',
  '       parley users create EMAIL NAME [--role ROLE] [--password-stdin]',
  '       parley users role EMAIL ROLE',
  '       parley users deactivate EMAIL',
  '       parley users reactivate EMAIL',
  '       parley users reset-password EMAIL [--password-stdin]',
  '       parley users two-factor-off EMAIL',
  '       parley users login-link EMAIL',
  '       parley users import FILE [--links]   create accounts from a CSV file: email, name, role',
  '       parley users export EMAIL FOLDER     export a person’s data and files to a new folder',
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
  '                                            each accepts --store, --config and --json',
  '       parley openapi [URL]                 print the API as an OpenAPI document, for a base URL',
  '       parley completion bash|zsh           print a completion script: source <(parley completion bash)',
  '       parley --version                     print the version',
  '',
  'Serves one organization over HTTP and WebSocket. Flags override environment variables, which override the file of --config.',
  'Other accounts can read flags in the process list: pass secrets by file or environment.',
  '',
  'Options:',
];
