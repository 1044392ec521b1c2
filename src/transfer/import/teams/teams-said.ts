/** What a message of Microsoft Teams says beside its words: its title, files, cards, and what it quotes or forwards. */
import { markdownLink } from '../../../languages/markdown-link.js';
import type { JsonRow } from '../json-rows.js';
import type { ArchivedFile, ArchivedReaction } from '../rooms/room-archive.js';
import { listIn, part, text } from '../rooms/row-values.js';
import { noteUnknown, type NoteLeft, rowKind } from '../unknown-fields.js';
import { cardText } from './teams-cards.js';

const ATTACHMENT = rowKind('attachments', [
  ...['Id', 'ContentType', 'ContentUrl', 'Content', 'Name', 'ThumbnailUrl', 'TeamsAppId'],
]);

const REACTION = rowKind('reactions', [
  ...['CreatedDateTime', 'ReactionType', 'DisplayName', 'ReactionContentUrl', 'User'],
]);

/** Notices have details, which say nothing afterwards; histories tell of reactions alone. */
const MESSAGE = rowKind(
  'messages',
  [
    ...['Id', 'Body', 'CreatedDateTime', 'LastModifiedDateTime', 'LastEditedDateTime'],
    ...['DeletedDateTime', 'Subject', 'Importance', 'Locale', 'ReplyToId', 'WebUrl', 'From'],
    ...['Mentions', 'MessageHistory', 'MessageType', 'ChannelIdentity', 'ChatId', 'EventDetail'],
    ...['Etag', 'EventDetail'],
  ],
  { Attachments: ATTACHMENT, Reactions: REACTION },
);

/** Reactions by the names that they had before they were characters. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ like: '👍', heart: '❤️', laugh: '😆', surprised: '😮', sad: '😢', angry: '😠' },
};

/** What is left out, and why; null for nothing. */
export function reasonToLeave(row: JsonRow): string | null {
  if (text(row, 'MessageType') !== 'message') {
    return 'notices that Microsoft Teams wrote itself, such as who joined';
  }
  return text(row, 'DeletedDateTime') === '' ? null : 'messages that were deleted there';
}

/** What a message quotes or forwards. */
export interface TeamsQuote {
  /** Row that says who wrote it. */
  readonly by: JsonRow;
  /** HTML, or plain words. */
  readonly words: string;
  readonly isHtml: boolean;
}

/** What a message says beside its body. */
export interface TeamsSaid {
  /** Markdown; empty for none. */
  readonly title: string;
  readonly quotes: readonly TeamsQuote[];
  /** Markdown that stands after the words. */
  readonly more: readonly string[];
  readonly files: readonly ArchivedFile[];
}

export function saidIn(row: JsonRow, note: NoteLeft): TeamsSaid {
  noteUnknown(row, MESSAGE, note);
  if (!['', 'normal'].includes(text(row, 'Importance'))) {
    note('messages that were marked as important: here is no such mark', '');
  }
  const titles = [text(row, 'Subject').trim()];
  const quotes: TeamsQuote[] = [];
  const more: string[] = [];
  const files: ArchivedFile[] = [];
  for (const one of listIn(row, 'Attachments')) {
    const kind = text(one, 'ContentType');
    const [name, address] = [text(one, 'Name'), text(one, 'ContentUrl')];
    const content = contentOf(one);
    if (kind === 'reference') files.push({ id: text(one, 'Id'), name, place: '', address });
    else if (/announcement/i.test(kind)) titles.unshift(text(content, 'title').trim());
    else if (kind === 'messageReference') {
      const words = text(content, 'messagePreview');
      quotes.push({ by: part(content, 'messageSender'), words, isHtml: false });
    } else if (kind === 'forwardedMessageReference') {
      const words = text(content, 'originalMessageContent');
      quotes.push({ by: part(content, 'originalMessageSender'), words, isHtml: true });
    } else if (kind === 'application/vnd.microsoft.card.codesnippet') {
      note('code snippets, which Microsoft Teams keeps', text(content, 'name') || name);
      more.push(`(${text(content, 'name') || name || 'code snippet'})`);
    } else {
      const said = cardText(content);
      const linked = address === '' ? '' : markdownLink(name || address, address);
      if (said === '' && linked === '') {
        note(`attachments of kinds that say nothing here: ${kind.slice(0, MAX_KIND)}`, name);
      } else more.push([linked, said].filter(Boolean).join('\n'));
    }
  }
  const shown = titles.filter(Boolean).map((one) => `**${one.replaceAll('**', '')}**`);
  return { title: shown.join('\n'), quotes, more, files };
}

/** What is named of a kind of attachment, UTF-16 units. */
const MAX_KIND = 80;

/** Cards and references are JSON within the JSON, with names in the form of JavaScript. */
function contentOf(attachment: JsonRow): JsonRow {
  try {
    const value = JSON.parse(text(attachment, 'Content') || '{}') as unknown;
    return part({ value }, 'value');
  } catch {
    return {};
  }
}

export function reactionsIn(row: JsonRow): ArchivedReaction[] {
  return listIn(row, 'Reactions').map((one) => {
    const kind = text(one, 'ReactionType');
    // The pictures of an organization's own emoji are not in the export.
    const emoji = kind === 'custom' ? `:${text(one, 'DisplayName')}:` : (NAMED[kind] ?? kind);
    return { emoji, isName: false, user: idIn(part(one, 'User')) };
  });
}

/** Id of whoever a row names: `{User: {Id}}`, in quotations `{user: {id}}`; empty for nobody. */
export function idIn(row: JsonRow): string {
  const who = ['User', 'user', 'Application', 'application', 'Device', 'device'];
  const ids = who.map((one) => text(part(row, one), 'Id') || text(part(row, one), 'id'));
  return ids.find((id) => id !== '') ?? '';
}

/** Mentions by their ids: whom or what each names. */
export function mentionsIn(row: JsonRow): Map<string, JsonRow> {
  return new Map(
    listIn(row, 'Mentions').map((one) => [String(one['Id']), part(one, 'Mentioned')] as const),
  );
}
