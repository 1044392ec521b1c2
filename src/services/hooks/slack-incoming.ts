import type { Integration } from './integration.js';
import { AnomalousPayload, type Payload } from './payload.js';
import { bold, link, MAX_LISTED } from './wording.js';

/**
 * What is made for Slack's incoming webhooks: `text`, `attachments`, `blocks`, with Slack's marks. Mentions of it, which
 * name people of another service, become plain words.
 */
export const slackIncoming: Integration = {
  name: 'slack_incoming',
  displayName: 'Slack-compatible webhook',
  events: null,
  eventOf: () => '',
  message: (_event, payload) => {
    const parts = [
      marked(payload.get('text').textOr('')),
      ...payload.get('blocks').list.slice(0, MAX_LISTED).map(block),
      ...payload.get('attachments').list.slice(0, MAX_LISTED).map(attachment),
    ];
    const content = parts.filter((part) => part !== '').join('\n\n');
    if (content === '') throw new AnomalousPayload();
    const channel = payload.get('channel').textOr('').replace(/^[#@]/, '');
    return { topic: channel === '' ? 'Slack' : `channel: ${channel}`, content };
  },
};

function block(one: Payload): string {
  switch (one.get('type').textOr('')) {
    case 'header':
      return `### ${one.get('text', 'text').textOr('')}`;
    case 'divider':
      return '----';
    case 'section':
      return [one.get('text'), ...one.get('fields').list].map(textOf).filter(Boolean).join('\n\n');
    case 'context':
      return one.get('elements').list.map(textOf).filter(Boolean).join(' ');
    case 'image':
      return link(one.get('alt_text').textOr('image'), one.get('image_url'));
    case 'actions':
      return one
        .get('elements')
        .list.filter((element) => element.get('url').isThere)
        .map((element) => link(element.get('text', 'text').textOr('link'), element.get('url')))
        .join(' ');
    default:
      return '';
  }
}

function textOf(one: Payload): string {
  const text = one.get('text').textOr('');
  return one.get('type').textOr('') === 'plain_text' ? text : marked(text);
}

function attachment(one: Payload): string {
  const title = one.get('title').textOr('');
  const heading = title === '' ? '' : `### ${link(title, one.get('title_link'))}`;
  const fields = one
    .get('fields')
    .list.slice(0, MAX_LISTED)
    .map(
      (field) => `${bold(field.get('title').textOr(''))}: ${marked(field.get('value').textOr(''))}`,
    )
    .join('\n');
  const parts = [
    marked(one.get('pretext').textOr('')),
    heading,
    marked(one.get('text').textOr('')),
    fields,
    ...one.get('blocks').list.slice(0, MAX_LISTED).map(block),
  ].filter((part) => part !== '');
  const footer = one.get('footer').textOr('');
  if (footer !== '') parts.push(`*${footer}*`);
  if (parts.length === 0) return marked(one.get('fallback').textOr(''));
  return parts.join('\n\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** A text of Slack's dialect in Markdown. */
function marked(text: string): string {
  return text
    .split(/(```[^]*?```|`[^`\n]*`)/)
    .map((part, i) => (i % 2 === 1 ? unescaped(part) : prose(part)))
    .join('');
}

function prose(text: string): string {
  const said = text
    .replace(/(^|[\s(])_([^_\n]+)_(?=$|[\s).,!?:;])/gm, '$1\u0001$2\u0001')
    .replace(/(^|[\s(])\*([^*\n]+)\*(?=$|[\s).,!?:;])/gm, '$1**$2**')
    .replace(/(^|[\s(])~([^~\n]+)~(?=$|[\s).,!?:;])/gm, '$1~~$2~~')
    .replaceAll('\u0001', '*')
    .replace(/<([^<>|\n]+)(?:\|([^<>\n]*))?>/g, (_, target: string, words?: string) =>
      reference(target, words),
    );
  return unescaped(said);
}

function reference(target: string, words: string | undefined): string {
  if (target.startsWith('@')) return `@\u200b${words ?? target.slice(1)}`;
  if (target.startsWith('#')) return `#${words ?? target.slice(1)}`;
  if (target.startsWith('!')) return `@\u200b${words ?? target.slice(1).split('^')[0]!}`;
  if (target.startsWith('mailto:')) return words ?? target.slice(7);
  return words === undefined ? target : link(words, target);
}

function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity]!);
}
