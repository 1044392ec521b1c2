/** What a message of Discord says beside its words: embeds, stickers, what was forwarded, and what it answers. */
import { markdownLink, markdownLinkAround } from '../../../languages/markdown-link.js';
import type { JsonRow } from '../json-rows.js';
import { noteUnknown, type NoteLeft } from '../unknown-fields.js';
import { listIn, part, text } from '../rooms/row-values.js';

/** Who came, went and renamed: notices that say nothing afterwards. A thread is a topic. */
const PASSING = new Set([
  ...['RecipientAdd', 'RecipientRemove', 'ChannelNameChange', 'ChannelIconChange'],
  ...['GuildMemberJoin', 'ThreadCreated'],
]);

/** Notices that the exporter writes as a sentence of whoever caused them. */
const LASTING = new Set(['Call', 'ChannelPinnedMessage']);

const MESSAGE_FIELDS = new Set([
  ...['id', 'type', 'timestamp', 'timestampEdited', 'callEndedTimestamp', 'isPinned', 'content'],
  ...['author', 'attachments', 'embeds', 'stickers', 'reactions', 'mentions', 'reference'],
  ...['forwardedMessage', 'interaction', 'inlineEmojis'],
]);

/** The color and the position of a role say how it looks. */
const PERSON_FIELDS = new Set([
  ...['id', 'name', 'discriminator', 'nickname', 'color', 'isBot', 'roles', 'avatarUrl'],
]);

/** How an embed looks is left out; `width` and `height` of its pictures, too. */
const EMBED_FIELDS = new Set([
  ...['title', 'url', 'timestamp', 'description', 'color', 'author', 'thumbnail', 'image'],
  ...['video', 'footer', 'images', 'fields', 'inlineEmojis'],
]);

const ATTACHMENT_FIELDS = new Set(['id', 'url', 'fileName', 'fileSizeBytes']);
const STICKER_FIELDS = new Set(['id', 'name', 'format', 'sourceUrl']);

/** A file of a message, by the address or place that the exporter gives. */
export interface DiscordShown {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

/** What a message says. */
export interface DiscordSaid {
  /** In Discord's form. */
  readonly words: string;
  /** What stands after it. */
  readonly more: readonly string[];
  /** What it forwards, in Discord's form; empty for nothing. */
  readonly forwarded: string;
  readonly files: readonly DiscordShown[];
}

/** Null for a notice that says nothing afterwards, such as who joined. */
export function saidIn(row: JsonRow, note: NoteLeft): DiscordSaid | null {
  const kind = text(row, 'type');
  if (PASSING.has(kind)) return null;
  noteUnknown(row, MESSAGE_FIELDS, 'messages', note);
  noteUnknown(part(row, 'author'), PERSON_FIELDS, 'people', note);
  const content = text(row, 'content');
  const words = LASTING.has(kind)
    ? `/me ${content.charAt(0).toLowerCase()}${content.slice(1)}`
    : content;
  const forwarded = part(row, 'forwardedMessage');
  const again = text(forwarded, 'content');
  return {
    words,
    more: embedsIn(row, words, note),
    forwarded: [again, ...embedsIn(forwarded, again, note)].filter(Boolean).join('\n\n'),
    files: [...shownIn(row, note), ...shownIn(forwarded, note)],
  };
}

function shownIn(row: JsonRow, note: NoteLeft): DiscordShown[] {
  const files = listIn(row, 'attachments').map((one) => {
    noteUnknown(one, ATTACHMENT_FIELDS, 'attachments', note);
    return { id: text(one, 'id'), name: text(one, 'fileName'), url: text(one, 'url') };
  });
  const stickers = listIn(row, 'stickers').map((one) => {
    noteUnknown(one, STICKER_FIELDS, 'stickers', note);
    // One is shown by many messages, which share it.
    return {
      id: `sticker ${text(one, 'id')}`,
      name: text(one, 'name'),
      url: text(one, 'sourceUrl'),
    };
  });
  return [...files, ...stickers];
}

/** What programs send beside a text, in Markdown. Discord makes some by itself, of pages that the text links. */
function embedsIn(row: JsonRow, words: string, note: NoteLeft): string[] {
  const said: string[] = [];
  for (const one of listIn(row, 'embeds')) {
    noteUnknown(one, EMBED_FIELDS, 'embeds', note);
    const address = text(one, 'url').replace(/\/$/, '');
    if (address !== '' && words.includes(address)) {
      note('previews that Discord made of linked pages', address);
    } else said.push(embed(one));
  }
  return said.filter((one) => one !== '');
}

function embed(one: JsonRow): string {
  const author = part(one, 'author');
  const title = markdownLinkAround(text(one, 'title'), text(one, 'url'));
  const footer = text(part(one, 'footer'), 'text');
  const pictures = [part(one, 'image'), ...listIn(one, 'images'), part(one, 'thumbnail')];
  const addresses = pictures.map((picture) => text(picture, 'canonicalUrl'));
  return [
    markdownLinkAround(text(author, 'name'), text(author, 'url')),
    title === '' ? '' : `**${title}**`,
    text(one, 'description'),
    ...listIn(one, 'fields').map((field) => `**${text(field, 'name')}**: ${text(field, 'value')}`),
    ...[...new Set(addresses)].map((address) => shownAt('image', address)),
    shownAt('video', text(part(one, 'video'), 'canonicalUrl')),
    footer === '' ? '' : `*${footer}*`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** A link to what only has an address; empty without one. */
function shownAt(what: string, address: string): string {
  return address === '' ? '' : markdownLink(what, address);
}
