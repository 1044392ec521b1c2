/** What a message of Slack says and who says it, whichever of Slack's forms it has. */
import { Payload } from '../../../services/hooks/payload.js';
import { slackIncoming } from '../../../services/hooks/slack-incoming.js';
import type { JsonRow } from '../json-rows.js';
import { text } from './slack-files.js';

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
  /** In Slack's form, or, where `isMarkdown`, in that of this server. */
  readonly text: string;
  readonly isMarkdown: boolean;
  /** Files that it shows. */
  readonly files: readonly JsonRow[];
}

/** Null for a notice that says nothing afterwards, such as who joined. */
export function saidIn(row: JsonRow): Said | null {
  const subtype = text(row, 'subtype');
  if (PASSING.has(subtype)) return null;
  const files = [...rows(row['files']), ...rows([row['file']])];
  const said = wordsOf(row, subtype, files);
  if (said === '' && files.length === 0) {
    const made = madeText(row);
    return { text: made, isMarkdown: true, files };
  }
  return { text: DONE.has(subtype) ? `/me ${said}` : said, isMarkdown: false, files };
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

/** Texts of blocks and attachments, which programs send in place of a text; empty where there are none. */
function madeText(row: JsonRow): string {
  if (rows(row['blocks']).length === 0 && rows(row['attachments']).length === 0) return '';
  try {
    return slackIncoming.message('', new Payload(row))?.content ?? '';
  } catch {
    return '';
  }
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

/** A part of a row that is one of its own; empty where there is none. */
export function part(row: JsonRow, field: string): JsonRow {
  return rows([row[field]])[0] ?? {};
}

/** Those of a list that are rows. */
export function rows(list: unknown): readonly JsonRow[] {
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).filter((one): one is JsonRow => {
    return typeof one === 'object' && one !== null && !Array.isArray(one);
  });
}
