import { emojiOfSlack } from '../text/slack-emoji.js';
import type { Payload } from './payload.js';
import { inline, joined, link, mapped, MAX_LISTED } from './wording.js';

/**
 * A block `rich_text` in Markdown (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block): what Slack's own
 * editor makes, with text apart from its style. It names people and channels by ids of Slack, which say nothing here.
 */
export function richText(block: Payload): string {
  const elements = block.get('elements').list.slice(0, MAX_LISTED);
  return joined(mapped(elements, textOf), '\n\n');
}

/** The text of a part; empty where it is blank. */
function textOf(one: Payload): string {
  const text = part(one);
  return text.trim() === '' ? '' : text;
}

/** A section, a list, a quote or code. */
function part(one: Payload): string {
  const elements = one.get('elements').list;
  switch (one.get('type').textOr('')) {
    case 'rich_text_list': {
      const mark = one.get('style').textOr('') === 'ordered' ? '1.' : '*';
      const indent = '  '.repeat(Math.min(Math.max(Math.trunc(one.get('indent').number), 0), 8));
      return joined(
        mapped(elements, (item) => `${indent}${mark} ${line(item)}`),
        '\n',
      );
    }
    case 'rich_text_quote':
      return line(one).replace(/^/gm, '> ');
    case 'rich_text_preformatted':
      return `\`\`\`\n${joined(mapped(elements, plain), '').replaceAll('```', "'''")}\n\`\`\``;
    default:
      return line(one);
  }
}

function line(holder: Payload): string {
  const { list } = holder.get('elements');
  return joined(
    mapped(list, (one) => styled(plainOrLink(one), one.get('style'))),
    '',
  );
}

function plainOrLink(one: Payload): string {
  return one.get('type').textOr('') === 'link' ? link(plain(one), one.get('url')) : plain(one);
}

function plain(one: Payload): string {
  switch (one.get('type').textOr('')) {
    case 'link':
      return one.get('text').textOr(one.get('url').textOr(''));
    case 'emoji': {
      const name = one.get('name').textOr('');
      return `:${inline(emojiOfSlack(name)?.name ?? name)}:`;
    }
    case 'broadcast':
      return `@\u200b${inline(one.get('range').textOr('here'))}`;
    case 'user':
      return `@\u200b${inline(one.get('user_id').textOr(''))}`;
    case 'channel':
      return `#${inline(one.get('channel_id').textOr(''))}`;
    case 'date':
      return one.get('fallback').textOr('');
    default:
      return one.get('text').textOr('');
  }
}

/** The text with its marks, which stand at its first and last letter: beside white space they would mark nothing. */
function styled(text: string, style: Payload): string {
  let marked = text.trim();
  if (marked === '') return text;
  const start = text.indexOf(marked);
  const [before, after] = [text.slice(0, start), text.slice(start + marked.length)];
  if (style.get('code').isThere) marked = `\`${marked.replaceAll('`', "'")}\``;
  if (style.get('strike').isThere) marked = `~~${marked}~~`;
  if (style.get('italic').isThere) marked = `*${marked}*`;
  if (style.get('bold').isThere) marked = `**${marked}**`;
  return before + marked + after;
}
