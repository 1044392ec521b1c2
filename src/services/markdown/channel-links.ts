import type { MarkdownIt, StateInline } from 'markdown-it';
import { environmentOf } from './render-environment.js';
import type { DialectElement } from './element-token.js';
import { pushElement } from './element-token.js';

/** Longest text between the stars of a channel link, in UTF-16 code units. */
const MAX_LINK_LENGTH = 400;

/** What clients show for the topic whose name is empty. */
const EMPTY_TOPIC_NAME = 'general chat';

/** A link starts a word, or follows an opening or separating mark. */
const BEFORE_LINK = /[\s'"({[/<,:]/;

interface ChannelLinkSyntax {
  channel: string;
  topic: string | undefined;
  /** Message in that topic, as a decimal number. */
  near: string | undefined;
  /** Offset just after the link. */
  end: number;
}

/**
 * Adds links to channels: `#**channel**`, `#**channel>topic**` and, to one message,
 * `#**channel>topic@id**`. A link to a channel nobody knows stays text, stars included.
 */
export function channelLinks(md: MarkdownIt): void {
  md.inline.ruler.before('emphasis', 'channel_link', parseChannelLink);
}

function parseChannelLink(state: StateInline, scanOnly: boolean): boolean {
  // An <a> cannot contain another.
  if (state.linkLevel > 0) return false;
  const syntax = readChannelLink(state.src, state.pos, state.posMax);
  if (!syntax) return false;
  if (!scanOnly) {
    const channel = environmentOf(state).directory.channelByName(syntax.channel);
    if (channel) pushElement(state, linkElement(channel, syntax, newestIn(state, channel, syntax)));
    else state.pending += state.src.slice(state.pos, syntax.end);
  }
  state.pos = syntax.end;
  return true;
}

function readChannelLink(
  source: string,
  start: number,
  max: number,
): ChannelLinkSyntax | undefined {
  if (!source.startsWith('#**', start)) return undefined;
  if (start > 0 && !BEFORE_LINK.test(source.charAt(start - 1))) return undefined;
  const textStart = start + 3;
  // The next double star ends the link or there is none: the search stays linear over a message,
  // because every further link would begin with a double star of its own.
  const textEnd = source.indexOf('**', textStart);
  if (textEnd <= textStart || textEnd - textStart > MAX_LINK_LENGTH) return undefined;
  const end = textEnd + 2;
  const text = source.slice(textStart, textEnd);
  if (end > max || text.includes('\n')) return undefined;
  const separator = text.indexOf('>');
  if (separator < 0) return { channel: text, topic: undefined, near: undefined, end };
  const place = text.slice(separator + 1);
  const near = /^(.*)@([0-9]{1,15})$/.exec(place);
  return {
    channel: text.slice(0, separator),
    topic: near?.[1] ?? place,
    near: near?.[2],
    end,
  };
}

/** Links to a topic name its newest message, so that they lead to it when it was moved. */
function newestIn(
  state: StateInline,
  channel: { stream_id: number },
  { topic, near }: ChannelLinkSyntax,
): number | undefined {
  if (topic === undefined || near !== undefined) return undefined;
  return environmentOf(state).directory.newestInTopic?.(channel.stream_id, topic);
}

function linkElement(
  channel: { stream_id: number; name: string },
  syntax: ChannelLinkSyntax,
  newest: number | undefined,
): DialectElement {
  const id = String(channel.stream_id);
  const slug = encodeHashComponent(channel.name.replaceAll(' ', '-'));
  const channelUrl = `/#narrow/channel/${id}-${slug}`;
  const meaning = { kind: 'channel' } as const;
  if (syntax.topic === undefined) {
    return {
      tag: 'a',
      attributes: link('stream', id, channelUrl),
      text: `#${channel.name}`,
      meaning,
    };
  }
  const topicUrl = `${channelUrl}/topic/${encodeHashComponent(syntax.topic)}`;
  const topic = syntax.topic === '' ? { emphasized: EMPTY_TOPIC_NAME } : {};
  const text = `#${channel.name} > ${syntax.topic}`;
  if (syntax.near === undefined) {
    const url = newest === undefined ? topicUrl : `${topicUrl}/with/${newest}`;
    const attributes = link('stream-topic', id, url);
    return { tag: 'a', attributes, text, ...topic, meaning };
  }
  const attributes: [string, string][] = [
    ['class', 'message-link'],
    ['href', `${topicUrl}/near/${syntax.near}`],
  ];
  const place = `#${channel.name} > ${syntax.topic || EMPTY_TOPIC_NAME}`;
  return { tag: 'a', attributes, text: `${place} @ 💬`, meaning };
}

function link(className: string, id: string, href: string): [string, string][] {
  return [
    ['class', className],
    ['data-stream-id', id],
    ['href', href],
  ];
}

/**
 * Encodes a value for the fragment of a client's URL: percent encoding with a dot in place of the
 * percent sign, because browsers are inconsistent about percent signs in fragments.
 */
export function encodeHashComponent(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
    .replace(/[.!*'()]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.');
}
