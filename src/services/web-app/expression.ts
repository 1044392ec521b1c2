/*
 * Expressions of the template language, as far as pages of the web app use them: a value is looked up, compared,
 * called and filtered. What else there may be is refused by file and line when the templates are read.
 */

/** What a template may see. */
export type Scope = Map<string, unknown>;

/** Computes a value. */
export type Expression = (scope: Scope) => unknown;

/** Text that is HTML already. */
export class Markup {
  constructor(readonly text: string) {}
}

/** JSON text that was made elsewhere. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Something in a template that is not known here. */
export class UnknownConstruct extends Error {}

type Callable = (args: readonly unknown[], named: Readonly<Record<string, unknown>>) => unknown;

/** A function that a template may call. */
export class TemplateFunction {
  constructor(readonly call: Callable) {}
}

const TOKEN =
  /\s*(?:([A-Za-z_]\w*)|(\d+(?:\.\d+)?)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(==|!=|[|.,()[\]{}:=~]))/y;

interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'sign';
  readonly value: string;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new UnknownConstruct(`"${text.slice(at, at + 20).trim()}"`);
    const [, name, number, single, double, sign] = found;
    if (name !== undefined) tokens.push({ kind: 'name', value: name });
    else if (number !== undefined) tokens.push({ kind: 'number', value: number });
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign });
    else tokens.push({ kind: 'text', value: (single ?? double)!.replace(/\\(.)/gs, '$1') });
  }
  return tokens;
}

const CONSTANTS: Readonly<Record<string, unknown>> = {
  ...{ true: true, True: true, false: false, False: false, none: null, None: null },
};

const FILTERS: Readonly<Record<string, (value: unknown, args: readonly unknown[]) => unknown>> = {
  default: (value, [other = '']) => (value === undefined ? other : value),
  tojson: (value) => new Markup(escapedJson(jsonOf(value))),
  safe: (value) => new Markup(textOf(value)),
  length: (value) => (Array.isArray(value) || typeof value === 'string' ? value.length : 0),
};

const TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  defined: (value) => value !== undefined,
  none: (value) => value === null,
};

const METHODS: Readonly<Record<string, (value: unknown) => Callable>> = {
  endswith: (value) => (args) => textOf(value).endsWith(textOf(args[0])),
  startswith: (value) => (args) => textOf(value).startsWith(textOf(args[0])),
  format: (value) => (_args, named) =>
    textOf(value).replace(/\{(\w+)\}/g, (_, name: string) => textOf(named[name])),
  copy: (value) => () => ({ ...(value as object) }),
  update: (value) => (args) => {
    Object.assign(value as object, args[0]);
    return null;
  },
};

/** Reads an expression. @throws UnknownConstruct */
export function parseExpression(text: string): Expression {
  const parser = new Parser(tokensOf(text));
  const found = parser.expression();
  parser.end();
  return found;
}

class Parser {
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  expression(): Expression {
    const value = this.or();
    if (!this.takes('name', 'if')) return value;
    const condition = this.or();
    const other = this.takes('name', 'else') ? this.expression() : () => undefined;
    return (scope) => (isTrue(condition(scope)) ? value(scope) : other(scope));
  }

  end(): void {
    const left = this.tokens[this.at];
    if (left) throw new UnknownConstruct(`"${left.value}"`);
  }

  private or(): Expression {
    let left = this.and();
    while (this.takes('name', 'or')) {
      const [first, second] = [left, this.and()];
      left = (scope) => {
        const value = first(scope);
        return isTrue(value) ? value : second(scope);
      };
    }
    return left;
  }

  private and(): Expression {
    let left = this.not();
    while (this.takes('name', 'and')) {
      const [first, second] = [left, this.not()];
      left = (scope) => {
        const value = first(scope);
        return isTrue(value) ? second(scope) : value;
      };
    }
    return left;
  }

  private not(): Expression {
    if (this.takes('name', 'not')) {
      const value = this.not();
      return (scope) => !isTrue(value(scope));
    }
    const left = this.joined();
    if (this.takes('name', 'is')) return this.test(left);
    for (const sign of ['==', '!='] as const) {
      if (!this.takes('sign', sign)) continue;
      const right = this.joined();
      return (scope) => (left(scope) === right(scope)) === (sign === '==');
    }
    return left;
  }

  /** What may stand after `is`. */
  private test(value: Expression): Expression {
    const isNegated = this.takes('name', 'not');
    const name = this.need('name');
    const test = TESTS[name];
    if (!test) throw new UnknownConstruct(`the test ${name}`);
    return (scope) => test(value(scope)) !== isNegated;
  }

  private joined(): Expression {
    let left = this.filtered();
    while (this.takes('sign', '~')) {
      const [first, second] = [left, this.filtered()];
      left = (scope) => textOf(first(scope)) + textOf(second(scope));
    }
    return left;
  }

  private filtered(): Expression {
    let value = this.postfix();
    while (this.takes('sign', '|')) {
      const name = this.need('name');
      const filter = FILTERS[name];
      if (!filter) throw new UnknownConstruct(`the filter ${name}`);
      const { args } = this.takes('sign', '(') ? this.arguments() : NO_ARGUMENTS;
      const inner = value;
      value = (scope) =>
        filter(
          inner(scope),
          args.map((one) => one(scope)),
        );
    }
    return value;
  }

  private postfix(): Expression {
    let value = this.primary();
    for (;;) {
      const inner = value;
      if (this.takes('sign', '.')) {
        const name = this.need('name');
        if (this.takes('sign', '(')) value = this.method(inner, name);
        else value = (scope) => fieldOf(inner(scope), name);
      } else if (this.takes('sign', '[')) {
        const key = this.expression();
        this.need('sign', ']');
        value = (scope) => fieldOf(inner(scope), textOf(key(scope)));
      } else return value;
    }
  }

  private method(value: Expression, name: string): Expression {
    const method = METHODS[name];
    if (!method) throw new UnknownConstruct(`the method ${name}`);
    const { args, named } = this.arguments();
    return (scope) =>
      method(value(scope))(
        args.map((one) => one(scope)),
        valuesOf(named, scope),
      );
  }

  private primary(): Expression {
    const token = this.tokens[this.at++];
    if (!token) throw new UnknownConstruct('an end');
    const { kind, value } = token;
    if (kind === 'text') return () => value;
    if (kind === 'number') return () => Number(value);
    if (kind === 'name') return this.named(value);
    if (value === '(') {
      const inner = this.expression();
      this.need('sign', ')');
      return inner;
    }
    if (value === '{') return this.map();
    if (value === '[') return this.list();
    throw new UnknownConstruct(`"${value}"`);
  }

  private named(name: string): Expression {
    if (Object.hasOwn(CONSTANTS, name)) return () => CONSTANTS[name];
    if (!this.takes('sign', '(')) return (scope) => scope.get(name);
    if (!FUNCTIONS.has(name)) throw new UnknownConstruct(`the function ${name}`);
    const { args, named } = this.arguments();
    return (scope) => {
      const called = scope.get(name);
      if (!(called instanceof TemplateFunction)) throw new Error(`${name} is no function`);
      return called.call(
        args.map((one) => one(scope)),
        valuesOf(named, scope),
      );
    };
  }

  private map(): Expression {
    const entries: [Expression, Expression][] = [];
    while (!this.takes('sign', '}')) {
      const key = this.expression();
      this.need('sign', ':');
      entries.push([key, this.expression()]);
      this.takes('sign', ',');
    }
    return (scope) =>
      Object.fromEntries(entries.map(([key, value]) => [textOf(key(scope)), value(scope)]));
  }

  private list(): Expression {
    const items: Expression[] = [];
    while (!this.takes('sign', ']')) {
      items.push(this.expression());
      this.takes('sign', ',');
    }
    return (scope) => items.map((one) => one(scope));
  }

  private arguments(): Arguments {
    const args: Expression[] = [];
    const named: Record<string, Expression> = {};
    while (!this.takes('sign', ')')) {
      const next = this.tokens[this.at + 1];
      if (this.tokens[this.at]?.kind === 'name' && next?.kind === 'sign' && next.value === '=') {
        const name = this.need('name');
        this.need('sign', '=');
        named[name] = this.expression();
      } else args.push(this.expression());
      this.takes('sign', ',');
    }
    return { args, named };
  }

  private takes(kind: Token['kind'], value: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== kind || token.value !== value) return false;
    this.at += 1;
    return true;
  }

  private need(kind: Token['kind'], value?: string): string {
    const token = this.tokens[this.at++];
    if (token?.kind === kind && (value === undefined || token.value === value)) return token.value;
    throw new UnknownConstruct(`"${token?.value ?? 'an end'}"`);
  }
}

interface Arguments {
  readonly args: readonly Expression[];
  readonly named: Readonly<Record<string, Expression>>;
}

const NO_ARGUMENTS: Arguments = { args: [], named: {} };

/** What templates may call: a text in the reader's language, the address of a file, the files of a page. */
export const FUNCTIONS: ReadonlySet<string> = new Set(['_', 'static', 'webpack_entry']);

function valuesOf(named: Arguments['named'], scope: Scope): Record<string, unknown> {
  return Object.fromEntries(Object.entries(named).map(([name, one]) => [name, one(scope)]));
}

/** A field of an object; undefined, as for what is not defined at all, where it has none of its own. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** Whether a condition holds: empty texts, lists and objects are false. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Markup) return value.text !== '';
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** What is written of a value, before it is escaped. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (value instanceof Markup || value instanceof JsonText) return value.text;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const IN_HTML: Readonly<Record<string, string>> = {
  ...{ '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', "'": '\\u0027' },
  ...{ '\u2028': '\\u2028', '\u2029': '\\u2029' },
};

/** JSON text that is safe in a script, and in an attribute between single quotes. */
export function escapedJson(json: string): string {
  return json.replace(/[<>&'\u2028\u2029]/g, (sign) => IN_HTML[sign]!);
}

function jsonOf(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(jsonOf).join()}]`;
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${jsonOf(one)}`).join()}}`;
}
