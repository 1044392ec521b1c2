/** Each operation of the API is called by the chat, the console or a command, or has its reason in docs/contract/reach.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import t from 'tap';
import ts from 'typescript';
import { ALL_ENDPOINTS } from '../schemas/endpoints.js';
import { openApiDocument } from '../schemas/openapi/document.js';
import { commandTree } from '../src/cli/command-line.js';

const PAGE = 'docs/contract/reach.md';
const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
/** Stands for what only a running program knows: an id in a path. */
const ANY = '\u0000';
/** Where the API begins; for pages with a session it begins at `/json`, too. */
const API = '/api/v1';

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: readonly string[];
}

/** What the published document has. */
function operations(): Operation[] {
  const { paths } = openApiDocument('http://localhost') as unknown as {
    paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>>;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const { operationId: id } = item[method.toLowerCase()] ?? {};
      return id === undefined ? [] : [{ id, method, path: partsOf(path) }];
    }),
  );
}

function partsOf(path: string): string[] {
  return path.replace(/\?.*$/s, '').split('/').slice(1);
}

/** Whether a path that a source has is one of an operation; an unknown part may be several. */
function fits(path: readonly string[], operation: readonly string[]): boolean {
  const [part, ...rest] = path;
  const [own, ...more] = operation;
  if (part === undefined || own === undefined) return part === own;
  if (own.startsWith('{') && part.includes(ANY) && rest.length === 0) return true;
  return (own.startsWith('{') || own === part) && fits(rest, more);
}

/** The texts that an expression may be, as far as its file says it. */
function textsOf(node: ts.Expression, file: ts.SourceFile): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) {
    return textsOf(node.expression, file);
  }
  if (ts.isConditionalExpression(node)) {
    return [node.whenTrue, node.whenFalse].flatMap((one) => textsOf(one, file));
  }
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce<string[]>(
      (heads, { expression, literal }) =>
        heads.flatMap((head) => textsOf(expression, file).map((one) => head + one + literal.text)),
      [node.head.text],
    );
  }
  return ts.isIdentifier(node) ? constantTexts(node.text, file) : [ANY];
}

/** What a constant of the file is. */
function constantTexts(name: string, file: ts.SourceFile): string[] {
  let found: ts.Expression | undefined;
  const visit = (node: ts.Node): void => {
    const isIt = ts.isVariableDeclaration(node) && ts.isIdentifier(node.name);
    if (isIt && node.name.text === name) found ??= node.initializer;
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found ? textsOf(found, file) : [ANY];
}

/** Methods and paths that a source for browsers names: `'GET /streams'`, or an address with its options. */
function callsOf(name: string, text: string): [method: string, path: string][] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const calls: [string, string][] = [];
  const visit = (node: ts.Node): void => {
    // The types of calls name them too, and call nothing.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      for (const one of textsOf(node, file)) {
        const [, method = '', path = ''] = /^([A-Z]+) (\/.*)$/s.exec(one) ?? [];
        if (METHODS.includes(method)) calls.push([method, API + path]);
        // The first part of an address of the client package is its server and the base of the API.
        const address = one.replace(new RegExp(`^(?:${ANY}|/json)(?=/)`), API);
        if (address.startsWith('/') && ts.isCallExpression(node.parent)) {
          calls.push([methodOf(node.parent), address]);
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return calls;
}

/** The method that a request has among its options. */
function methodOf({ arguments: all }: ts.CallExpression): string {
  const options = all.find(ts.isObjectLiteralExpression)?.properties ?? [];
  const given = options.find((one) => one.name?.getText() === 'method');
  return given && ts.isPropertyAssignment(given) && ts.isStringLiteral(given.initializer)
    ? given.initializer.text
    : 'GET';
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

/** Operations that commands call: those whose descriptors their sources import. */
async function commanded(): Promise<string[]> {
  const declared = new Map<unknown, string>(ALL_ENDPOINTS.map((one) => [one, one.operation]));
  const names: string[] = [];
  for (const path of sourcesBelow('src/operator/admin')) {
    for (const [, words, from] of readFileSync(path, 'utf8').matchAll(
      /^import \{([^}]*)\} from '((?:\.\.\/)+schemas\/[^']+)';$/gm,
    )) {
      const place = relative('.', join(path, '..', from!));
      const module = (await import(pathToFileURL(join('dist', place)).href)) as object;
      for (const word of words!.split(',')) {
        const made = (module as Record<string, unknown>)[word.trim()];
        const operation = declared.get(made);
        if (operation !== undefined) names.push(operation);
      }
    }
  }
  return names;
}

/** Names of the commands that do something. */
function leaves(node: Command, path: readonly string[] = []): string[] {
  if (node.commands.length === 0) return [path.join(' ')];
  return node.commands.flatMap((one) => leaves(one, [...path, one.name()]));
}

const all = operations();
const calls = ['src/web', 'src/client'].flatMap((folder) =>
  sourcesBelow(folder).flatMap((path) => callsOf(path, readFileSync(path, 'utf8'))),
);
const variables = ({ path }: Operation): number => path.filter((one) => one.startsWith('{')).length;
/** The operations that calls mean; of several that fit, e.g. by `me` and by an id, the one that says the most. */
const called = new Set(
  calls.flatMap(([method, address]) => {
    const fitting = all.filter((one) => one.method === method && fits(partsOf(address), one.path));
    const least = Math.min(...fitting.map(variables));
    return fitting.filter((one) => variables(one) === least).map(({ id }) => id);
  }),
);
const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, reason, ids] = /^\| (\*\*.*) \| (`.*) \|$/.exec(line) ?? [];
    return reason && ids ? [{ reason, ids: ids.replaceAll('`', '').trim().split(', ') }] : [];
  });

void t.test('each operation is called, or has a reason', async (t) => {
  const reached = new Set([...called, ...(await commanded())]);
  t.ok(reached.size > 40, `${reached.size} of ${all.length} are reached`);
  for (const one of ['send-message', 'get-messages', 'update-realm', 'deactivate-user']) {
    t.ok(reached.has(one), one);
  }
  const listed = rows.flatMap(({ ids }) => ids);
  t.strictSame(
    all.map(({ id }) => id).filter((id) => !reached.has(id) && !listed.includes(id)),
    [],
    `what nothing calls is in ${PAGE}`,
  );
  const known = new Set(all.map(({ id }) => id));
  t.strictSame(
    listed.filter((id, i) => !known.has(id) || listed.indexOf(id) !== i),
    [],
    'each one that is listed is there, once',
  );
  // What a page has learned to call may stay in the list until somebody takes it out.
  t.comment(`called by now: ${listed.filter((id) => reached.has(id)).join(', ') || 'none'}`);
});

void t.test('a command that is a reason is there', async (t) => {
  const named = rows.flatMap(({ reason }) => [...reason.matchAll(/`parley ([^`]+)`/g)]);
  t.ok(named.length > 0);
  const known = leaves(commandTree());
  for (const [, name] of named) t.ok(known.includes(name!), name!);
});

void t.test('what a source calls is read from its expressions', async (t) => {
  const source = `
    type Call = 'GET /typed';
    interface Calls { 'GET /typed': object }
    const name = isIt ? '/one/{id}' : '/two';
    client.call(\`POST \${name}\`, {});
    asked('GET /realm/console');
    client.request(\`/api/v1/user_uploads/\${realm}/\${path}\`);
    client.request('/json/logout', { method: 'POST' });
    this.request(\`\${this.base}/user_uploads\`, { method: 'POST', body });
    link('/not/a call');
  `;
  t.strictSame(callsOf('x.tsx', source), [
    ...[
      ['POST', `${API}/one/{id}`],
      ['POST', `${API}/two`],
      ['GET', `${API}/realm/console`],
    ],
    ['GET', `${API}/user_uploads/${ANY}/${ANY}`],
    ...[
      ['POST', `${API}/logout`],
      ['POST', `${API}/user_uploads`],
      ['GET', '/not/a call'],
    ],
  ]);
  t.ok(fits(partsOf('/user_uploads/1/x?y=/z'), ['user_uploads', '{realm_id}', '{path}']));
  t.notOk(fits(['streams'], ['streams', '{stream_id}']));
});
