import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { LANGUAGES, type Language } from '../../../src/languages/languages.js';
import { refusalSayer } from '../../../src/languages/refusals.js';
import { refusalsIn } from '../../../src/languages/texts.js';

/*
 * Every wording of a refusal that a page can meet is said in each language. The wordings are read from the sources, so
 * that a new one is asked for; those that only programs meet are left out by place or wording, with the reason.
 */

const SERVING = [
  ...['errors', 'http', 'journal', 'organization', 'resources', 'services', 'nodes', 'client'],
];

/** What only programs are refused: files or folders, and why. */
const FOR_PROGRAMS: Readonly<Record<string, string>> = {
  'client/': 'one wording of its own, below',
  'http/auth/': 'credentials that browsers do not send',
  'http/events/': 'sockets',
  'http/files/tus-protocol.ts': 'another protocol of uploads',
  'http/unoffered-paths.ts': 'paths of other servers',
  'journal/queues/event-queue.ts': 'the ids of a queue’s events',
  'nodes/internal-calls.ts': 'calls between nodes',
  'organization/hooks/': 'webhooks',
  'organization/incoming-mail/': 'mail servers',
  'organization/personal/navigation-views.ts': 'views of other apps',
  'organization/personal/onboarding.ts': 'hints of other apps',
  'organization/personal/push.ts': 'apps of phones',
  'organization/realm/exports.ts': 'exports of other apps',
  'organization/realm/linkifiers.ts': 'linkifiers, which no page changes',
  'organization/realm/playgrounds.ts': 'playgrounds, which no page changes',
  'organization/realm/realm-domains.ts': 'domains, which no page changes',
  'organization/users/bot-': 'bots, which no page changes',
  'resources/accounts/jwt-login.ts': 'logins by a token',
  'resources/hooks/': 'webhooks',
  'resources/messages/messages-anchor.ts': 'anchors',
  'resources/personal/push.ts': 'apps of phones',
  'resources/pages/desktop-login.ts': 'desktop apps',
  'resources/presence/': 'presence, which asks for nothing that people give',
  'resources/unoffered.ts': 'what other apps ask for',
  'resources/users/bot-storage.ts': 'programs of bots',
  'resources/users/profile-fields.ts': 'profile fields, which no page defines',
  'organization/users/profile-fields.ts': 'profile fields, which no page defines',
  'services/hooks/': 'webhooks',
  'services/linkifiers/': 'linkifiers, which no page changes',
};

/** Wordings beside others that pages meet, and why they do not. */
const NOT_MET: readonly RegExp[] = [
  // kinds of requests, and headers, that no page sends
  /^(Malformed query|Unsupported (media type|charset|content encoding|WebSocket)|Range not satisfiable|Ambiguous request)/,
  /^(Can't decide between|Argument "|This server speaks version|The upload has another offset)/,
  // webhooks, apps of phones
  /^(Missing the HTTP event header|Unable to parse request|The '.*' event isn't|Device not recognized|No active registered)/,
  /^Server is not configured to use push/,
  // parts of others
  /^(organization owner|Origin not allowed|members|private channels|Basic realm=.*|bytes \*\/7)$/,
  // the server's page shows where to go
  /^Not logged in$/,
  // bots, exports, flags of programs
  /^(Failed to change owner|Embedded bots|Exports over|Flag not editable|Invalid message flag|The anchor can only)/,
  /^(There is no such integration|Operator .* not supported|At least one of the following arguments|Export )/,
  /^(Timestamp |Must specify exactly 1|Recipient (list|required)|Topic required|Exceeded rate limit)/,
  /^This API is not available/,
  // for widgets that no page makes
  /^(Unexpected arguments|Unknown type for|unknown |.* is not in widget_content|zform |type key)/,
];

/** What stands for values that are one of some words; a number stands for all others. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  who: ['owner', 'administrator', 'member'],
  entity: ['organization owner', 'user'],
  where: ['channel', 'topic'],
  EMPTY_TOPIC_DISPLAY_NAME: ['general chat'],
  domain: ['x.org'],
  'article(listName(first))': ['a dict', 'an integer'],
  'article(first)': ['a string'],
};

interface Wording {
  readonly file: string;
  readonly text: string;
  readonly code: string;
}

interface Made extends Wording {
  /** Whether a refusal is made with it. */
  readonly isMade: boolean;
}

const FILES = SERVING.flatMap((folder) =>
  readdirSync(join('src', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
);

/** What the sources say anywhere. */
const SAID = FILES.flatMap((file) => wordingsOf(file));
const MADE = SAID.filter(({ isMade }) => isMade);

/** Texts of a source. */
function wordingsOf(file: string): Made[] {
  const source = ts.createSourceFile(file, readFileSync(join('src', file), 'utf8'), 99, true);
  const makers = new Set(file.endsWith('validation-faults.ts') ? ['fault'] : []);
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const from = statement.moduleSpecifier.getText();
    const named = statement.importClause?.namedBindings;
    if (!/\/errors\/|validation-faults|api-error/.test(from) || !named) continue;
    if (ts.isNamedImports(named)) for (const { name } of named.elements) makers.add(name.text);
  }
  const found: Made[] = [];
  const visit = (node: ts.Node, maker: string | null): void => {
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    const isCall = ts.isCallExpression(node) || ts.isNewExpression(node);
    const called = isCall ? node.expression.getText() : null;
    const within = called !== null && makers.has(called) ? called : maker;
    const texts = textsOf(node).filter((text) => /\p{L}{2,}[^]* [\p{L}\d]/u.test(text));
    const isError = file.startsWith('errors/');
    for (const text of texts) {
      const code = codeIn(isError ? functionAround(node).getText() : `${within}(`);
      const isMade = within !== null || isError;
      found.push({ file, text: within === 'fault' ? `7 ${text}` : text, code, isMade });
    }
    if (texts.length === 0) ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(source, null);
  return found;
}

function functionAround(node: ts.Node): ts.Node {
  return ts.isSourceFile(node.parent) ? node : functionAround(node.parent);
}

/** The code of what a function of the catalogue makes, or of what is made by the function that is called. */
function codeIn(source: string): string {
  if (source.includes('serviceUnavailable(')) return 'SERVICE_UNAVAILABLE';
  if (source.includes('internalError(')) return 'INTERNAL_ERROR';
  if (source.includes('badNarrow(')) return 'BAD_NARROW';
  return /'([A-Z]+(?:_[A-Z]+)+)'/.exec(source)?.[1] ?? 'BAD_REQUEST';
}

/** The texts that a literal, a template, or several that are put together, may be. */
function textsOf(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return textsOf(node.left).flatMap((left) => textsOf(node.right).map((right) => left + right));
  }
  if (!ts.isTemplateExpression(node)) return [];
  const parts = node.templateSpans.map(({ expression, literal }) => ({
    value: expression.getText(),
    behind: literal.text,
  }));
  // A value that is there twice is the same each time.
  const known = parts.find(({ value }) => value in VALUES)?.value;
  return (known === undefined ? ['7'] : VALUES[known]!).map((one) =>
    parts.reduce(
      (text, { value, behind }) => text + (value === known ? one : '7') + behind,
      node.head.text,
    ),
  );
}

const isLeftOut = ({ file, text }: Wording): boolean =>
  Object.keys(FOR_PROGRAMS).some((place) => file.startsWith(place)) ||
  NOT_MET.some((wording) => wording.test(text));
const MET = [
  ...new Map(MADE.filter((one) => !isLeftOut(one)).map(({ text, code }) => [text, code])),
  // What a proxy answers has no code.
  ['The server answered 502', ''] as const,
];
const OTHERS = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== 'en');
const ENGLISH =
  /\b(the|is|are|not|you|your|must|cannot|be|does|for|of|with|this|that|already|invalid|too|many|user|channel|and|were)\b/i;

void t.test('every wording that a page can meet is said in each language', async (t) => {
  t.ok(MET.length > 250, `${MET.length} were found`);
  t.comment(`${MET.length} wordings in ${OTHERS.length} languages`);
  for (const language of OTHERS) {
    const say = refusalsIn(language);
    const english = MET.filter(([msg, code]) => {
      const said = say({ code, msg, fields: {} });
      return said === msg || ENGLISH.test(said) || /zulip/i.test(said);
    });
    t.strictSame(english, [], `${language}: add them to src/languages/*/refusals.json`);
  }
});

void t.test('places and wordings that are left out are there', async (t) => {
  for (const place of Object.keys(FOR_PROGRAMS)) {
    t.ok(
      FILES.some((file) => file.startsWith(place)),
      place,
    );
  }
  for (const wording of NOT_MET)
    t.ok(
      MADE.some(({ text }) => wording.test(text)),
      wording.source,
    );
});

const CATALOG = JSON.parse(readFileSync('src/languages/en/refusals.json', 'utf8')) as Record<
  string,
  string
>;

void t.test('the catalog has the wordings of the sources, and no other', async (t) => {
  const escaped = (text: string) =>
    text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('7', '.+');
  // Kinds of values, of which there are many.
  const texts = new Set([...SAID.map(({ text }) => text), '7 is not a 7', '7 is not an 7']);
  const said = [...texts].map((text) => new RegExp(`^${escaped(text)}$`, 's'));
  const codes = readFileSync('src/errors/api-error.ts', 'utf8');
  const unsaid = Object.entries(CATALOG).filter(([id, wording]) => {
    if (id.startsWith('code.')) return !codes.includes(`'${id.slice('code.'.length)}'`);
    const sample = wording.replace(/[‘’]/g, "'").replace(/\{\w+\}/g, '7');
    return !said.some((one) => one.test(sample));
  });
  t.strictSame(unsaid, []);
});

void t.test('codes whose wordings are for programs have one message each', async (t) => {
  const say = refusalsIn('de');
  const refused = (code: string, msg: string, fields = {}) => say({ code, msg, fields });
  t.equal(
    refused('RATE_LIMIT_HIT', 'API usage exceeded rate limit', { 'retry-after': 1.2 }),
    'Das wurde zu oft versucht. Versuche es in 2 Sekunden noch einmal.',
  );
  t.equal(
    refused('RATE_LIMIT_HIT', 'API usage exceeded rate limit', { 'retry-after': 0.01 }),
    'Das wurde zu oft versucht. Versuche es in einer Sekunde noch einmal.',
  );
  t.equal(
    refused('SERVICE_UNAVAILABLE', 'The store is not available'),
    'Der Server kann das gerade nicht ausführen. Versuche es bald noch einmal.',
  );
  t.equal(refused('BAD_REQUEST', 'Nobody wrote this down.'), 'Nobody wrote this down.');
  const english = refusalsIn('en');
  const [msg, code] = ["Channel 'x' already exists", 'CHANNEL_ALREADY_EXISTS'];
  t.equal(english({ code, msg, fields: {} }), msg, 'in English as the API says it');
});

void t.test('names in a refusal stay as they are, whatever they are', async (t) => {
  const say = refusalsIn('fr');
  for (const name of [
    "d'Artagnan",
    "x' already exists",
    '{name}',
    '$&',
    'a\nb',
    '\\',
    '‘q’',
    '7',
  ]) {
    t.equal(
      say({ code: 'CHANNEL_ALREADY_EXISTS', msg: `Channel '${name}' already exists`, fields: {} }),
      `Le canal «\u00a0${name}\u00a0» existe déjà.`,
    );
  }
});

void t.test('of two wordings that fit, the one that says more is meant', async (t) => {
  const message = (text: string) => (values?: object) => text + JSON.stringify(values ?? {});
  const say = refusalSayer({
    wordings: { a: '{name} is not a {kind}', b: '{name} is not a list of {what}', c: 'It’s {x}' },
    messages: { a: message('a'), b: message('b'), c: message('c') },
  });
  const said = (msg: string) => say({ code: 'BAD_REQUEST', msg, fields: {} });
  t.equal(said('to is not a list of ids'), 'b{"name":"to","what":"ids"}');
  t.equal(said('to is not a date'), 'a{"name":"to","kind":"date"}');
  t.equal(said("It's 5"), 'c{"x":"5"}');
  t.equal(said('to is not'), 'to is not');
});
