import { LinkifierFault, type LinkifierField } from './fault.js';

/** A URL template (RFC 6570) that was checked. */
export interface UrlTemplate {
  /** Names of its variables, each once. */
  readonly variables: readonly string[];
  /** The address for these well-formed values; a missing one is left out as the RFC says. Throws for none. */
  expand(values: ReadonlyMap<string, string>): string;
}

const NAME = String.raw`(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*`;
/** `name`, `name:3` or `name*`. */
const VARIABLE = String.raw`${NAME}(?::[1-9][0-9]{0,3}|\*)?`;
const EXPRESSION = new RegExp(String.raw`^([+#./;?&]?)(${VARIABLE}(?:,${VARIABLE})*)$`);
/** Variables that a template names in all: each may hold what was matched, three bytes a character. */
const MAX_INSERTIONS = 50;
/** RFC 6570 section 2.1, and `'`, which people write in addresses nevertheless. */
const FORBIDDEN_LITERAL = /[\s"<>\\^`{|}\p{Cc}\p{Surrogate}]/u;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** Where links may lead; a scheme may also come from the text that is linked. */
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto']);

/** How the variables of an expression are written (RFC 6570 appendix A). */
interface Operator {
  readonly first: string;
  readonly between: string;
  /** Where variables are written `name=value`: what follows the name if the value is empty. */
  readonly named?: string;
  /** Whether reserved characters and escapes of a value stay as they are. */
  readonly reserved?: true;
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['', { first: '', between: ',' }],
  ['+', { first: '', between: ',', reserved: true }],
  ['#', { first: '#', between: ',', reserved: true }],
  ['.', { first: '.', between: '.' }],
  ['/', { first: '/', between: '/' }],
  [';', { first: ';', between: ';', named: '' }],
  ['?', { first: '?', between: '&', named: '=' }],
  ['&', { first: '&', between: '&', named: '=' }],
]);

/** A variable of an expression, and how many characters (code points) of its value are taken. */
interface Insertion {
  readonly name: string;
  readonly length: number;
}

interface Expression {
  readonly operator: Operator;
  readonly insertions: readonly Insertion[];
}

/**
 * Reads a template as strictly as the RFC.
 * @throws LinkifierFault
 */
export function readUrlTemplate(text: string, field: LinkifierField): UrlTemplate {
  const invalid = () => new LinkifierFault(field, 'Invalid URL template.');
  // Literal text and expressions take turns; the first is literal.
  const parts = text.split(/\{([^{}]*)\}/);
  const literals = parts.filter((_, index) => index % 2 === 0);
  const expressions = parts
    .filter((_, index) => index % 2 === 1)
    .map((part) => {
      const expression = readExpression(part);
      if (!expression) throw invalid();
      return expression;
    });
  const insertions = expressions.flatMap((expression) => expression.insertions);
  const literal = literals.join('');
  if (insertions.length > MAX_INSERTIONS) throw invalid();
  if (text === '' || FORBIDDEN_LITERAL.test(literal) || BAD_ESCAPE.test(literal)) throw invalid();
  const scheme = SCHEME.exec(text)?.[1];
  if (scheme !== undefined && !SAFE_SCHEMES.has(scheme.toLowerCase())) throw invalid();
  const written = literals.map(withReserved);
  return {
    variables: [...new Set(insertions.map(({ name }) => name))],
    expand: (values) =>
      written.map((one, index) => one + expanded(expressions[index], values)).join(''),
  };
}

function readExpression(text: string): Expression | undefined {
  const [, sign, list] = EXPRESSION.exec(text) ?? [];
  if (sign === undefined || list === undefined) return undefined;
  const insertions = list.split(',').map((variable) => {
    const [name, length = Infinity] = variable.replace('*', '').split(':');
    return { name: name!, length: Number(length) };
  });
  return { operator: OPERATORS.get(sign)!, insertions };
}

/** What stands in place of an expression; nothing for none. */
function expanded(expression: Expression | undefined, values: ReadonlyMap<string, string>): string {
  if (!expression) return '';
  const { operator, insertions } = expression;
  const encode = operator.reserved ? withReserved : withoutReserved;
  const shown = insertions.flatMap(({ name, length }) => {
    const value = values.get(name);
    if (value === undefined) return [];
    const text = encode(length < value.length ? firstCharacters(value, length) : value);
    if (operator.named === undefined) return [text];
    return [`${name}${text === '' ? operator.named : `=${text}`}`];
  });
  return shown.length === 0 ? '' : operator.first + shown.join(operator.between);
}

/** RFC 6570 section 2.4.1 counts characters; half a surrogate pair is none, and cannot be encoded. */
function firstCharacters(text: string, count: number): string {
  return Array.from(text).slice(0, count).join('');
}

/** Encodes all but unreserved characters (RFC 3986 section 2.3). */
function withoutReserved(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encodes all but unreserved and reserved characters and what is encoded already. */
function withReserved(text: string): string {
  return text
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURI(part).replace(/%5B|%5D/g, decodeURI)))
    .join('');
}
