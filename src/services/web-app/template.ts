import {
  isTrue,
  Markup,
  parseExpression,
  TemplateFunction,
  textOf,
  UnknownConstruct,
  type Expression,
  type Scope,
} from './expression.js';

/** Reads the text of a template. @throws Error where there is none of that name */
export type TemplateSource = (name: string) => string;

/** A part of a template: writes itself. */
type Node = (scope: Scope, out: Output) => void;

/** What one rendering has beside its values. */
interface Output {
  readonly parts: string[];
  /** Blocks of the templates that extend another, by name; the outermost first. */
  readonly blocks: ReadonlyMap<string, Node>;
  readonly texts: Texts;
  /** Only the values count that the template sets. */
  readonly isHead?: boolean;
}

/** A template that was read: its parts, and what it extends. */
interface Template {
  readonly nodes: readonly Node[];
  readonly blocks: ReadonlyMap<string, Node>;
  readonly parent: Template | null;
}

/** Texts in another language, by those in English. */
export interface Texts {
  get(text: string): string | undefined;
}

/** Renders a page. @param values what its template may see @param texts those of the reader's language */
export type Page = (values: Readonly<Record<string, unknown>>, texts: Texts) => string;

/** Templates within templates are no deeper. */
const MAX_DEPTH = 10;

/**
 * Reads a template with all that it extends and includes: `extends`, `block`, `if`, `for`, `set`, `include`, `trans`, and
 * expressions. Nothing is looked up when the page is rendered, so what is wrong with it is found here.
 * @throws Error with file and line for a construct that is not known
 */
export function readPage(name: string, source: TemplateSource): Page {
  const template = read(name, source, 0);
  return (values, texts) => {
    const translated = new TemplateFunction(([text]) => texts.get(textOf(text)) ?? text);
    const scope: Scope = new Map<string, unknown>(Object.entries({ ...values, _: translated }));
    const blocks = new Map<string, Node>();
    let root = template;
    // The values that a template sets count in the one that it extends.
    for (; root.parent; root = root.parent) {
      for (const node of root.nodes) node(scope, HEAD);
      for (const [block, node] of root.blocks) if (!blocks.has(block)) blocks.set(block, node);
    }
    const parts: string[] = [];
    for (const node of root.nodes) node(scope, { parts, blocks, texts });
    return parts.join('');
  };
}

const HEAD: Output = { parts: [], blocks: new Map(), texts: new Map(), isHead: true };

function read(name: string, source: TemplateSource, depth: number): Template {
  if (depth > MAX_DEPTH) throw new Error(`${name} is included too deeply`);
  const reader = new Reader(name, piecesOf(name, source(name)), source, depth);
  const nodes = reader.until([]);
  return { nodes, blocks: reader.blocks, parent: reader.parent };
}

/** A tag, a value or a text, with the line where it stands. */
interface Piece {
  readonly kind: 'text' | 'tag' | 'value';
  readonly text: string;
  readonly line: number;
}

const MARKS = /\{%-?\s*(.*?)\s*(-?)%\}|\{\{-?\s*(.*?)\s*(-?)\}\}|\{#.*?(-?)#\}/gs;

function piecesOf(name: string, whole: string): Piece[] {
  const pieces: Piece[] = [];
  let [end, line, trims] = [0, 1, false];
  const addText = (to: number, trimsEnd: boolean): void => {
    let text = whole.slice(end, to);
    const at = line;
    line += text.split('\n').length - 1;
    if (/\{[%{#]/.test(text)) throw new Error(`${name}:${line}: a tag does not end`);
    if (trims) text = text.trimStart();
    if (trimsEnd) text = text.trimEnd();
    if (text !== '') pieces.push({ kind: 'text', text, line: at });
  };
  for (const found of whole.matchAll(MARKS)) {
    const [mark, tag, tagEnd, value, valueEnd, commentEnd] = found;
    addText(found.index, /^\{[%{#]-/.test(mark));
    if (tag !== undefined) pieces.push({ kind: 'tag', text: tag, line });
    else if (value !== undefined) pieces.push({ kind: 'value', text: value, line });
    line += mark.split('\n').length - 1;
    end = found.index + mark.length;
    trims = (tagEnd ?? valueEnd ?? commentEnd) === '-';
  }
  addText(whole.length, false);
  return pieces;
}

class Reader {
  readonly blocks = new Map<string, Node>();
  parent: Template | null = null;
  private at = 0;

  constructor(
    private readonly name: string,
    private readonly pieces: readonly Piece[],
    private readonly source: TemplateSource,
    private readonly depth: number,
  ) {}

  /** Reads up to one of these tags, which is then the present one. @param ends none: to the end of the template */
  until(ends: readonly string[]): Node[] {
    const nodes: Node[] = [];
    for (; this.at < this.pieces.length; this.at++) {
      const piece = this.pieces[this.at]!;
      if (piece.kind === 'text') {
        const { text } = piece;
        nodes.push((_scope, { parts, isHead }) => isHead || parts.push(text));
      } else if (piece.kind === 'value') {
        const value = this.expression(piece, piece.text);
        nodes.push((scope, { parts, isHead }) => isHead || parts.push(escaped(value(scope))));
      } else {
        const word = /^\w+/.exec(piece.text)?.[0] ?? '';
        if (ends.includes(word)) return nodes;
        nodes.push(this.tag(piece, word, piece.text.slice(word.length).trim()));
      }
    }
    if (ends.length > 0) throw new Error(`${this.name}: ${ends.at(-1)} is missing`);
    return nodes;
  }

  private tag(piece: Piece, word: string, rest: string): Node {
    switch (word) {
      case 'extends':
        this.parent = read(this.path(piece, rest), this.source, this.depth + 1);
        return () => undefined;
      case 'include': {
        const { nodes } = read(this.path(piece, rest), this.source, this.depth + 1);
        return all(nodes);
      }
      case 'block':
        return this.block(rest);
      case 'if':
        return this.condition(piece, rest);
      case 'for':
        return this.loop(piece, rest);
      case 'set':
        return this.setting(piece, rest);
      case 'trans':
        return this.text(piece, rest);
      default:
        return this.fail(piece, `the tag ${word}`);
    }
  }

  private block(name: string): Node {
    this.at += 1;
    const own = all(this.until(['endblock']));
    this.blocks.set(name, own);
    return (scope, out) => {
      if (out.isHead !== true) (out.blocks.get(name) ?? own)(scope, out);
    };
  }

  private condition(piece: Piece, text: string): Node {
    const cases: [Expression, Node][] = [];
    let [condition, other]: [Expression, Node] = [this.expression(piece, text), all([])];
    for (;;) {
      this.at += 1;
      const nodes = all(this.until(['elif', 'else', 'endif']));
      cases.push([condition, nodes]);
      const end = this.pieces[this.at]!;
      if (end.text.startsWith('elif')) {
        condition = this.expression(end, end.text.slice('elif'.length));
        continue;
      }
      if (end.text === 'else') {
        this.at += 1;
        other = all(this.until(['endif']));
      }
      return (scope, out) => {
        const found = cases.find(([holds]) => isTrue(holds(scope)));
        (found?.[1] ?? other)(scope, out);
      };
    }
  }

  private loop(piece: Piece, text: string): Node {
    const [, name, list] = /^(\w+)\s+in\s+(.+)$/s.exec(text) ?? [];
    if (name === undefined) return this.fail(piece, `for ${text}`);
    const items = this.expression(piece, list!);
    this.at += 1;
    const body = all(this.until(['endfor']));
    return (scope, out) => {
      const found = items(scope);
      for (const item of Array.isArray(found) ? (found as unknown[]) : []) {
        body(new Map(scope).set(name, item), out);
      }
    };
  }

  private setting(piece: Piece, text: string): Node {
    const [, name, value] = /^(\w+)\s*=(?!=)\s*(.+)$/s.exec(text) ?? [];
    if (name === undefined) return this.fail(piece, `set ${text}`);
    const computed = this.expression(piece, value!);
    return (scope) => void scope.set(name, computed(scope));
  }

  /** A text for translators, which names the values in it as `%(name)s`. */
  private text(piece: Piece, rest: string): Node {
    if (rest !== '' && rest !== 'trimmed') return this.fail(piece, `trans ${rest}`);
    const values = new Map<string, Expression>();
    let text = '';
    for (this.at += 1; ; this.at++) {
      const part = this.pieces[this.at];
      if (part?.kind === 'tag' && part.text === 'endtrans') break;
      if (!part) throw new Error(`${this.name}: endtrans is missing`);
      if (part.kind === 'tag') return this.fail(part, `the tag ${part.text} in trans`);
      if (part.kind === 'value') values.set(part.text, this.expression(part, part.text));
      text += part.kind === 'value' ? `%(${part.text})s` : part.text.replaceAll('%', '%%');
    }
    if (rest === 'trimmed') text = text.trim().replace(/\s*\n\s*/g, ' ');
    return (scope, { parts, texts, isHead }) => {
      if (isHead === true) return;
      const written = (texts.get(text) ?? text).replace(
        /%(?:\((.*?)\)s|%)/g,
        (mark, name?: string) => {
          const value = name === undefined ? undefined : values.get(name);
          return value ? escaped(value(scope)) : mark === '%%' ? '%' : mark;
        },
      );
      parts.push(written);
    };
  }

  private path(piece: Piece, text: string): string {
    const [, single, double] = /^(?:'([^']+)'|"([^"]+)")$/.exec(text) ?? [];
    return single ?? double ?? this.fail(piece, text);
  }

  private expression(piece: Piece, text: string): Expression {
    try {
      return parseExpression(text);
    } catch (error) {
      if (!(error instanceof UnknownConstruct)) throw error;
      return this.fail(piece, error.message);
    }
  }

  private fail(piece: Piece, what: string): never {
    throw new Error(`${this.name}:${piece.line}: ${what} is not known`);
  }
}

function all(nodes: readonly Node[]): Node {
  return (scope, out) => {
    for (const node of nodes) node(scope, out);
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' },
};

function escaped(value: unknown): string {
  const text = textOf(value);
  return value instanceof Markup ? text : text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}
