/** Text of Rocket.Chat as Markdown of this server: `*bold*`, `_italic_`, `~struck~`, `@name`, `#room`, `<address|words>`. */
import { markdownLink } from '../../../languages/markdown-link.js';
import { withEmojiOfSlack } from '../../../services/text/slack-emoji.js';

/** What a text refers to. */
export interface RocketReferences {
  /** Whom the message names, by their names there without the sign; null for everybody. */
  readonly users: ReadonlyMap<string, { full_name: string; user_id: number } | null>;
  /** Channels, and topics after `>`, by the names of rooms. */
  readonly rooms: ReadonlyMap<string, string>;
  /** The name here of a custom emoji. */
  emoji(name: string): string | undefined;
}

/** Code is kept as it is. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
/** A link with words, one in the form of Slack, and an address alone. */
const LINK = /!?\[[^\]\n]*\]\([^)\s]+\)|<(https?:\/\/[^|>\s]+)\|([^>\n]+)>|https?:\/\/[^\s<>]+/g;
const USER = /(^|[\s("'*_~,;:])@([\p{L}\p{N}_.-]+)/gu;
const ROOM = /(^|[\s("'*_~,;:])#([\p{L}\p{N}_.-]+)/gu;
const EMOJI = /:([\w+-]{1,60}):/g;
const BEFORE = String.raw`(^|[\s([{"'*_~])`;
const AFTER = String.raw`(?=$|[\s)\]}"'.,:;!?*_~])`;
const BOLD = new RegExp(
  String.raw`${BEFORE}(?<!\*)\*(?![\s*])([^*\n]*[^\s*])\*(?!\*)${AFTER}`,
  'g',
);
const ITALIC = new RegExp(String.raw`${BEFORE}_(?![\s_])([^_\n]*[^\s_])_${AFTER}`, 'g');
const STRUCK = new RegExp(String.raw`${BEFORE}(?<!~)~(?![\s~])([^~\n]*[^\s~])~(?!~)${AFTER}`, 'g');

/** A message as Markdown. */
export function markdownOf(text: string, references: RocketReferences): string {
  const parts = text.replaceAll('\r\n', '\n').split(CODE);
  return parts.map((part, i) => (i % 2 === 1 ? fenced(part) : prose(part, references))).join('');
}

/** In this dialect fences stand on lines of their own. */
function fenced(code: string): string {
  if (!code.startsWith('```')) return code;
  const inner = code.slice(3, -3);
  const language = /^([\w+#.-]*)\n/.exec(inner);
  const body = language ? inner.slice(language[0].length) : inner;
  return `\n\`\`\`${language?.[1] ?? ''}\n${body.replace(/\n$/, '')}\n\`\`\`\n`;
}

function prose(text: string, references: RocketReferences): string {
  const { users, rooms } = references;
  // Addresses and names contain characters that mean emphasis, so placeholders replace them meanwhile.
  const aside: string[] = [];
  const keep = (said: string): string => `\ue000${aside.push(said) - 1}\ue000`;
  const marked = text
    .replace(LINK, (whole, address?: string, words?: string) =>
      keep(address === undefined ? whole : markdownLink(words!, address)),
    )
    .replace(USER, (whole, before: string, given: string) => {
      // A point after a name ends the sentence.
      const name = users.has(given) ? given : given.replace(/[._-]+$/, '');
      const user = users.get(name);
      if (user === undefined) return whole;
      const said = user === null ? '@**all**' : `@**${user.full_name}|${user.user_id}**`;
      return before + keep(said) + given.slice(name.length);
    })
    .replace(ROOM, (whole, before: string, given: string) => {
      const name = rooms.has(given) ? given : given.replace(/[._-]+$/, '');
      const room = rooms.get(name);
      return room === undefined ? whole : before + keep(`#**${room}**`) + given.slice(name.length);
    })
    .replace(EMOJI, (whole, name: string) => {
      const own = references.emoji(name);
      return keep(own === undefined ? withEmojiOfSlack(whole) : `:${own}:`);
    });
  return marked
    .replace(STRUCK, '$1~~$2~~')
    .replace(ITALIC, '$1\ue001$2\ue001')
    .replace(BOLD, '$1**$2**')
    .replaceAll('\ue001', '*')
    .replace(/\ue000(\d+)\ue000/g, (_whole, i: string) => aside[Number(i)] ?? '');
}
