/**
 * No test judges wall time: that is the machine's, on which others work, and a test that fails by it fails by chance.
 * Processor time (`fixtures/machine-load.ts`), counts, and ratios of one run judge; what waits for ever ends by the
 * test's own timeout.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';

/** By file, how many bounds there are of what users are promised in seconds; each grows with the load of the machine. */
const PROMISED: Readonly<Record<string, number>> = {
  'src/store/embedded/processes.test.ts': 2,
  'system/api/queue-expiry.test.ts': 1,
  'system/api/scheduled.test.ts': 1,
  'system/api/topic-deletion.test.ts': 1,
  'system/faults/leadership.test.ts': 1,
  'system/faults/store-away.test.ts': 3,
  'system/nodes/follower.test.ts': 1,
  'system/nodes/leader-unreachable.test.ts': 1,
  'system/nodes/workers.test.ts': 2,
  'system/operation/key-secret.test.ts': 1,
};
/** And of moments that a reply names, or that are still to come. */
const MOMENTS: Readonly<Record<string, number>> = {
  'src/platform/platform.test.ts': 1,
  'system/faults/scheduled-crash.test.ts': 1,
  'system/nodes/ownership.test.ts': 1,
  'system/operation/admin.test.ts': 1,
};
const STATED = { ...PROMISED, ...MOMENTS };
const CLOCK = /\b(?:Date\.now\(\)|performance\.now\(\)|hrtime|underLoad\()|\.ms\b/;
const UPPER = new Set([ts.SyntaxKind.LessThanToken, ts.SyntaxKind.LessThanEqualsToken]);

/** Assertions of a file that demand that a wall time is below something. */
function upperBounds(name: string, text: string): string[] {
  if (!CLOCK.test(text)) return [];
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const clocks = new Set<string>();
  const found: string[] = [];
  const ofClock = (node: ts.Expression): boolean =>
    CLOCK.test(node.getText()) || [...clocks].some((name) => node.getText() === name);
  const visit = (node: ts.Node): void => {
    // A difference to a clock; what is compared with one to wait is no assertion.
    if (ts.isVariableDeclaration(node) && node.initializer && ts.isIdentifier(node.name)) {
      if (/(?:Date|performance)\.now\(\) -/.test(node.initializer.getText())) {
        clocks.add(node.name.text);
      }
    }
    if (ts.isCallExpression(node) && /^t\.(?:ok|notOk)$/.test(node.expression.getText())) {
      const compared = (one: ts.Node): void => {
        if (ts.isBinaryExpression(one) && UPPER.has(one.operatorToken.kind)) {
          if (ofClock(one.left) || CLOCK.test(one.right.getText())) found.push(one.getText());
        }
        ts.forEachChild(one, compared);
      };
      if (node.arguments[0]) compared(node.arguments[0]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

void t.test('no assertion bounds a wall time, but those of a promise', async (t) => {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) => {
    return file.endsWith('.ts') && !file.startsWith('simulation/');
  });
  t.ok(files.length > 800);
  const found: Record<string, number> = {};
  for (const file of files) {
    const bounds = upperBounds(file, readFileSync(join('test', file), 'utf8'));
    if (bounds.length > (STATED[file] ?? 0)) t.fail(`${file}: ${bounds.join('; ')}`);
    if (bounds.length > 0) found[file] = bounds.length;
  }
  t.strictSame(found, STATED, 'each that is stated is there');
});

void t.test('the rule finds what it should', async (t) => {
  const times = (line: string) => upperBounds('x.ts', `const took = Date.now() - began;\n${line}`);
  t.strictSame(times('t.ok(took < 100);'), ['took < 100']);
  t.strictSame(times('t.ok(performance.now() - began <= 5000, "x");').length, 1);
  t.strictSame(times('t.ok(exit.ms < underLoad(10));').length, 1);
  t.strictSame(times('t.ok(took > 100); t.ok(count < 100); if (took < 3) return;'), []);
});
