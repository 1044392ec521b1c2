import { FRAGMENT_CLASS } from './render-environment.js';
import { isSafeUrl } from './links.js';

/**
 * Recognizes HTML that the sanitizer would let through as it is: only elements and attributes that messages
 * may have, spelled as the renderer spells them, each inside an element where the parser of the sanitizer
 * leaves it, all of them closed. That is what nearly every message is, and reading it costs a thirtieth of
 * parsing it and writing it anew. In doubt the answer is no: then the sanitizer decides.
 */

type Check = (value: string) => boolean;

interface Element {
  /** Where it may stand; null for anywhere. The empty name is the outermost level. */
  readonly parents: ReadonlySet<string> | null;
  /** Its end tag; undefined where it has none. */
  readonly end: string | undefined;
  readonly attributes: Readonly<Record<string, Check>>;
}

/** Classes of emoji: their code points in hexadecimal. */
export const EMOJI_CLASS = /^emoji-[0-9a-f]{4,6}(?:-[0-9a-f]{4,6}){0,12}$/;
/** Styles of cells. */
export const ALIGNMENT = /^text-align: (?:left|center|right);$/;
/** Classes of each element that may have some. */
export const CLASSES: Readonly<Record<string, readonly string[]>> = {
  a: ['stream', 'stream-topic', 'message-link'],
  div: ['codehilite', 'spoiler-block', 'spoiler-header', 'spoiler-content'],
  img: ['emoji'],
  span: [
    ...['user-mention', 'channel-wildcard-mention', 'user-group-mention', 'topic-mention'],
    ...['silent', 'tex-error', 'emoji'],
  ],
};

const any: Check = () => true;
/** Classes with one space between them, as the sanitizer writes them. */
const classes =
  (names: readonly string[], ...more: readonly RegExp[]): Check =>
  (value) =>
    value
      .split(' ')
      .every((name) => names.includes(name) || more.some((pattern) => pattern.test(name)));
/** Without `&`, which could stand for what must not be here, and without white space, which browsers ignore. */
const isPicture: Check = (value) => /^(?:https?:\/\/|\/\w)[^\s\p{Cc}&<>]*$/u.test(value);
const isAlignment: Check = (value) => ALIGNMENT.test(value);
const isLink: Check = (value) => isSafeUrl(unescaped(value));

const FLOW = ['', 'blockquote', 'li', 'div'];
const ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  a: { class: classes(CLASSES['a']!), 'data-stream-id': any, href: isLink, title: any },
  div: { class: classes(CLASSES['div']!), 'data-code-language': any, 'aria-hidden': any },
  img: { alt: any, class: (value) => value === 'emoji', src: isPicture, title: any },
  ol: { start: any },
  span: {
    ...{ 'aria-label': any, role: any, title: any },
    class: classes(CLASSES['span']!, EMOJI_CLASS, FRAGMENT_CLASS),
    ...{ 'data-user-group-id': any, 'data-user-id': any },
  },
  td: { style: isAlignment },
  th: { style: isAlignment },
  time: { datetime: any },
};
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img']);

/** Elements by name. An element of blocks never stands in a paragraph, whose end it would be. */
const ELEMENTS: ReadonlyMap<string, Element> = new Map(
  [
    ...[
      'p',
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
      'blockquote',
      'ul',
      'ol',
      'table',
      'div',
      'hr',
    ].map((name) => [name, FLOW] as const),
    ...['strong', 'em', 'del', 'code', 'span', 'a', 'img', 'time', 'br'].map(
      (name) => [name, null] as const,
    ),
    ...([
      ['pre', ['div']],
      ['li', ['ul', 'ol']],
      ['thead', ['table']],
      ['tbody', ['table']],
      ['tr', ['thead', 'tbody']],
      ['th', ['tr']],
      ['td', ['tr']],
    ] as const),
  ].map(([name, parents]) => [
    name,
    {
      parents: parents === null ? null : new Set(parents),
      end: VOID.has(name) ? undefined : `</${name}>`,
      attributes: ATTRIBUTES[name] ?? {},
    },
  ]),
);
/** Start tags without attributes, as they are written; a picture needs some. */
const PLAIN_TAGS: ReadonlyMap<string, string> = new Map(
  [...ELEMENTS.keys()].filter((name) => name !== 'img').map((name) => [`<${name}>`, name]),
);

const ESCAPES = /&(?:amp|lt|gt|quot);/g;
const OTHER_ESCAPE = /&(?!(?:amp|lt|gt|quot);)/;
const TAG = /^<([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]+")+)>$/;
const ATTRIBUTE = / ([a-z-]+)="([^"]+)"/g;
const CHARACTERS: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' },
};

/** Whether the sanitizer would return `html` as it is, but for quotation marks in text. */
export function isClean(html: string): boolean {
  if (html.includes('&') && OTHER_ESCAPE.test(html)) return false;
  const open: string[] = [];
  // The names of what is open, beside their end tags.
  const names = [''];
  let done = 0;
  for (;;) {
    const start = html.indexOf('<', done);
    const end = html.indexOf('>', done);
    if (start < 0 || end < start) return start < 0 && end < 0 && open.length === 0;
    const tag = html.slice(start, end + 1);
    done = end + 1;
    if (tag.charCodeAt(1) === SLASH) {
      if (open.pop() !== tag) return false;
      names.pop();
      continue;
    }
    const name = PLAIN_TAGS.get(tag) ?? nameOfTag(tag);
    const element = name === undefined ? undefined : ELEMENTS.get(name);
    if (!element || element.parents?.has(names.at(-1)!) === false) return false;
    if (element.end === undefined) continue;
    open.push(element.end);
    names.push(name!);
  }
}

/** `html` with the quotation marks of its text as the sanitizer writes them: text needs no escape for them. */
export function withPlainQuotes(html: string): string {
  if (!html.includes('&quot;')) return html;
  return html.replace(/<[^>]*>|&quot;/g, (part) => (part === '&quot;' ? '"' : part));
}

const SLASH = 0x2f;

/** The element that a start tag with attributes begins; undefined unless all of these are as they should be. */
function nameOfTag(tag: string): string | undefined {
  const [, name = '', rest = ''] = TAG.exec(tag) ?? [];
  const element = ELEMENTS.get(name);
  if (!element) return undefined;
  const seen: string[] = [];
  for (const [, attribute = '', value = ''] of rest.matchAll(ATTRIBUTE)) {
    if (!Object.hasOwn(element.attributes, attribute) || seen.includes(attribute)) return undefined;
    if (!element.attributes[attribute]!(value)) return undefined;
    seen.push(attribute);
  }
  // A picture that is no emoji is none of ours.
  return name === 'img' && !seen.includes('class') ? undefined : name;
}

function unescaped(value: string): string {
  if (!value.includes('&')) return value;
  return value.replace(ESCAPES, (escape) => CHARACTERS[escape]!);
}
