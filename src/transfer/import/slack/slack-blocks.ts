/**
 * What stands beside the words of a message, in Slack's own form of text, so that what names people and channels becomes
 * what it is elsewhere: blocks (https://docs.slack.dev/reference/block-kit/blocks) and attachments, with which programs
 * send tickets and alerts, and messages that somebody shared.
 */
import type { JsonRow } from '../json-rows.js';
import { part, rows, text } from './slack-files.js';

/** Whether blocks say what the text of the message does not: Slack's editor makes `rich_text`, whose text is whole. */
export function sayMore(blocks: readonly JsonRow[]): boolean {
  return blocks.some((one) => text(one, 'type') !== 'rich_text');
}

/** Kinds of blocks and their elements that no text is made of, by name. */
export type UnknownBlock = (kind: string) => void;

/** Blocks, each on lines of its own. */
export function textOfBlocks(blocks: readonly JsonRow[], unknown: UnknownBlock): string {
  return joined(
    blocks.map((one) => block(one, unknown)),
    '\n\n',
  );
}

function block(one: JsonRow, unknown: UnknownBlock): string {
  const kind = text(one, 'type');
  switch (kind) {
    case 'header':
      return bold(textObject(one['text']));
    case 'divider':
      return '---';
    case 'section':
      return joined([textObject(one['text']), ...rows(one['fields']).map(textObject)], '\n');
    case 'context':
      return joined(rows(one['elements']).map(element), ' ');
    case 'actions':
      return joined(rows(one['elements']).map(element), ' ');
    case 'image':
    case 'video':
      return joined([linked(titleOf(one), text(one, 'image_url') || text(one, 'video_url'))], '');
    case 'markdown':
      return text(one, 'text');
    case 'table':
      return table(one['rows']);
    case 'rich_text':
      return joined(rows(one['elements']).map(richPart), '\n');
    default:
      unknown(kind);
      return '';
  }
}

function titleOf(one: JsonRow): string {
  return textObject(one['title']) || text(one, 'alt_text') || 'image';
}

/** Pictures, buttons with an address, and texts. */
function element(one: JsonRow): string {
  const kind = text(one, 'type');
  if (kind === 'image') return linked(titleOf(one), text(one, 'image_url'));
  if (kind === 'button') {
    const url = text(one, 'url');
    return url === '' ? '' : linked(textObject(one['text']), url);
  }
  return textObject(one);
}

/** A text of Slack's marks, or a plain one, whose signs must not become marks. */
function textObject(value: unknown): string {
  if (typeof value === 'string') return value;
  const [one] = rows([value]);
  return one ? text(one, 'text') : '';
}

function table(value: unknown): string {
  if (!Array.isArray(value)) return '';
  const lines = (value as unknown[]).map((row) => {
    const cells = rows(row).map((cell) => {
      const said =
        text(cell, 'type') === 'rich_text'
          ? textOfBlocks([cell], () => undefined)
          : text(cell, 'text');
      return said.replaceAll('\n', ' ').replaceAll('|', '\\|');
    });
    return `| ${cells.join(' | ')} |`;
  });
  const [first = []] = value as unknown[][];
  if (lines.length === 0) return '';
  return [lines[0], `|${' --- |'.repeat(rows(first).length)}`, ...lines.slice(1)].join('\n');
}

/** A section, list, quote or code of what Slack's editor makes. */
function richPart(one: JsonRow): string {
  const elements = rows(one['elements']);
  switch (text(one, 'type')) {
    case 'rich_text_list':
      return joined(
        elements.map(
          (item, i) => `${text(one, 'style') === 'ordered' ? `${i + 1}.` : '•'} ${richLine(item)}`,
        ),
        '\n',
      );
    case 'rich_text_quote':
      return quoted(richLine(one));
    case 'rich_text_preformatted':
      return `\`\`\`${elements.map(plain).join('')}\`\`\``;
    default:
      return richLine(one);
  }
}

function richLine(one: JsonRow): string {
  return rows(one['elements']).map(styled).join('');
}

function styled(one: JsonRow): string {
  const said = inlineOf(one);
  const style = part(one, 'style');
  if (said.trim() === '') return said;
  if (style['code'] === true) return `\`${said}\``;
  const [, before, words, after] = /^(\s*)([\s\S]*?)(\s*)$/.exec(said)!;
  let marked = words!;
  if (style['bold'] === true) marked = `*${marked}*`;
  if (style['italic'] === true) marked = `_${marked}_`;
  if (style['strike'] === true) marked = `~${marked}~`;
  return `${before}${marked}${after}`;
}

function inlineOf(one: JsonRow): string {
  switch (text(one, 'type')) {
    case 'user':
      return `<@${text(one, 'user_id')}>`;
    case 'channel':
      return `<#${text(one, 'channel_id')}>`;
    case 'usergroup':
      return `<!subteam^${text(one, 'usergroup_id')}>`;
    case 'broadcast':
      return `<!${text(one, 'range')}>`;
    case 'emoji':
      return `:${text(one, 'name')}:`;
    case 'link':
      return linked(
        text(one, 'text').replaceAll('&', '&amp;'),
        text(one, 'url').replaceAll('&', '&amp;'),
      );
    default:
      return plain(one);
  }
}

/** In Slack's form these signs of a text are written out. */
function plain(one: JsonRow): string {
  const said = text(one, 'text') || text(one, 'fallback') || text(one, 'url');
  return said.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What an attachment is: a preview that Slack made of a page says nothing that its link does not. */
export type AttachmentKind = 'preview' | 'shared' | 'own';

export function kindOf(attachment: JsonRow): AttachmentKind {
  if (attachment['is_msg_unfurl'] === true || attachment['is_share'] === true) return 'shared';
  const isOfPage = text(attachment, 'from_url') !== '' || text(attachment, 'original_url') !== '';
  return isOfPage ? 'preview' : 'own';
}

/** A message of somebody else, with who wrote it and where. */
export function textOfShared(one: JsonRow, unknown: UnknownBlock): string {
  const author = text(one, 'author_name') || text(one, 'author_subname');
  const from = text(one, 'from_url');
  const head = linked(author === '' ? 'A shared message' : `${author} wrote`, from);
  const blocks = rows(one['message_blocks']).flatMap((holder) =>
    rows(part(holder, 'message')['blocks']),
  );
  const words = text(one, 'text') || textOfBlocks(blocks, unknown) || text(one, 'fallback');
  return joined([`${head}:`, words === '' ? '' : quoted(words)], '\n');
}

/** What a program attached: a ticket, an alert, a build. */
export function textOfAttachment(one: JsonRow, unknown: UnknownBlock): string {
  const title = text(one, 'title');
  const author = linked(text(one, 'author_name'), text(one, 'author_link'));
  const said = joined(
    [
      text(one, 'pretext'),
      author,
      title === '' ? '' : bold(linked(title, text(one, 'title_link'))),
      text(one, 'text'),
      ...rows(one['fields']).map((field) => {
        const name = text(field, 'title');
        return name === '' ? text(field, 'value') : `${bold(name)}: ${text(field, 'value')}`;
      }),
      textOfBlocks(rows(one['blocks']), unknown),
      picture(text(one, 'image_url')),
      ...rows(one['actions']).map(element),
      text(one, 'footer') === '' ? '' : `_${text(one, 'footer')}_`,
    ],
    '\n',
  );
  return said === '' ? text(one, 'fallback') : said;
}

function picture(address: string): string {
  return address === '' ? '' : linked('image', address);
}

function bold(said: string): string {
  return said === '' ? '' : `*${said}*`;
}

function quoted(said: string): string {
  return said.replace(/^/gm, '> ');
}

/** A link in Slack's form; the words alone where there is no address. */
function linked(words: string, address: string): string {
  if (address === '') return words;
  const target = inReference(address).replaceAll('|', '%7C');
  return words === '' ? `<${target}>` : `<${target}|${inReference(words)}>`;
}

function inReference(said: string): string {
  return said.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function joined(parts: readonly string[], by: string): string {
  return parts.filter((one) => one !== '').join(by);
}
