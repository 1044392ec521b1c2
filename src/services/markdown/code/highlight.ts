import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import { readFileSync } from '../../../platform/files.js';
import { classOf, type CodeContext } from './pygments-classes.js';
import { shortWithinTime, type TimeBudget, withinTime } from '../time-limit.js';

/** A part of code, as the library tells them. */
interface Part {
  readonly type: string;
  readonly content: Content;
  readonly alias?: string | readonly string[];
}
type Content = string | Part | readonly (string | Part)[];

interface Library {
  readonly languages: Readonly<Record<string, unknown>>;
  tokenize(code: string, grammar: unknown): readonly (string | Part)[];
}

/**
 * Longest code that needs no bound of time, which costs thirty times what `print(1)` does. Of 600 texts for each of the
 * grammars, made to be expensive, the worst of 200 UTF-16 units took 2 ms; from 400 on some take 30.
 */
const SHORT_LENGTH = 160;

const NEWLINE = /(?<=\n)/;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};

/**
 * Code as HTML that existing style sheets colour: parts have the short class names that they know.
 * @param grammar of code-languages.ts
 * @param maxParts parts that are coloured; what follows them is plain
 * @returns undefined where the language cannot be told apart in time
 */
export function highlighted(
  code: string,
  grammar: string,
  maxParts: number,
  time: TimeBudget,
): string | undefined {
  const known = libraryWith(grammar);
  const bounded = code.length <= SHORT_LENGTH ? shortWithinTime : withinTime;
  const parts = bounded(() => known.tokenize(code, known.languages[grammar]), time);
  if (!parts) return undefined;
  const runs: Run[] = [];
  flatten(parts, { grammar, types: [], runs, previous: '' });
  let left = maxParts;
  let html = '';
  for (const { text, name } of runs) {
    const lines = name === '' || left <= 0 ? [text] : text.split(NEWLINE);
    for (const line of lines) html += left <= 0 ? escaped(line) : span(line, name);
    if (name !== '') left -= lines.length;
  }
  return html;
}

/** Text of code as HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** Some text of one class; the empty class for none. */
interface Run {
  text: string;
  readonly name: string;
}

interface Walk extends CodeContext {
  readonly runs: Run[];
}

function flatten(content: Content, walk: Walk): void {
  if (typeof content === 'string') {
    for (const [text, name] of classOf(content, walk)) add(walk, text, name);
  } else if (Array.isArray(content)) {
    for (const part of content as readonly (string | Part)[]) flatten(part, walk);
  } else {
    const { type, alias = [], content: inner } = content as Part;
    // Another name of a part says more than its first.
    const names = (typeof alias === 'string' ? [alias] : alias).filter(
      (one) => one !== 'punctuation',
    );
    const types = [...walk.types, type, ...names];
    const nested = { ...walk, types };
    flatten(inner, nested);
    walk.previous = nested.previous;
  }
}

function add(walk: Walk, text: string, name: string): void {
  if (text.trim() !== '') walk.previous = text;
  const last = walk.runs.at(-1);
  if (last && last.name === name) last.text += text;
  else walk.runs.push({ text, name });
}

/** The end of a line stays outside. */
function span(line: string, name: string): string {
  if (name === '') return escaped(line);
  const text = line.endsWith('\n') ? line.slice(0, -1) : line;
  const end = line.slice(text.length);
  return text === '' ? end : `<span class="${name}">${escaped(text)}</span>${end}`;
}

interface Description {
  readonly require?: string | readonly string[];
}

const require = createRequire(import.meta.url);
let library: Library | undefined;
let descriptions: Readonly<Record<string, Description>> | undefined;
/** The library lives in a context of its own, since it and its languages know each other by a global name. */
let context: { Prism?: Library } | undefined;

/** The library with a language, each read when it is first asked for: a millisecond or two. */
function libraryWith(grammar: string): Library {
  if (!library || !context) {
    context = createContext({});
    read('core');
    library = context.Prism!;
    const { languages } = require('prismjs/components.json') as {
      languages: Record<string, Description>;
    };
    descriptions = languages;
  }
  learn(grammar);
  return library;
}

function learn(grammar: string): void {
  if (library!.languages[grammar] !== undefined) return;
  const { require: needed = [] } = descriptions![grammar] ?? {};
  for (const one of typeof needed === 'string' ? [needed] : needed) learn(one);
  read(grammar);
}

function read(name: string): void {
  const path = require.resolve(`prismjs/components/prism-${name}.min.js`);
  new Script(readFileSync(path, 'utf8'), { filename: path }).runInContext(context!);
}
