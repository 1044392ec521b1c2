/** Mattermost writes Markdown, too; who and what it names has other forms. */
import { linkOrWords } from '../../../services/markdown/links.js';
import type { JsonRow } from '../json-rows.js';
import { noteUnknown, type NoteLeft } from '../unknown-fields.js';
import { ATTACHMENT } from './mattermost-fields.js';
import { listIn, text } from './mattermost-file.js';

/** What names in a text mean. */
export interface MattermostNames {
  user(name: string): { readonly full_name: string; readonly user_id: number } | undefined;
  /** Name here of a channel of the same team. */
  channel(name: string): string | undefined;
}

/** Code is kept as it is. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
const MENTION = /(^|[\s("'*_~])@([a-z0-9][a-z0-9._-]*)/gi;
const CHANNEL = /(^|[\s("'*_])~([a-z0-9][a-z0-9_-]*)/gi;
const EVERYBODY = new Set(['all', 'channel', 'here']);

/** A message as it is written here. */
export function markdownOf(text: string, names: MattermostNames): string {
  const parts = text.split(CODE);
  return parts.map((part, i) => (i % 2 === 1 ? part : prose(part, names))).join('');
}

function prose(text: string, names: MattermostNames): string {
  return text
    .replace(MENTION, (whole, before: string, name: string) => {
      if (EVERYBODY.has(name.toLowerCase())) return `${before}@**all**`;
      // A point after a name ends the sentence.
      const bare = names.user(name.toLowerCase()) ? name : name.replace(/[._-]+$/, '');
      const user = names.user(bare.toLowerCase());
      return user
        ? `${before}@**${user.full_name}|${user.user_id}**${name.slice(bare.length)}`
        : whole;
    })
    .replace(CHANNEL, (whole, before: string, name: string) => {
      const channel = names.channel(name.toLowerCase());
      return channel === undefined ? whole : `${before}#**${channel}**`;
    });
}

/** What programs attach to a message (tickets, alerts, builds), in Markdown. */
export function textsOfAttachments(props: JsonRow, note: NoteLeft): string[] {
  return listIn(props, 'attachments').map((one) => {
    noteUnknown(one, ATTACHMENT, note);
    const fields = listIn(one, 'fields').map((field) => {
      // A value may be a number.
      const { value } = field;
      const said = typeof value === 'number' ? String(value) : text(field, 'value');
      return text(field, 'title') === '' ? said : `**${text(field, 'title')}**: ${said}`;
    });
    const title = linkOrWords(text(one, 'title'), text(one, 'title_link'));
    const image = text(one, 'image_url');
    const parts = [
      text(one, 'pretext'),
      linkOrWords(text(one, 'author_name'), text(one, 'author_link')),
      title === '' ? '' : `**${title}**`,
      text(one, 'text'),
      ...fields,
      image === '' ? '' : linkOrWords('image', image),
      text(one, 'footer') === '' ? '' : `*${text(one, 'footer')}*`,
    ];
    const said = parts.filter((part) => part !== '').join('\n');
    return said === '' ? text(one, 'fallback') : said;
  });
}
