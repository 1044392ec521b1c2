/** What a message of Discord says beside its words: embeds, stickers, what was forwarded, and what it answers. */
import { markdownLink, markdownLinkAround } from '../../../languages/markdown-link.js';
import type { JsonRow } from '../json-rows.js';
import { noteUnknown, type NoteLeft, rowKind } from '../unknown-fields.js';
import { listIn, part, text } from '../rooms/row-values.js';
import { addressOf } from './discord-files.js';

/** Who came, went and renamed: notices that say nothing afterwards. A thread is a topic. */
const PASSING = new Set([
  ...['RecipientAdd', 'RecipientRemove', 'ChannelNameChange', 'ChannelIconChange'],
  ...['GuildMemberJoin', 'ThreadCreated'],
]);

/** Notices that the exporter writes as a sentence of whoever caused them. */
const LASTING = new Set(['Call', 'ChannelPinnedMessage']);

const EMOJI = rowKind('emoji', ['id', 'name', 'code', 'isAnimated', 'imageUrl']);
const ROLE = rowKind('roles', ['id', 'name', 'color', 'position']);

const PERSON = rowKind(
  'people',
  ['id', 'name', 'discriminator', 'nickname', 'color', 'isBot', 'avatarUrl'],
  { roles: ROLE },
);

const PICTURE = rowKind('pictures', ['url', 'canonicalUrl', 'width', 'height']);
const LABEL = ['name', 'text', 'url', 'iconUrl', 'iconCanonicalUrl'];

/** How an embed looks, and when its page was written, is left out. */
const EMBED = rowKind('embeds', ['title', 'url', 'timestamp', 'description', 'color'], {
  author: rowKind('authors of embeds', LABEL),
  footer: rowKind('footers', LABEL),
  fields: rowKind('fields of embeds', ['name', 'value', 'isInline']),
  ...{ thumbnail: PICTURE, image: PICTURE, images: PICTURE, video: PICTURE, inlineEmojis: EMOJI },
});

const SHOWN = {
  attachments: rowKind('attachments', ['id', 'url', 'fileName', 'fileSizeBytes']),
  stickers: rowKind('stickers', ['id', 'name', 'format', 'sourceUrl']),
  embeds: EMBED,
};

const MESSAGE = rowKind(
  'messages',
  ['id', 'type', 'timestamp', 'timestampEdited', 'callEndedTimestamp', 'isPinned', 'content'],
  {
    ...SHOWN,
    ...{ author: PERSON, mentions: PERSON, inlineEmojis: EMOJI },
    reactions: rowKind('reactions', ['count'], { emoji: EMOJI, users: PERSON }),
    reference: rowKind('references', ['type', 'messageId', 'channelId', 'guildId']),
    forwardedMessage: rowKind(
      'forwarded messages',
      ['timestamp', 'timestampEdited', 'content'],
      SHOWN,
    ),
    interaction: rowKind('commands', ['id', 'name'], { user: PERSON }),
  },
);

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
  noteUnknown(row, MESSAGE, note);
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
    files: [...shownIn(row), ...shownIn(forwarded)],
  };
}

function shownIn(row: JsonRow): DiscordShown[] {
  const files = listIn(row, 'attachments').map((one) => {
    return { id: text(one, 'id'), name: text(one, 'fileName'), url: text(one, 'url') };
  });
  const stickers = listIn(row, 'stickers').map((one) => {
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
  const addresses = pictures.map(addressIn);
  return [
    markdownLinkAround(text(author, 'name'), text(author, 'url')),
    title === '' ? '' : `**${title}**`,
    text(one, 'description'),
    ...listIn(one, 'fields').map((field) => `**${text(field, 'name')}**: ${text(field, 'value')}`),
    ...[...new Set(addresses)].map((address) => shownAt('image', address)),
    shownAt('video', addressIn(part(one, 'video'))),
    footer === '' ? '' : `*${footer}*`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** Where a picture comes from. Earlier exporters wrote one address alone, which is a place where they fetched the file. */
function addressIn(picture: JsonRow): string {
  return text(picture, 'canonicalUrl') || addressOf(text(picture, 'url'));
}

/** A link to what only has an address; empty without one. */
function shownAt(what: string, address: string): string {
  return address === '' ? '' : markdownLink(what, address);
}
