/**
 * Text of Discord as Markdown. DiscordChatExporter puts names in the place of ids (`@Zoë`, `#general`, `:blob:`) unless it
 * was told not to (`--markdown false`), so both forms are read.
 */
import type { RoomNames } from '../rooms/room-archive.js';

/** What a text refers to. */
export interface DiscordReferences extends RoomNames {
  /** Ids of those whom the message names, by the names that the text has. */
  readonly mentioned: ReadonlyMap<string, string>;
  /** The channel of a name, as its id. */
  channelNamed(name: string): string | undefined;
  /** The name of a role. */
  role(id: string): string | undefined;
}

/** Code is kept as it is. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
/** `<@1>`, `<@!1>`, `<@&1>`, `<#1>`, `<:blob:1>`, `<a:blob:1>`, `<t:1:R>`, `</name:1>`, `<https://…>`. */
const REFERENCE =
  /<(@!?|@&|#)(\d+)>|<a?:(\w+):\d+>|<t:(-?\d{1,11})(?::\w)?>|<\/([^<>:]+):\d+>|<(https?:\/\/[^\s<>]+)>/g;
const ADDRESS = /https?:\/\/[^\s<>]+/g;
const NAMED = /(^|[\s("'*_~|>])([@#])(?=\S)/g;
const EMOJI = /:([A-Za-z0-9_]{2,32}):/g;

/** A message of Discord as Markdown. */
export function markdownOf(text: string, references: DiscordReferences): string {
  const parts = text.replaceAll('\r\n', '\n').split(CODE);
  const said = parts.map((part, i) => (i % 2 === 1 ? fenced(part) : prose(part, references)));
  return quotedToEnd(said.join(''));
}

/** In this dialect fences stand on lines of their own. */
function fenced(code: string): string {
  if (!code.startsWith('```')) return code;
  const inner = code.slice(3, -3);
  const language = /^([\w+#.-]*)\n/.exec(inner)?.[1] ?? '';
  const body = /^[\w+#.-]*\n/.test(inner) ? inner.slice(language.length + 1) : inner;
  return `\n\`\`\`${language}\n${body.replace(/\n$/, '')}\n\`\`\`\n`;
}

function prose(text: string, references: DiscordReferences): string {
  // Addresses and references contain characters that mean emphasis, so placeholders replace them meanwhile.
  const aside: string[] = [];
  const keep = (said: string): string => `\ue000${aside.push(said) - 1}\ue000`;
  const marked = text
    .replace(REFERENCE, (whole, kind?: string, id?: string, emoji?: string, ...rest) => {
      const [time, command, address] = rest as (string | undefined)[];
      if (address !== undefined) return keep(address);
      if (command !== undefined) return `/${command}`;
      if (time !== undefined) return keep(timeOf(Number(time)));
      if (emoji !== undefined) return keep(emojiOf(emoji, references));
      return keep(referred(kind!, id!, references) ?? whole);
    })
    .replace(ADDRESS, keep);
  return withNames(marked, references, keep)
    .replace(EMOJI, (_whole, name: string) => keep(emojiOf(name, references)))
    .replace(/\|\|([^|]+(?:\|[^|]+)*)\|\|/g, (_whole, hidden: string) => spoiler(hidden))
    .replace(/(?<![\w_])__(?!_)(?=\S)([^\n]*?\S)__(?![\w_])/g, '**$1**')
    .replace(/(?<![\w_*])_(?![\s_])([^_\n]*[^\s_])_(?![\w_])/g, '*$1*')
    .replace(/\ue000(\d+)\ue000/g, (_whole, i: string) => aside[Number(i)] ?? '');
}

/** Names after `@` and `#`, in the form that they have here. */
function withNames(
  text: string,
  references: DiscordReferences,
  keep: (said: string) => string,
): string {
  let said = '';
  let done = 0;
  for (const { 0: whole, 2: sign, index } of text.matchAll(NAMED)) {
    const begin = index + whole.length;
    const found = begin <= done ? null : namedAt(text.slice(begin), sign!, references);
    if (!found) continue;
    said += text.slice(done, begin - 1) + keep(found.said);
    done = begin + found.length;
  }
  return said + text.slice(done);
}

/** Whom or what a name means; the longest one counts. @param after text after the sign */
function namedAt(
  after: string,
  sign: string,
  references: DiscordReferences,
): { said: string; length: number } | null {
  if (sign === '#') {
    const name = /^[^\s#@,.;:!?()"']+/.exec(after)?.[0] ?? '';
    const key = references.channelNamed(name);
    const channel = key === undefined ? undefined : references.channel(key);
    return channel === undefined ? null : { said: `#**${channel}**`, length: name.length };
  }
  const everybody = /^(everyone|here)\b/.exec(after)?.[0];
  if (everybody !== undefined) return { said: '@**all**', length: everybody.length };
  let best: { said: string; length: number } | null = null;
  for (const [name, id] of references.mentioned) {
    const user = references.user(id);
    if (!user || !after.startsWith(name) || (best && best.length >= name.length)) continue;
    best = { said: `@**${user.full_name}|${user.user_id}**`, length: name.length };
  }
  if (best) return best;
  // A role's name may have blanks: the longest that is a group's.
  const words = /^[^\n@]{1,100}/.exec(after)?.[0].split(' ').slice(0, 6) ?? [];
  for (let count = words.length; count > 0; count--) {
    const name = words
      .slice(0, count)
      .join(' ')
      .replace(/[.,;:!?)]+$/, '');
    if (name !== '' && references.hasGroup(name))
      return { said: `@*${name}*`, length: name.length };
  }
  return null;
}

function referred(kind: string, id: string, references: DiscordReferences): string | undefined {
  if (kind === '#') {
    const channel = references.channel(id);
    return channel === undefined ? undefined : `#**${channel}**`;
  }
  if (kind === '@&') {
    const role = references.role(id);
    return role === undefined ? undefined : references.hasGroup(role) ? `@*${role}*` : `@${role}`;
  }
  const user = references.user(id);
  return user && `@**${user.full_name}|${user.user_id}**`;
}

function emojiOf(name: string, names: RoomNames): string {
  return `:${names.emoji(name)?.name ?? name}:`;
}

function timeOf(seconds: number): string {
  return `<time:${new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')}>`;
}

/** Here what is hidden stands in a block of its own. */
function spoiler(hidden: string): string {
  return `\n\`\`\`spoiler\n${hidden.trim()}\n\`\`\`\n`;
}

/** `>>> ` quotes everything that follows. */
function quotedToEnd(text: string): string {
  const begin = /^>>> ?/m.exec(text);
  if (!begin) return text;
  const rest = text.slice(begin.index + begin[0].length);
  const lines = rest.split('\n').map((line) => `> ${line}`);
  return text.slice(0, begin.index) + lines.join('\n');
}
