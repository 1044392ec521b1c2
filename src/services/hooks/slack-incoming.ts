import { withoutMentions } from '../text/stored-text.js';
import type { Integration } from './integration.js';
import { markdownOfSlack } from '../text/slack-marks.js';
import { AnomalousPayload, type Payload } from './payload.js';
import { richText } from './slack-rich-text.js';
import { bold, joined, link, mapped, MAX_LISTED } from './wording.js';

/**
 * What is made for Slack's incoming webhooks: `text`, `attachments`, `blocks`, with Slack's marks. Mentions of it,
 * which name people of another service, become plain words, and so do mentions in the form of this server: the tools
 * that write for Slack pass on what outsiders wrote.
 */
export const slackIncoming: Integration = {
  name: 'slack_incoming',
  displayName: 'Slack-compatible webhook',
  docs: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
  events: null,
  eventOf: () => '',
  message: (_event, payload) => {
    const content = withoutMentions(joined(parts(payload), '\n\n'));
    if (content === '') {
      // Tools send the fields empty where they have nothing to say.
      if (payload.members.some(([name]) => PARTS.includes(name))) return null;
      throw new AnomalousPayload();
    }
    const channel = payload.get('channel').textOr('').replace(/^[#@]/, '');
    return { topic: channel === '' ? 'Slack' : `channel: ${channel}`, content };
  },
};

const PARTS: readonly string[] = ['text', 'blocks', 'attachments'];

function* parts(payload: Payload): Generator<string> {
  yield marked(payload.get('text').textOr(''));
  for (const one of firstOf(payload.get('blocks'))) yield block(one);
  for (const one of firstOf(payload.get('attachments'))) yield attachment(one);
}

function firstOf(list: Payload): readonly Payload[] {
  return list.list.slice(0, MAX_LISTED);
}

function block(one: Payload): string {
  switch (one.get('type').textOr('')) {
    case 'header':
      return `### ${one.get('text', 'text').textOr('')}`;
    case 'divider':
      return '----';
    case 'section':
      return joined(mapped([one.get('text'), ...firstOf(one.get('fields'))], textOf), '\n\n');
    case 'context':
      return joined(mapped(firstOf(one.get('elements')), textOf), ' ');
    case 'rich_text':
      return richText(one);
    case 'image':
      return link(one.get('alt_text').textOr('image'), one.get('image_url'));
    case 'actions':
      return joined(mapped(firstOf(one.get('elements')), button), ' ');
    default:
      return '';
  }
}

function button(one: Payload): string {
  const address = one.get('url');
  return address.isThere ? link(one.get('text', 'text').textOr('link'), address) : '';
}

function textOf(one: Payload): string {
  const text = one.get('text').textOr('');
  return one.get('type').textOr('') === 'plain_text' ? text : marked(text);
}

function attachment(one: Payload): string {
  const said = joined(attachmentParts(one), '\n\n');
  return said === '' ? marked(one.get('fallback').textOr('')) : said;
}

function* attachmentParts(one: Payload): Generator<string> {
  yield marked(one.get('pretext').textOr(''));
  const title = one.get('title').textOr('');
  if (title !== '') yield `### ${link(title, one.get('title_link'))}`;
  yield marked(one.get('text').textOr(''));
  yield joined(mapped(firstOf(one.get('fields')), field), '\n');
  for (const part of firstOf(one.get('blocks'))) yield block(part);
  if (one.get('image_url').isThere) yield link('image', one.get('image_url'));
  const footer = one.get('footer').textOr('');
  if (footer !== '') yield `*${footer}*`;
}

function field(one: Payload): string {
  return `${bold(one.get('title').textOr(''))}: ${marked(one.get('value').textOr(''))}`;
}

/** A text of Slack's dialect in Markdown. */
export function marked(text: string): string {
  return markdownOfSlack(text, reference);
}

function reference(kind: string, target: string, words: string | undefined): string {
  if (kind === '@') return `@\u200b${words ?? target}`;
  if (kind === '#') return `#${words ?? target}`;
  // What to say of a date in its place.
  if (kind === '!' && target.startsWith('date^')) return words ?? '';
  if (kind === '!') return `@\u200b${(words ?? target.split('^')[0]!).replace(/^@/, '')}`;
  if (target.startsWith('mailto:')) return words ?? target.slice(7);
  return link(words ?? target, target);
}
