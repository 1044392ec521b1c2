import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import t from 'tap';
import { inBackground, onceSettled, untold } from '../../../src/turns/background.js';

const { sourceFiles } = (await import(pathToFileURL(join('scripts', 'import-rules.js')).href)) as {
  readonly sourceFiles: () => string[];
};

/** Of what browsers run: a rejection there ends nothing. */
const ELSEWHERE = /^src\/(?:client|web)\//;
/** Where the rules of this file are kept. */
const HELPERS = 'src/turns/background.ts';

function sources(): string[] {
  return sourceFiles().filter((file) => !ELSEWHERE.test(file) && file !== HELPERS);
}

/**
 * Statements that begin work which nobody waits for with what another call gives, or that give `inBackground` a promise
 * that was made before: what throws there has no handler, and ends the process.
 */
function begunWithCalls(text: string): string[] {
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const calls = (node: ts.Node): boolean =>
    ts.isCallExpression(node) ||
    (!ts.isFunctionLike(node) && (ts.forEachChild(node, (child) => calls(child)) ?? false));
  const isRisky = (work: ts.Expression | undefined): boolean =>
    work !== undefined &&
    ((ts.isArrowFunction(work) && ts.isIdentifier(work.body)) ||
      (ts.isCallExpression(work) && work.arguments.some((argument) => calls(argument))));
  const visit = (node: ts.Node): void => {
    let of: ts.Expression | undefined = ts.isExpressionStatement(node)
      ? node.expression
      : undefined;
    while (of && ts.isVoidExpression(of)) of = of.expression;
    if (of && ts.isCallExpression(of)) {
      const { expression: callee } = of;
      const isCatch = ts.isPropertyAccessExpression(callee) && callee.name.text === 'catch';
      const isHelper = ts.isIdentifier(callee) && /^(inBackground|onceSettled)$/.test(callee.text);
      const work = isCatch ? callee.expression : isHelper ? of.arguments[0] : undefined;
      if (isRisky(work)) found.push(of.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * Statements that drop what `then` returns: a handler that throws there, or whose own promise rejects, ends the
 * process, and no-floating-promises takes the second handler for enough.
 */
function dropped(text: string): string[] {
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    let of: ts.Expression | undefined = ts.isExpressionStatement(node)
      ? node.expression
      : undefined;
    // `void` says nothing of rejections, in an arrow function neither.
    while (of && ts.isVoidExpression(of)) of = of.expression;
    if (ts.isVoidExpression(node)) of = node.expression;
    if (of && ts.isCallExpression(of) && ts.isPropertyAccessExpression(of.expression)) {
      if (of.expression.name.text === 'then') found.push(of.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...new Set(found)];
}

void t.test('a rejection of work that nobody waits for goes to its handler', async (t) => {
  const seen: unknown[] = [];
  const tell = (error: unknown): void => void seen.push(error);
  inBackground(() => Promise.reject(new Error('late')), tell);
  inBackground(() => Promise.resolve(1), tell);
  inBackground(() => undefined, tell);
  onceSettled(Promise.resolve(2), (value) => seen.push(value), tell);
  onceSettled(Promise.reject(new Error('refused')), untold, tell);
  inBackground(() => Promise.reject(new Error('told elsewhere')), untold);
  await new Promise((resolve) => setImmediate(resolve));
  t.match(seen, [{ message: 'late' }, 2, { message: 'refused' }]);
});

void t.test('what fails before there is a promise goes to the same handler', (t) => {
  const seen: unknown[] = [];
  const look = (): number => {
    throw new Error('no figures');
  };
  const note = async (figure: number): Promise<void> => void seen.push(figure);
  inBackground(
    () => note(look()),
    (error) => seen.push(error),
  );
  t.match(seen, [{ message: 'no figures' }]);
  t.end();
});

void t.test('no work of the server is begun with what another call gives', async (t) => {
  const found = sources().flatMap((file) =>
    begunWithCalls(readFileSync(file, 'utf8')).map((text) => `${file}: ${text}`),
  );
  t.strictSame(found, [], 'inBackground(() => …) handles what that call throws, too');
  t.same(begunWithCalls('note(look()).catch(f);'), ['note(look()).catch(f)']);
  t.same(begunWithCalls('void history.note({ ...look() }).catch(f);'), [
    'history.note({ ...look() }).catch(f)',
  ]);
  t.same(begunWithCalls('onceSettled(note(look()), f, g);'), ['onceSettled(note(look()), f, g)']);
  t.same(begunWithCalls('inBackground(() => made, f);'), ['inBackground(() => made, f)']);
  t.same(begunWithCalls('inBackground(() => note(look()), f); a.run(() => b()).catch(f);'), []);
});

void t.test('no promise of the server is chained to and dropped', async (t) => {
  t.ok(sources().length > 300, 'the sources were found');
  const found = sources().flatMap((file) =>
    dropped(readFileSync(file, 'utf8')).map((text) => `${file}: ${text}`),
  );
  t.strictSame(found, []);
});

void t.test('the rule finds what it should', async (t) => {
  t.same(dropped('work().then(done, failed);'), ['work().then(done, failed)']);
  t.same(dropped('void work().then(done);'), ['work().then(done)']);
  t.same(dropped('const f = () => void a.then(b, c);'), ['a.then(b, c)']);
  t.same(dropped('a.then(b).catch(c); const d = a.then(b); f(a.then(b));'), []);
});
