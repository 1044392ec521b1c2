/** Every command of the program is run by a test, or by a guide that a test types; and every guide is typed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import t from 'tap';
import ts from 'typescript';
import { commandTree } from '../src/cli/command-line.js';
import { testFolder } from './fixtures/test-folder.js';

/** Commands that do something, by their names with their parents'. */
function commandsOf(node: Command, path: readonly string[] = []): [string, Command][] {
  if (node.commands.length === 0) return [[path.join(' '), node]];
  return node.commands.flatMap((one) => commandsOf(one, [...path, one.name()]));
}

/** Paths of all files below a folder whose names end so. */
function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

/**
 * Where the words of the command stand in a call of a function: in an array (`run(['verify', …])`), or as arguments
 * from some position on (`admin(folder, 'users', 'list')`).
 */
type Runner = 'array' | number;

/** Functions of the harness that start the program. */
const STARTERS = ['run', 'launch'];
/** Reads what tests of the commands' work then carry out within their process. */
const READER = 'readCommand';

/** The literal words that an array or a list of arguments begins with. */
function wordsOf(nodes: readonly ts.Expression[]): string[] {
  const words: string[] = [];
  for (const node of nodes) {
    if (!ts.isStringLiteral(node)) break;
    words.push(node.text);
  }
  return words;
}

/** Runners by name: of a function, or `.name` of a method. */
type Runners = Map<string, Runner>;

function nameOf(callee: ts.Expression): string {
  if (ts.isPropertyAccessExpression(callee)) return `.${callee.name.text}`;
  return ts.isIdentifier(callee) ? callee.text : '';
}

/** What a call gives to the program, in the place where a runner has it; undefined for a call of anything else. */
function given(call: ts.CallExpression, runners: Runners): readonly ts.Expression[] | undefined {
  const runner = runners.get(nameOf(call.expression));
  if (runner === undefined) return undefined;
  if (typeof runner === 'number') return call.arguments.slice(runner);
  const [first] = call.arguments;
  const list = first && ts.isIdentifier(first) ? constantOf(first) : first;
  return list && ts.isArrayLiteralExpression(list) ? list.elements : undefined;
}

/** What a constant of the same function is. */
function constantOf(name: ts.Identifier): ts.Expression | undefined {
  const block = ts.findAncestor(name, ts.isBlock);
  const declared = block?.statements.filter(ts.isVariableStatement) ?? [];
  return declared
    .flatMap(({ declarationList }) => declarationList.declarations)
    .find((one) => ts.isIdentifier(one.name) && one.name.text === name.text)?.initializer;
}

/** The place of a rest parameter that a function passes on as the first words of the program, if it does so. */
function restRunner(
  { parameters, body }: ts.FunctionLikeDeclaration,
  runners: Runners,
): number | undefined {
  const place = parameters.findIndex(({ dotDotDotToken }) => dotDotDotToken);
  const rest = parameters[place]?.name;
  if (!rest || !ts.isIdentifier(rest) || !body) return undefined;
  let passes = false;
  const visit = (node: ts.Node): void => {
    const [first] = (ts.isCallExpression(node) && given(node, runners)) || [];
    const isRest = first && ts.isSpreadElement(first) && ts.isIdentifier(first.expression);
    if (isRest && first.expression.getText() === rest.text) passes = true;
    ts.forEachChild(node, visit);
  };
  visit(body);
  return passes ? place : undefined;
}

/** The words that a test starts the program with, of each of its calls. */
function runsOf(path: string, starters: readonly string[] = STARTERS): string[][] {
  const source = ts.createSourceFile(
    path,
    readFileSync(path, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const runners: Runners = new Map(starters.map((name) => [name, 'array']));
  const runs: string[][] = [];
  const walk = (visit: (node: ts.Node) => void): void => {
    const step = (node: ts.Node): void => {
      visit(node);
      ts.forEachChild(node, step);
    };
    step(source);
  };
  // Helpers stand on helpers: again, until there is none more.
  for (let known = -1; known < runners.size;) {
    known = runners.size;
    walk((node) => {
      const isMethod = ts.isMethodDeclaration(node) || ts.isPropertyAssignment(node);
      const isNamed = isMethod || ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node);
      if (!isNamed || !node.name || !ts.isIdentifier(node.name)) return;
      const made = 'initializer' in node ? node.initializer : node;
      if (!made || !ts.isFunctionLike(made)) return;
      const place = restRunner(made, runners);
      if (place !== undefined) runners.set(`${isMethod ? '.' : ''}${node.name.text}`, place);
    });
  }
  walk((node) => {
    const words = ts.isCallExpression(node) && given(node, runners);
    if (words) runs.push(wordsOf(words));
  });
  return runs;
}

/** Lines for a shell of the pages that `guides.test.ts` types. */
function linesOfGuides(): string[] {
  const pages = [...filesBelow('docs/guides', '.md'), 'docs/operations/upgrading.md'];
  return pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, lines]) =>
      lines!.replaceAll('\\\n', ' ').split('\n'),
    ),
  );
}

const commands = commandsOf(commandTree());

void t.test('each command is run by a test, or in a guide', async (t) => {
  t.ok(commands.length > 40, `${commands.length} commands`);
  const within = ['test/src/operator', 'test/src/transfer', 'test/system'].flatMap((folder) =>
    filesBelow(folder, '.ts'),
  );
  const runs = [
    ...within.flatMap((path) => runsOf(path, [...STARTERS, READER])),
    ...runsOf('test/src/cli/command-line.test.ts'),
  ];
  const run = new Set(runs.flatMap((words) => [words[0], words.slice(0, 2).join(' ')]));
  const lines = linesOfGuides();
  const untested = commands.filter(([name]) => {
    // Where a shell takes a command: at the beginning, behind another, in parentheses.
    const typed = new RegExp(`(?:^|[;&|(]|\\b(?:if|do|then|time))\\s*parley ${name}(?:\\s|$|[;)])`);
    return !run.has(name) && !lines.some((line) => typed.test(line));
  });
  t.strictSame(
    untested.map(([name]) => name),
    [],
  );
});

void t.test('what runs a command is told from what names it', async (t) => {
  const file = join(testFolder(t, { 'one.ts': EXAMPLE }), 'one.ts');
  t.strictSame(runsOf(file), [
    ...[[], ['verify', '--store', 'x'], []],
    ...[['users', 'list'], ['audit'], ['top'], [], ['stats', '--json']],
  ]);
});

const EXAMPLE = `
  const admin = (folder: string, ...args: string[]) => run([...args, '--store', folder]);
  const words = ['serve', 'backup'];
  t.equal(kind, 'stats');
  void run(['verify', '--store', 'x']);
  async function json(folder: string, ...args: string[]) { return admin(folder, ...args, '--json'); }
  await json(folder, 'users', 'list');
  await admin(folder, 'audit', email);
  spawn('node', ['forget-secret']);
  launch(['top', ...flags]);
  const world = { run: (...words: string[]) => { const args = [...words, '--json']; return run(args); } };
  spawned.call('tail');
  const later = () => { const args = ['openapi']; return args; };
  void world.run('stats', '--json');
`;

void t.test('each flag of each command has a sentence, and stands in its help', async (t) => {
  const lacking = commands.flatMap(([name, node]) => {
    const help = node.helpInformation();
    return node.options
      .filter(({ long, description }) => description === '' || !help.includes(`  ${long} `))
      .map(({ flags }) => `${name} ${flags}`);
  });
  t.strictSame(lacking, []);
});

void t.test('each guide is typed by a test', async (t) => {
  const tests = ['test/system/operation', 'test/bench'].flatMap((folder) =>
    filesBelow(folder, '.test.ts'),
  );
  const test = tests.map((path) => readFileSync(path, 'utf8')).join('');
  const untyped = readdirSync('docs/guides').filter((name) => !test.includes(`blocks('${name}', `));
  t.strictSame(untyped, []);
});
