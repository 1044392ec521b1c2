import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';

const EffectiveOption = Type.Object(
  { option: Type.String(), value: Type.String(), source: Type.String() },
  { title: 'EffectiveOption' },
);
const BackupPlan = Type.Object(
  {
    folder: Type.String(),
    time_of_day: nullable(Type.String()),
    keep: Type.Integer({ minimum: 1 }),
    newest_at: nullable(Type.Integer({ minimum: 0 })),
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
  newest_at: [
    'When the newest was made, milliseconds since 1970; null: not yet.',
    1_750_000_000_000,
  ],
});
