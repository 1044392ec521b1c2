/*
 * Sources that tell which of their parts run: a probe at the beginning of each function, block and branch. Each
 * process, the servers that tests start included, appends the numbers of probes to the file that
 * `MUTANTS_HITS` names, each once, at the moment it is passed: it may be killed at the next.
 */
import ts from 'typescript';

/** Names the file of hits, for this process and those it starts. */
export const HITS = 'MUTANTS_HITS';

/** Defines the probe where it is not; a browser has no processes to tell. */
const DEFINITION = `globalThis.__parleyProbe ??= (() => {
  if (typeof process !== 'object' || !process.env.${HITS}) return () => undefined;
  const { appendFileSync } = process.getBuiltinModule('node:fs');
  let seen = new Uint8Array(0), file = '';
  return (n) => {
    const current = globalThis.__parleyHits ?? process.env.${HITS};
    if (current !== file) { file = current; seen = new Uint8Array(1 << 18); }
    if (seen[n]) return;
    seen[n] = 1;
    appendFileSync(file, n + '\\n');
  };
})();`.replaceAll(/\s*\n\s*/g, ' ');

/**
 * @param {string} file
 * @param {string} text its source
 * @param {number} first number of its first probe, which stands for the file as it is loaded
 * @returns {{ text: string, regions: [number, number][] }} the source with probes, its lines numbered as before; and
 *   from and to where each probe tells of, by its number from the first one on
 */
export function withProbes(file, text, first) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const regions = [[0, text.length]];
  const edits = [];
  const probe = (from, to) => `__parleyProbe(${first + regions.push([from, to]) - 1})`;
  const visit = (node) => {
    for (const part of branches(node)) {
      const [from, to] = [part.getStart(source), part.getEnd()];
      if (ts.isBlock(part)) edits.push([from + 1, `${probe(from, to)};`]);
      else if (ts.isStatement(part)) {
        edits.push([from, `{${probe(from, to)};`], [to, '}']);
      } else edits.push([from, `(${probe(from, to)},`], [to, ')']);
    }
    if (ts.isCaseOrDefaultClause(node) && node.statements.length > 0) {
      const [from, to] = [node.statements[0].getStart(source), node.getEnd()];
      edits.push([from, `${probe(from, to)};`]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const start = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
  edits.push([start, `${DEFINITION} __parleyProbe(${first});`]);
  return { text: inserted(text, edits), regions };
}

/** The parts of a node that run or not, apart from it. */
function branches(node) {
  if (ts.isFunctionLike(node)) return node.body ? [node.body] : [];
  if (ts.isIfStatement(node)) {
    const { thenStatement, elseStatement } = node;
    return elseStatement ? [thenStatement, elseStatement] : [thenStatement];
  }
  if (ts.isIterationStatement(node, false)) return [node.statement];
  if (ts.isTryStatement(node)) return [node.catchClause?.block].filter(Boolean);
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse];
  return [];
}

/** Inserts texts; of those at one place, the outer ones first and closing ones in reverse. */
function inserted(text, edits) {
  const ordered = edits.map((edit, i) => ({ edit, i }));
  const closes = ({ edit: [, what] }) => (what === ')' || what === '}' ? 0 : 1);
  ordered.sort((a, b) => {
    if (a.edit[0] !== b.edit[0]) return a.edit[0] - b.edit[0];
    if (closes(a) !== closes(b)) return closes(a) - closes(b);
    return closes(a) === 0 ? b.i - a.i : a.i - b.i;
  });
  let at = 0;
  let result = '';
  for (const { edit } of ordered) {
    result += text.slice(at, edit[0]) + edit[1];
    at = edit[0];
  }
  return result + text.slice(at);
}
