import { marked } from './slack-incoming.js';
import { AnomalousPayload, type Payload } from './payload.js';
import { withoutMentions } from '../text/stored-text.js';
import { bold, code, counted, inline, link, quote, spaced } from './wording.js';

/*
 * Texts with places for what a service sent. `{a.b}` is the value at a path, `{a|b|'word'}` the first that is there,
 * `{$event}` the kind of event, `{#x-name}` a header. Filters stand behind colons: `{ref:branch:code}`, `{state:@words}`.
 * `[text](path)` is a link, to the value at a path or to an address with places. What `<<` and `>>` enclose is left out
 * where one of its values or addresses is missing; a value that is missing elsewhere makes the payload none of the service.
 */

/** What a template is filled with. */
export interface Scope {
  readonly event: string;
  readonly header: (name: string) => string;
  readonly payload: Payload;
}

/** Words in place of those of a service, by list and word. */
export type Words = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Text of a scope. @throws AnomalousPayload where a value is missing */
export type Template = (scope: Scope) => string;

/** Part of a template; undefined where a value is missing. */
type Part = (scope: Scope) => string | undefined;

/** Filters that change what is said. */
const CHANGES: Readonly<Record<string, (text: string) => string>> = {
  branch: (text) => text.replace(/^refs\/(?:heads|tags)\//, ''),
  html: plainOf,
  kind: (text) => text.split(':').at(-1)!,
  first: (text) => text.trim().split('\n', 1)[0]!,
  last: (text) => text.split('/').at(-1)!,
  lower: (text) => text.toLowerCase(),
  short: (text) => text.slice(0, 11),
  slack: marked,
  spaced,
  word: (text) => /\w+/.exec(text)?.[0] ?? '',
};

/** Filters that say how it is shown, of which the last of a place may be one. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  block: (text) => quote(text, 'text'),
  bold,
  code,
  markdown: withoutMentions,
  quote: (text) => quote(text),
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&gt;': '>',
  '&lt;': '<',
  '&nbsp;': ' ',
  '&quot;': '"',
};

/** The text of HTML, without its tags. */
function plainOf(html: string): string {
  const text = html.replace(/<(?:br|\/p|\/div|\/li)\b[^<>]*>/gi, '\n').replace(/<[^<>]*>/g, '');
  return text.replace(/&(?:amp|gt|lt|nbsp|quot);/g, (entity) => ENTITIES[entity]!).trim();
}

/** Compiles a text for a message. @throws Error for one that is malformed, when the server starts */
export function textTemplate(source: string, words: Words = {}): Template {
  return required(new Parser(source, words, true).whole());
}

/** Compiles a text without marks: a topic, a kind of event, an address. */
export function plainTemplate(source: string, words: Words = {}): Template {
  return required(new Parser(source, words, false).whole());
}

function required(part: Part): Template {
  return (scope) => {
    const text = part(scope);
    if (text === undefined) throw new AnomalousPayload();
    return text;
  };
}

function sequence(parts: readonly Part[]): Part {
  return (scope) => {
    let whole = '';
    for (const part of parts) {
      const text = part(scope);
      if (text === undefined) return undefined;
      whole += text;
    }
    return whole;
  };
}

class Parser {
  private at = 0;
  /** How many `<<` enclose the place. */
  private depth = 0;

  constructor(
    private readonly source: string,
    private readonly words: Words,
    private readonly marks: boolean,
  ) {}

  whole(): Part {
    const part = this.until('');
    if (this.at < this.source.length) throw this.malformed();
    return part;
  }

  /** The parts up to an end, which is skipped. */
  private until(end: string): Part {
    const parts: Part[] = [];
    while (end === '' ? this.at < this.source.length : !this.skip(end)) parts.push(this.part());
    return sequence(parts);
  }

  private part(): Part {
    if (this.skip('<<')) {
      this.depth++;
      const optional = this.until('>>');
      this.depth--;
      return (scope) => optional(scope) ?? '';
    }
    if (this.skip('{')) return place(this.upTo('}'), this.words, this.marks);
    if (this.marks && this.skip('[')) return this.linkPart();
    const [text] = /^(?:<(?!<)|>(?!>)|[^{[<>])+|^\[/.exec(this.source.slice(this.at)) ?? [];
    if (text === undefined) throw this.malformed();
    this.at += text.length;
    return () => text;
  }

  private linkPart(): Part {
    const text = new Parser(this.upTo(']('), this.words, false).whole();
    const target = this.upTo(')');
    const address = target.includes('{')
      ? new Parser(target, this.words, false).whole()
      : place(target, this.words, false);
    const needsAddress = this.depth > 0;
    return (scope) => {
      const said = text(scope);
      const url = address(scope);
      if (said === undefined || (url === undefined && needsAddress)) return undefined;
      return link(said, url ?? '');
    };
  }

  private upTo(end: string): string {
    const to = this.source.indexOf(end, this.at);
    if (to < 0) throw this.malformed();
    const inside = this.source.slice(this.at, to);
    this.at = to + end.length;
    return inside;
  }

  private skip(text: string): boolean {
    if (this.at >= this.source.length && text !== '') throw this.malformed();
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private malformed(): Error {
    return new Error(`A template is malformed at character ${this.at}: ${this.source}`);
  }
}

/** A value with its filters. @param marks whether it may be shown with marks */
function place(source: string, words: Words, marks: boolean): Part {
  const [paths = '', ...filters] = source.split(':');
  const form = FORMS[filters.at(-1) ?? ''];
  const noun = /^count (.+)$/.exec(filters[0] ?? '')?.[1];
  const value = noun === undefined ? firstOf(paths) : countOf(paths, noun);
  const changes = filters
    .slice(noun === undefined ? 0 : 1, form ? -1 : filters.length)
    .map((name) => changeOf(name, words, source));
  if (form && !marks) throw new Error(`A mark in a plain template: ${source}`);
  const shown = form ?? (marks ? inline : (text: string) => text);
  return (scope) => {
    const said = value(scope);
    return said === undefined ? undefined : shown(changes.reduce((text, one) => one(text), said));
  };
}

function changeOf(name: string, words: Words, source: string): (text: string) => string {
  if (name.startsWith('=')) return () => name.slice(1);
  if (name.startsWith('@')) {
    const list = words[name.slice(1)];
    if (!list) throw new Error(`A template names unknown words: ${source}`);
    return (text) => (Object.hasOwn(list, text) ? list[text]! : spaced(text));
  }
  const change = CHANGES[name];
  if (!change) throw new Error(`A template names an unknown filter: ${source}`);
  return change;
}

function countOf(path: string, noun: string): Part {
  const names = path.split('.');
  return ({ payload }) => {
    const value = payload.get(...names);
    return counted(value.list.length || value.number, noun);
  };
}

/** The first value that is there. */
function firstOf(paths: string): Part {
  const all = paths.split('|').map(valueAt);
  return (scope) => {
    for (const one of all) {
      const text = one(scope);
      if (text !== '') return text;
    }
    return undefined;
  };
}

function valueAt(path: string): Template {
  if (path === '$event') return ({ event }) => event;
  if (path.startsWith("'")) return () => path.slice(1, -1);
  if (path.startsWith('#')) return ({ header }) => header(path.slice(1));
  if (path === '.') return ({ payload }) => payload.word;
  const names = path.split('.');
  return ({ payload }) => payload.get(...names).word;
}
