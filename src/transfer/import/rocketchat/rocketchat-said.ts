/** What a message of Rocket.Chat says. */
import type { JsonRow } from '../json-rows.js';
import { textsOfAttachments } from '../mattermost/mattermost-text.js';
import { listIn, part, text } from '../rooms/row-values.js';
import { noteUnknown, type NoteLeft, rowKind } from '../unknown-fields.js';
import { idIn } from './bson-rows.js';

/** Notices that say something afterwards, too, with the words before what the message has. */
const LASTING: Readonly<Record<string, string>> = {
  room_changed_topic: '/me changed the topic to: ',
  room_changed_description: '/me changed the description to: ',
  room_changed_announcement: '/me changed the announcement to: ',
  message_pinned: '/me pinned a message.',
};

const MESSAGE = rowKind('messages', [
  ...['_id', 'rid', 'msg', 'ts', 'u', 't', 'tmid', 'tcount', 'tlm', 'replies', 'mentions'],
  ...['channels', 'reactions', 'file', 'files', 'attachments', 'editedAt', 'editedBy', 'starred'],
  ...['pinned', 'pinnedAt', 'pinnedBy', 'alias', 'drid', 'dcount', 'dlm', 'location', '_hidden'],
  // What Rocket.Chat makes of the text, and keeps for itself.
  ...['_updatedAt', 'urls', 'md', 'html', 'tokens', 'groupable', 'parseUrls', 'avatar', 'emoji'],
  ...['bot', 'imported', 'unread', 'tshow', 'private', 'parent', 'role', 'e2e', 'importIds'],
]);

/** What the picture of an uploaded file is, and how attachments look: the file itself says it. */
const FILE_ADDRESS = /^\/?(ufs|file-upload)\//;

/** The link before a quotation. */
const QUOTED_LINK = /^(\[\s*\]\([^)\s]+\)\s*)+/;

/** What is left out, and why; null for nothing. */
export function reasonToLeave(row: JsonRow): string | null {
  const kind = text(row, 't');
  if (row['_hidden'] === true) return 'former versions of edited messages';
  if (kind === 'e2e' || kind === 'otr') return 'encrypted messages, which no archive can read';
  if (kind === '' || kind in LASTING) return null;
  return 'notices that Rocket.Chat wrote itself, such as who joined';
}

/** What a message quotes of another. */
export interface RocketQuote {
  /** Account name of the author, or the full one. */
  readonly handle: string;
  readonly words: string;
}

/** What a message says, in Rocket.Chat's form. */
export interface RocketSaid {
  readonly quotes: readonly RocketQuote[];
  readonly words: string;
  /** What stands after it. */
  readonly more: readonly string[];
}

export function saidIn(row: JsonRow, note: NoteLeft): RocketSaid {
  noteUnknown(row, MESSAGE, note);
  const before = LASTING[text(row, 't')] ?? '';
  const own = text(row, 'msg').replace(QUOTED_LINK, '');
  const words = text(row, 't') === 'message_pinned' ? before : before + own;
  const quotes: RocketQuote[] = [];
  const descriptions: string[] = [];
  const attached: JsonRow[] = [];
  for (const one of listIn(row, 'attachments')) {
    if (FILE_ADDRESS.test(text(one, 'title_link')) || text(one, 'type') === 'file') {
      descriptions.push(text(one, 'description'));
    } else if (text(one, 'message_link') !== '') {
      const said = text(one, 'text').replace(QUOTED_LINK, '');
      quotes.push({ handle: text(one, 'author_name'), words: said });
    } else attached.push(without(one, ['collapsed', 'ts', 'actions', 'button_alignment']));
  }
  const more = [
    ...descriptions,
    ...textsOfAttachments({ attachments: attached }, note),
    placeIn(row),
  ];
  return { quotes, words, more: more.filter((one) => one !== '') };
}

/** Where somebody was, as a link to a map. */
function placeIn(row: JsonRow): string {
  const place = part(row, 'location')['coordinates'];
  if (!Array.isArray(place)) return '';
  const [longitude, latitude] = (place as unknown[]).map(Number);
  return `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}`;
}

function without(row: JsonRow, names: readonly string[]): JsonRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

/**
 * Files of a message by id and name; formerly there was one. A small picture of one is none: formerly it had no mark, and
 * was the second of two for one attachment.
 */
export function filesIn(row: JsonRow): { id: string; name: string }[] {
  const given = listIn(row, 'files');
  const files = given.length > 0 ? given : [part(row, 'file')];
  const isPair = files.length === 2 && listIn(row, 'attachments').length === 1;
  const own = files.filter((one, i) => {
    return idIn(one) !== '' && text(one, 'typeGroup') !== 'thumb' && !(isPair && i === 1);
  });
  return own.map((one) => ({ id: idIn(one), name: text(one, 'name') }));
}

/** Reactions by name, each with account names. */
export function reactionsIn(row: JsonRow): { emoji: string; handle: string }[] {
  return Object.entries(part(row, 'reactions')).flatMap(([name, value]) => {
    const users = (value as JsonRow | null)?.['usernames'];
    const handles = Array.isArray(users) ? (users as unknown[]) : [];
    return handles.map((one) => ({ emoji: name.replaceAll(':', ''), handle: String(one) }));
  });
}
