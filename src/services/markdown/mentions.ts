import type { MarkdownIt, StateInline } from 'markdown-it';
import type { MentionDirectory } from './render-environment.js';
import { environmentOf } from './render-environment.js';
import type { DialectElement } from './element-token.js';
import { pushElement } from './element-token.js';

/** Longest text between the stars of a mention, in UTF-16 code units. */
const MAX_NAME_LENGTH = 300;

const CHANNEL_WILDCARDS: ReadonlySet<string> = new Set(['all', 'everyone', 'channel', 'stream']);
const TOPIC_WILDCARD = 'topic';

/** Text beside a mention that is looked at for the brackets of a link, UTF-16 code units. */
const MAX_LINK_TEXT = 1000;

/** A mention starts a word: `name@**x**` is an address, not a mention. */
const BEFORE_MENTION = /[\s'"({[/<]/;

interface MentionSyntax {
  kind: 'user' | 'group';
  silent: boolean;
  name: string;
  /** Offset just after the mention. */
  end: number;
}

/**
 * Adds mentions: `@**Full Name**`, `@**Full Name|id**`, `@**all**` and its synonyms, `@**topic**`,
 * `@*group*`, and their silent forms with `@_`. Quoting somebody's message must not notify the
 * people it mentions, so mentions inside a quotation are silent, and those in the text of a link, which
 * names what it leads to. A mention of nobody known stays text, stars included.
 */
export function mentions(md: MarkdownIt): void {
  md.inline.ruler.before('emphasis', 'mention', parseMention);
}

function parseMention(state: StateInline, scanOnly: boolean): boolean {
  const syntax = readMention(state.src, state.pos, state.posMax);
  if (!syntax) return false;
  if (!scanOnly) {
    const { directory, quoted } = environmentOf(state);
    const silent =
      syntax.silent ||
      quoted ||
      state.linkLevel > 0 ||
      isLinkText(state.src, state.pos, syntax.end);
    const element = resolve({ ...syntax, silent }, directory);
    if (element) pushElement(state, element);
    else state.pending += state.src.slice(state.pos, syntax.end);
  }
  state.pos = syntax.end;
  return true;
}

/** Whether a mention is in brackets with an address behind them, also one that no message may link to. */
function isLinkText(source: string, start: number, end: number): boolean {
  let open = 0;
  let inner = 0;
  for (let at = start - 1; at >= 0 && start - at < MAX_LINK_TEXT; at--) {
    if (source[at] === ']') inner += 1;
    else if (source[at] === '[' && inner === 0) open += 1;
    else if (source[at] === '[') inner -= 1;
  }
  inner = 0;
  for (let at = end; open > 0 && at < source.length && at - end < MAX_LINK_TEXT; at++) {
    if (source[at] === '[') inner += 1;
    else if (source[at] === ']' && inner > 0) inner -= 1;
    else if (source[at] === ']') {
      open -= 1;
      if (source[at + 1] === '(' && source.includes(')', at + 2)) return true;
    }
  }
  return false;
}

function readMention(source: string, start: number, max: number): MentionSyntax | undefined {
  if (source[start] !== '@') return undefined;
  if (start > 0 && !BEFORE_MENTION.test(source.charAt(start - 1))) return undefined;
  const silent = source[start + 1] === '_';
  const open = start + (silent ? 2 : 1);
  if (source[open] !== '*') return undefined;
  const stars = source[open + 1] === '*' ? '**' : '*';
  const nameStart = open + stars.length;
  // Names contain no stars, so the search ends at the next star and stays linear over a message.
  const nameEnd = source.indexOf('*', nameStart);
  if (nameEnd <= nameStart || nameEnd - nameStart > MAX_NAME_LENGTH) return undefined;
  const end = nameEnd + stars.length;
  if (end > max || !source.startsWith(stars, nameEnd)) return undefined;
  const name = source.slice(nameStart, nameEnd);
  if (name.includes('\n')) return undefined;
  return { kind: stars === '**' ? 'user' : 'group', silent, name, end };
}

function resolve(mention: MentionSyntax, directory: MentionDirectory): DialectElement | undefined {
  if (mention.kind === 'group') return groupMention(mention, directory);
  if (CHANNEL_WILDCARDS.has(mention.name)) {
    return element(mention, 'user-mention channel-wildcard-mention', mention.name, {
      attribute: ['data-user-id', '*'],
      meaning: { kind: 'channel_wildcard', silent: mention.silent },
    });
  }
  if (mention.name === TOPIC_WILDCARD) {
    return element(mention, 'topic-mention', mention.name, {
      meaning: { kind: 'topic_wildcard', silent: mention.silent },
    });
  }
  const user = findUser(mention.name, directory);
  if (!user) return undefined;
  return element(mention, 'user-mention', user.full_name, {
    attribute: ['data-user-id', String(user.user_id)],
    meaning: { kind: 'user', userId: user.user_id, silent: mention.silent },
  });
}

function groupMention(
  mention: MentionSyntax,
  directory: MentionDirectory,
): DialectElement | undefined {
  const group = directory.groupByName(mention.name);
  if (!group) return undefined;
  return element(mention, 'user-group-mention', group.name, {
    attribute: ['data-user-group-id', String(group.id)],
    meaning: { kind: 'group', groupId: group.id, silent: mention.silent },
  });
}

/** `Full Name`, `Full Name|id` (both have to fit) or `|id`. */
function findUser(
  name: string,
  directory: MentionDirectory,
): { user_id: number; full_name: string } | undefined {
  const exact = directory.userByName(name);
  if (exact) return exact;
  const bar = name.lastIndexOf('|');
  const id = name.slice(bar + 1);
  if (bar < 0 || !/^[0-9]{1,15}$/.test(id)) return undefined;
  const user = directory.userById(Number(id));
  const fullName = name.slice(0, bar);
  return fullName === '' || user?.full_name === fullName ? user : undefined;
}

function element(
  mention: MentionSyntax,
  className: string,
  name: string,
  rest: { attribute?: [string, string]; meaning: DialectElement['meaning'] },
): DialectElement {
  const attributes: [string, string][] = [
    ['class', mention.silent ? `${className} silent` : className],
  ];
  if (rest.attribute) attributes.push(rest.attribute);
  return {
    tag: 'span',
    attributes,
    text: mention.silent ? name : `@${name}`,
    meaning: rest.meaning,
  };
}
