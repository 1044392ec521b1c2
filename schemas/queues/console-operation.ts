import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';

const EffectiveOption = Type.Object(
  { option: Type.String(), value: Type.String(), source: Type.String() },
  { title: 'EffectiveOption' },
);
/** Backups that one reply lists. */
const CONSOLE_BACKUPS = 100;
const Backup = Type.Object(
  {
    name: Type.String(),
    made_at: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0 }),
  },
  { title: 'Backup' },
);
const BackupPlan = Type.Object(
  {
    folder: Type.String(),
    time_of_day: nullable(Type.String()),
    keep: Type.Integer({ minimum: 1 }),
    newest_at: nullable(Type.Integer({ minimum: 0 })),
    backups_there: Type.Array(Backup, { maxItems: CONSOLE_BACKUPS }),
    is_making: Type.Boolean(),
    last_failure: nullable(Type.String()),
  },
  { title: 'BackupPlan' },
);

/** How the node that leads is operated. */
export const ConsoleOperation = Type.Object(
  {
    software_version: Type.String(),
    options: Type.Array(EffectiveOption),
    backups: nullable(BackupPlan),
  },
  { title: 'ConsoleOperation' },
);
export type OperationFields = Static<typeof ConsoleOperation>;

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  software_version: ['Version of the server.', '0.1.0'],
  'ConsoleOperation.options': 'The options of the server, in the order of `parley serve --help`.',
  option: ['Name of the option, without dashes.', 'port'],
  'EffectiveOption.value': ['What it comes to; secrets are hidden.', '9991'],
  source: [
    'Flag, variable or place in the configuration file that gave it, or `default`.',
    '--port',
  ],
  backups: 'Backups that the server makes or watches; null where no folder is named for them.',
  folder: ['Folder of the backups.', '/srv/backups/parley'],
  time_of_day: ['When one is made each day; null: the operator makes them.', '03:30'],
  keep: ['Exports that are kept.', 14],
  backups_there: 'The newest 100 backups of the folder, the newest first.',
  'Backup.name': ['Name of its file in the folder.', 'parley-2026-11-27T03-30-00-000Z.jsonl'],
  made_at: ['When it was made, milliseconds since 1970.', 1_750_000_000_000],
  'Backup.bytes': ['Its size, without uploaded files.', 4_000_000],
  is_making: 'Whether a backup is being made.',
  'BackupPlan.last_failure': [
    'Why the last one that this process made failed; null where it did not.',
    null,
  ],
  newest_at: [
    'When the newest was made, milliseconds since 1970; null: not yet.',
    1_750_000_000_000,
  ],
});
