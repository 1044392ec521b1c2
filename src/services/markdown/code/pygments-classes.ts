/**
 * The short class names that style sheets for code know, by what a part of code is. They are the names of the
 * Pygments project (https://pygments.org/docs/tokens/), which existing clients colour.
 */

/** Where a part of code stands. */
export interface CodeContext {
  readonly grammar: string;
  /** What the part is, the outermost first. */
  readonly types: readonly string[];
  /** The text before it that is not white space. */
  previous: string;
}

/** Texts whose words have no meaning of their own. */
const PROSE = new Set(
  'markup markdown diff latex ini yaml properties toml http rest gettext css scss sass less makefile docker'.split(
    ' ',
  ),
);
const ECMA = new Set('javascript typescript jsx tsx coffeescript livescript json json5'.split(' '));
/** Languages whose strings have one class whatever their quotation marks. */
const PLAIN_STRINGS = new Set(
  'c cpp java go rust csharp scala kotlin swift haskell d objectivec arduino glsl ocaml erlang clojure lisp'.split(
    ' ',
  ),
);
/** Where a full stop is an operator. */
const DOT_OPERATOR = new Set(['python', 'ruby', 'ocaml', 'lua', 'julia']);
const HASH_COMMENT = /^#!/;

const CONSTANTS = /^(?:true|false|null|none|nil|undefined|nan|nullptr|infinity)$/i;
const IMPORTS: Readonly<Record<string, RegExp>> = {
  python: /^(?:import|from)$/,
  java: /^(?:import|package)$/,
  go: /^(?:import|package)$/,
  php: /^(?:namespace|use)$/,
};
const DECLARATIONS: Readonly<Record<string, RegExp>> = {
  javascript: /^(?:var|let|const|function|class)$/,
  typescript: /^(?:var|let|const|function|class|interface|enum|type)$/,
  java: /^(?:public|private|protected|static|final|class|interface|extends|implements|abstract)$/,
  go: /^(?:var|func|struct|map|chan|type|interface|const)$/,
  rust: /^let$/,
};
const TYPES =
  /^(?:int|char|void|float|double|long|short|unsigned|signed|bool|boolean|byte|string|u?int(?:8|16|32|64)(?:_t)?|size_t|[ui](?:8|16|32|64|size)|f32|f64|str|rune|error|uintptr)$/;
const WORD_OPERATORS = /^(?:and|or|not|in|is)$/;

/** By what the library calls a part; the innermost that is here decides. */
const CLASSES: Readonly<Record<string, string>> = {
  ...{ prolog: 'cp', doctype: 'cp', cdata: 'cp', shebang: 'ch', hashbang: 'ch', macro: 'cp' },
  ...{ function: 'nf', 'function-definition': 'nf', 'class-name': 'nc', namespace: 'nn' },
  ...{ builtin: 'nb', symbol: 'ss', regex: 'sr', 'regex-source': 'sr', 'regex-flags': 'sr' },
  ...{ tag: 'nt', selector: 'nt', 'attr-name': 'na', 'attr-value': 's', entity: 'ni' },
  ...{ decorator: 'nd', annotation: 'nd', attribute: 'nd', constant: 'no', variable: 'nv' },
  ...{ boolean: 'kc', important: 'k', atrule: 'k', property: 'k', environment: 'nv' },
  ...{ inserted: 'gi', 'inserted-sign': 'gi', deleted: 'gd', 'deleted-sign': 'gd', coord: 'gu' },
  ...{ title: 'gh', bold: 'gs', italic: 'ge', 'code-snippet': 'sb', section: 'k', label: 'nl' },
  ...{ target: 'nf', 'string-escape': 'se', escape: 'se', equation: 's', 'named-parameter': 'n' },
  ...{ interpolation: 'si', 'string-interpolation': 's2', 'template-string': 'sb', char: 's' },
  ...{ 'interpolation-punctuation': 'si', 'template-punctuation': 'sb', operator: 'o' },
  ...{ 'attr-equals': 'o' },
  ...{ 'triple-quoted-string': 's2', 'assign-left': 'nv', parameter: 'n', table: 'k' },
};

/** What the parts of a text are called in languages where the names mean something else. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  latex: { function: 'k', punctuation: 'nb', keyword: 'k', selector: 'k' },
  json: { property: 'nt' },
  yaml: {
    key: 'nt',
    'key-punctuation': 'p',
    atrule: 'nt',
    datetime: 'l',
    number: 'l',
    string: 's',
  },
  ini: { key: 'na', 'attr-name': 'na', 'section-name': 'k', selector: 'k', value: 's' },
  toml: { key: 'n', property: 'n', table: 'k' },
  css: { function: 'nb', property: 'k', selector: 'nt' },
  javascript: { function: 'nx', 'function-variable': 'nx', 'class-name': 'nx', parameter: 'nx' },
  typescript: { function: 'nx', 'function-variable': 'nx', 'class-name': 'nx', builtin: 'kt' },
  go: { function: 'nx', builtin: 'nb' },
  java: { function: 'na', 'class-name': 'n', namespace: 'nn' },
  c: { 'directive-hash': 'cp', directive: 'cp', string: 's' },
  cpp: { 'directive-hash': 'cp', directive: 'cp' },
  sql: { identifier: 'n' },
  bash: { 'class-name': 'nb', function: '' },
  rust: { attribute: 'cp', macro: 'fm' },
};

const PIECE = /[\p{L}_$][\p{L}\p{N}_$]*|\s+|[^\p{L}_$\s]+/gu;

/** The classes of a text that stands in one part, piece by piece; the empty class for none. */
export function* classOf(text: string, context: CodeContext): Iterable<[string, string]> {
  const { types, grammar } = context;
  if (types.length === 0 || types.at(-1) === 'interpolation') {
    if (PROSE.has(grammar)) yield [text, ''];
    else yield* bareClasses(text, context);
    return;
  }
  const lead = /^\s+/.exec(text)?.[0] ?? '';
  const rest = text.slice(lead.length);
  if (lead !== '') yield [lead, ''];
  if (rest !== '') yield [rest, classOfPart(rest, context)];
}

/** Names between the parts that the library knows. */
function* bareClasses(text: string, { grammar }: CodeContext): Iterable<[string, string]> {
  for (const [piece] of text.matchAll(PIECE)) {
    if (/^\s/.test(piece)) yield [piece, ''];
    else if (!/^[\p{L}_$]/u.test(piece)) yield [piece, signClass(piece)];
    else yield [piece, nameClass(piece, grammar)];
  }
}

/** Signs that no language has as brackets or separators. */
function signClass(text: string): string {
  return /^[-+*/%=<>!&|^~?]+$/.test(text) ? 'o' : 'p';
}

function nameClass(name: string, grammar: string): string {
  if (grammar === 'bash' || grammar === 'shell-session') return '';
  if (grammar !== 'python') return ECMA.has(grammar) || grammar === 'go' ? 'nx' : 'n';
  if (name === 'self' || name === 'cls') return 'bp';
  if (/^__\w+__$/.test(name)) return 'vm';
  return /^[A-Z]\w*(?:Error|Exception|Warning)$/.test(name) ? 'ne' : 'n';
}

function classOfPart(text: string, context: CodeContext): string {
  const { types, grammar } = context;
  const whole = ofWhole(context);
  if (whole !== undefined) return whole;
  const own = OWN[grammar];
  for (let at = types.length - 1; at >= 0; at -= 1) {
    const type = types[at]!;
    if (own && Object.hasOwn(own, type)) return own[type]!;
    const found =
      byText(type, text, context) ?? (Object.hasOwn(CLASSES, type) ? CLASSES[type] : undefined);
    if (found !== undefined) return found;
  }
  return PROSE.has(grammar) ? '' : 'n';
}

/** Parts that have one class whatever stands in them. */
function ofWhole({ types, previous, grammar }: CodeContext): string | undefined {
  if (types.includes('shebang')) return 'ch';
  if (types.includes('macro') && (grammar === 'c' || grammar === 'cpp')) {
    return types.includes('string') ? 'cpf' : types.includes('comment') ? undefined : 'cp';
  }
  if (types.includes('triple-quoted-string') && /(?:^|:)$/.test(previous)) return 'sd';
  return grammar === 'bash' && types.includes('parameter') ? '' : undefined;
}

/** The classes of parts that depend on what they say. */
function byText(type: string, text: string, context: CodeContext): string | undefined {
  const { grammar, previous, types } = context;
  if (type === 'comment') return commentClass(text, previous);
  if (type === 'number') return numberClass(text);
  if (type === 'string') {
    return types.includes('template-string') ? 'sb' : stringClass(text, grammar);
  }
  if (type === 'builtin' && TYPES.test(text)) return 'kt';
  if (type === 'variable' && text.startsWith('@')) return 'vi';
  if (type === 'keyword') return keywordClass(text, grammar);
  if (type === 'function' && /^__\w+__$/.test(text)) return 'fm';
  if (type === 'punctuation') {
    if (types.includes('attr-value')) return 's';
    return text === '.' && DOT_OPERATOR.has(grammar) ? 'o' : markupSign(text, context);
  }
  return undefined;
}

/** The signs of elements are no operators. */
function markupSign(text: string, { types }: CodeContext): string {
  return types.includes('tag') ? 'p' : signClass(text);
}

function commentClass(text: string, previous: string): string {
  if (previous === '' && HASH_COMMENT.test(text)) return 'ch';
  return /^(?:\/\*|\(\*|<!--|\{-|--\[\[)/.test(text) ? 'cm' : 'c1';
}

function numberClass(text: string): string {
  if (/^0x/i.test(text)) return 'mh';
  if (/^0b/i.test(text)) return 'mb';
  return /[.]|\de/i.test(text) ? 'mf' : 'mi';
}

function stringClass(text: string, grammar: string): string {
  if (PLAIN_STRINGS.has(grammar)) return 's';
  const quote = /["'`]/.exec(text)?.[0];
  if (quote === '`') return 'sb';
  return quote === "'" ? 's1' : quote === '"' ? 's2' : 's';
}

function keywordClass(text: string, grammar: string): string {
  if (CONSTANTS.test(text)) return 'kc';
  if (grammar === 'python' && WORD_OPERATORS.test(text)) return 'ow';
  if (grammar === 'c' || grammar === 'cpp' || DECLARATIONS[grammar]) {
    if (TYPES.test(text)) return 'kt';
  }
  if (grammar === 'python' && (text === 'print' || text === 'exec')) return 'nb';
  if (IMPORTS[grammar]?.test(text)) return 'kn';
  return DECLARATIONS[grammar]?.test(text) ? 'kd' : 'k';
}
