/** What a message of Slack says and who says it, whichever of Slack's forms it has. */
import type { JsonRow } from '../json-rows.js';
import { noteUnknown, type NoteLeft } from '../unknown-fields.js';
import { kindOf, sayMore, textOfAttachment, textOfBlocks, textOfShared } from './slack-blocks.js';
import { ATTACHMENT, MESSAGE } from './slack-fields.js';
import { part, rows, text } from './slack-files.js';

/** Who came, went and renamed, and what is gone: notices that say nothing afterwards. */
const PASSING = new Set([
  ...['channel_join', 'channel_leave', 'channel_name', 'group_join', 'group_leave', 'group_name'],
  ...['tombstone', 'message_deleted', 'message_changed', 'message_replied'],
]);

/** What somebody did, and no sentence of theirs. */
const DONE = new Set(['me_message', 'bot_add', 'bot_remove', 'sh_room_created']);

/** Words of pins, where an export has none. */
const PINS: Readonly<Record<string, string>> = {
  pinned_item: 'pinned a message to this channel.',
  unpinned_item: 'unpinned a message from this channel.',
};

/** What a message says. */
export interface Said {
  /** In Slack's form. */
  readonly text: string;
  /** Files that it shows. */
  readonly files: readonly JsonRow[];
}

/** Null for a notice that says nothing afterwards, such as who joined. */
export function saidIn(row: JsonRow, leftOut: NoteLeft): Said | null {
  const subtype = text(row, 'subtype');
  if (PASSING.has(subtype)) return null;
  const files = [...rows(row['files']), ...rows([row['file']])];
  const unknown = (kind: string): void => leftOut('blocks of kinds that say nothing here', kind);
  const blocks = rows(row['blocks']);
  const words = wordsOf(row, subtype, files);
  const written = words === '' || sayMore(blocks) ? textOfBlocks(blocks, unknown) : '';
  const said = written || words;
  const parts = [DONE.has(subtype) ? `/me ${said}` : said];
  for (const one of rows(row['attachments'])) {
    const kind = kindOf(one);
    // All of a preview is left out, and counted as such.
    if (kind !== 'preview') noteUnknown(one, ATTACHMENT, leftOut);
    if (kind === 'preview') leftOut('previews that Slack made of linked pages', text(one, 'title'));
    else if (kind === 'shared') {
      parts.push(textOfShared(one, unknown));
      files.push(...rows(one['files']));
    } else parts.push(textOfAttachment(one, unknown));
  }
  noteUnknown(row, MESSAGE, leftOut);
  return { text: parts.filter((one) => one.trim() !== '').join('\n\n'), files };
}

function wordsOf(row: JsonRow, subtype: string, files: readonly JsonRow[]): string {
  const plain = text(row, 'text');
  if (subtype === 'file_comment') return text(part(row, 'comment'), 'comment') || plain;
  // Formerly the text said that a file came, and the file had the words.
  const shared = row['file'] === undefined ? undefined : files.at(-1);
  if (shared && subtype === 'file_share') return text(part(shared, 'initial_comment'), 'comment');
  const pin = PINS[subtype];
  return pin !== undefined && plain.trim() === '' ? `/me ${pin}` : plain;
}

/** Ids of accounts that a message may be of, the likeliest first. */
export function sendersIn(row: JsonRow): string[] {
  const ids = [
    text(row, 'user'),
    text(part(row, 'comment'), 'user'),
    text(part(row, 'file'), 'user'),
  ];
  return [...ids, text(row, 'bot_id')].filter((id) => id !== '');
}

/** The name of a sender who has no account, such as a program or somebody of another workspace. */
export function nameIn(row: JsonRow): string {
  const profile = part(row, 'user_profile');
  const bot = part(row, 'bot_profile');
  return (
    text(row, 'username') ||
    text(profile, 'real_name') ||
    text(profile, 'name') ||
    text(bot, 'name')
  );
}
