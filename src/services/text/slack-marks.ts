import { withEmojiOfSlack } from './slack-emoji.js';

/** Slack's marks in a text (https://docs.slack.dev/messaging/formatting-message-text) as this server's Markdown. */

/** `<@U1>`, `<#C1|name>`, `<!here>`, `<https://…|label>`: what stands before the target, the target, the label. */
export type Reference = (kind: string, target: string, label: string | undefined) => string;

// Of the private use of Unicode: `\ue000` marks a replaced reference, `\ue001` the asterisk of italic text.

/** Code is kept as it is; everything else is converted. */
const CODE = '```[^]*?```|`[^`\\n]+`';
const PARTS = new RegExp(`(${CODE})`);
/** Code, or a reference: what begins first has what the other begins with for its text. */
const REFERENCES = new RegExp(String.raw`${CODE}|<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>`, 'g');
const [BOLD, ITALIC, STRUCK] = ['*', '_', '~'].map(between) as [RegExp, RegExp, RegExp];

/** Words between two of a mark, which touches them and no other word. */
function between(mark: string): RegExp {
  const others = '*_~\ue001'.replace(mark, '');
  const before = String.raw`(^|[\s([{"'${others}])`;
  const after = String.raw`(?=$|[\s)\]}"'.,:;!?${others}])`;
  const inside = String.raw`(?![\s${mark}])([^${mark}\n]*[^\s${mark}])`;
  return new RegExp(`${before}\\${mark}${inside}\\${mark}${after}`, 'gm');
}

/** A text with Slack's marks as Markdown. @param reference what a reference becomes; its parts are as Slack shows them */
export function markdownOfSlack(text: string, reference: Reference): string {
  // URLs contain characters that mean emphasis in text, so placeholders replace them meanwhile.
  const aside: string[] = [];
  const marked = text.replace(
    REFERENCES,
    (whole: string, kind: string | undefined, target: string, label: string | undefined) => {
      if (kind === undefined) return whole;
      const said = label === undefined ? undefined : unescaped(withEmojiOfSlack(label));
      return `\ue000${aside.push(reference(kind, unescaped(target), said)) - 1}\ue000`;
    },
  );
  return marked
    .split(PARTS)
    .map((part, i) => (i % 2 === 1 ? fenced(unescaped(part)) : prose(part, aside)))
    .join('');
}

/** In this dialect fences stand on lines of their own. */
function fenced(code: string): string {
  if (!code.startsWith('```')) return code;
  const inner = code.slice(3, -3).replace(/^\n/, '').replace(/\n$/, '');
  return `\n\`\`\`\n${inner}\n\`\`\`\n`;
}

function prose(text: string, aside: readonly string[]): string {
  const plain = withEmojiOfSlack(text)
    .replace(STRUCK, '$1~~$2~~')
    .replace(ITALIC, '$1\ue001$2\ue001')
    .replace(BOLD, '$1**$2**')
    .replaceAll('\ue001', '*');
  return unescaped(plain).replace(/\ue000(\d+)\ue000/g, (_, i: string) => aside[Number(i)] ?? '');
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
