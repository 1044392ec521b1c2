import { withEmojiOfSlack } from '../../../services/text/slack-emoji.js';

/** Converts Slack's text format to this server's Markdown dialect. */

/** What the ids in a text mean. */
export interface SlackNames {
  /** Name and id here of an account there, or undefined. */
  user(id: string): { readonly full_name: string; readonly user_id: number } | undefined;
  /** Name here of a channel there. */
  channel(id: string): string | undefined;
}

// Of the private use of Unicode: `\ue000` marks a replaced reference, `\ue001` the asterisk of italic text.

/** Code is kept as it is; everything else is converted. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
/** `<@U1>`, `<#C1|name>`, `<!here>`, `<https://…|label>`. */
const REFERENCE = /<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>/g;
const BEFORE = String.raw`(^|[\s([{"'*_~\ue001])`;
const AFTER = String.raw`(?=$|[\s)\]}"'.,:;!?*_~\ue001])`;
const BOLD = new RegExp(String.raw`${BEFORE}\*(?![\s*])([^*\n]*[^\s*])\*${AFTER}`, 'g');
const ITALIC = new RegExp(String.raw`${BEFORE}_(?![\s_])([^_\n]*[^\s_])_${AFTER}`, 'g');
const STRUCK = new RegExp(String.raw`${BEFORE}~(?![\s~])([^~\n]*[^\s~])~${AFTER}`, 'g');

/** A message of Slack as Markdown. */
export function markdownOf(text: string, names: SlackNames): string {
  return text
    .split(CODE)
    .map((part, i) => (i % 2 === 1 ? fenced(unescaped(part)) : prose(part, names)))
    .join('');
}

/** In this dialect fences stand on lines of their own. */
function fenced(code: string): string {
  if (!code.startsWith('```')) return code;
  const inner = code.slice(3, -3).replace(/^\n/, '').replace(/\n$/, '');
  return `\n\`\`\`\n${inner}\n\`\`\`\n`;
}

function prose(text: string, names: SlackNames): string {
  // URLs contain characters that mean emphasis in text, so placeholders replace them meanwhile.
  const aside: string[] = [];
  const marked = withEmojiOfSlack(text).replace(
    REFERENCE,
    (_whole, kind: string, target: string, label?: string) => {
      return `\ue000${aside.push(reference(kind, target, label, names)) - 1}\ue000`;
    },
  );
  const plain = marked
    .replace(STRUCK, '$1~~$2~~')
    .replace(ITALIC, '$1\ue001$2\ue001')
    .replace(BOLD, '$1**$2**')
    .replaceAll('\ue001', '*');
  return unescaped(plain).replace(
    /\ue000(\d+)\ue000/g,
    (_whole, i: string) => aside[Number(i)] ?? '',
  );
}

function reference(
  kind: string,
  target: string,
  label: string | undefined,
  names: SlackNames,
): string {
  const said = unescaped(label ?? '');
  if (kind === '@') {
    const user = names.user(target);
    return user ? `@**${user.full_name}|${user.user_id}**` : `@${said || target}`;
  }
  if (kind === '#') return `#**${names.channel(target) ?? (said || target)}**`;
  if (kind === '!') {
    if (target === 'here' || target === 'channel' || target === 'everyone') return '@**all**';
    return said || `@${target.replace(/^\w+\^/, '')}`;
  }
  const address = unescaped(target);
  const shown = said.replaceAll(/[[\]]/g, '');
  return shown === '' || shown === address
    ? address
    : `[${shown}](${address.replaceAll(' ', '%20')})`;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
