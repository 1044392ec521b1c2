/** What scripts/mutants.js draws and changes; whether tests notice it, the command says (docs/mutants.md). */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { testFolder } from '../fixtures/test-folder.js';

interface Mutant {
  readonly file: string;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly key: string;
}

interface Placed extends Mutant {
  readonly id: string;
  readonly original: string;
  readonly replacement: string;
}

interface Recorded {
  readonly files: object;
  readonly tests: { file: string; cpu: number; hits: number[] }[];
}

interface Scripts {
  readonly draw: (options: { seed: number; folder?: string }) => AsyncGenerator<Mutant, void>;
  readonly roomOf: (file: string) => string;
  readonly mutantsOf: (file: string) => Promise<Mutant[]>;
  readonly sourcesWith: (
    mutants: readonly Mutant[],
  ) => Promise<{ sources: Map<string, string>; mutants: Placed[] }>;
  readonly withProbes: (
    file: string,
    text: string,
    first: number,
  ) => { text: string; regions: [number, number][] };
  readonly keepRecord: (group: string, record: Recorded) => void;
  readonly Coverage: new () => {
    read(groups: readonly string[]): {
      testsAt(group: string, place: object, imports: object): string[] | null;
      isAsRecorded(test: string): boolean;
    };
  };
  readonly isReviewed: (mutant: Placed) => string | null;
  readonly reviewedOnes: () => { file: string; line: string; reason: string }[];
  readonly tableByRoom: (findings: readonly object[]) => string;
}

async function load(script: string): Promise<Partial<Scripts>> {
  const url = pathToFileURL(join('scripts/mutants', `${script}.js`)).href;
  return (await import(url)) as Partial<Scripts>;
}

const scripts = ['coverage', 'draw', 'instrument', 'probes', 'report'].map(load);
const loaded = Object.assign({}, ...(await Promise.all(scripts))) as Scripts;
const { Coverage, keepRecord, draw, roomOf, mutantsOf, sourcesWith, withProbes } = loaded;
const { isReviewed, reviewedOnes, tableByRoom } = loaded;

/** A file of its own for the test, and its changes: each as the kind and what stands there then. */
async function changesOf(t: Test, text: string): Promise<[string, string][]> {
  const file = join(testFolder(t), 'source.ts');
  writeFileSync(file, text);
  const { mutants } = await sourcesWith(await mutantsOf(file));
  return mutants.map(({ kind, replacement }) => [kind, replacement.replaceAll(/\s+/g, ' ')]);
}

void t.test('the same seed draws the same ones, and another others', async (t) => {
  const first = async (seed: number): Promise<string[]> => {
    const drawn: string[] = [];
    for await (const { file, key } of draw({ seed, folder: 'src/turns' })) {
      if (drawn.push(`${file} ${key}`) === 30) break;
    }
    return drawn;
  };
  const drawn = await first(7);
  t.strictSame(await first(7), drawn);
  t.notSame(await first(8), drawn);
  t.equal(new Set(drawn).size, 30, 'none twice');
});

void t.test('each room has its share of whatever number is drawn', async (t) => {
  const counts = new Map<string, number>();
  let count = 0;
  for await (const { file } of draw({ seed: 1, folder: 's' })) {
    counts.set(roomOf(file), (counts.get(roomOf(file)) ?? 0) + 1);
    if (++count === 20) break;
  }
  // It has a quarter of the lines that are drawn from, the schemas have a tenth, and the turns have one of 150.
  t.ok(counts.get('src/organization')! >= 4 && counts.get('src/organization')! <= 7);
  t.ok(counts.get('schemas')! >= 1);
  t.equal(counts.get('src/turns'), undefined);
});

void t.test('each fourth of a room is of the own kinds, where it has them', async (t) => {
  const own = /^(Audience|Durable|Position|CacheKept|Deadline|KeyValid)$/;
  const kinds: string[] = [];
  for await (const { kind } of draw({ seed: 3, folder: 'src/journal' })) {
    if (kinds.push(kind) === 24) break;
  }
  const fourths = kinds.filter((_kind, i) => i % 4 === 3);
  t.strictSame(
    fourths.filter((kind) => !own.test(kind)),
    [],
  );
});

void t.test('a table is seen by the tests that pass what uses it', async (t) => {
  const group = `of-${process.pid}`;
  t.teardown(() => rmSync(`dist/mutants/coverage-${group}.json`));
  const known = (file: string, first: number, regions: number[][]) => ({
    [file]: { hash: 'of another text', first, regions },
  });
  const withFunction = [
    [0, 9],
    [1, 3],
  ];
  // A schema, the list that has it, the handler that asks the list, and what has nothing to do with them.
  const files = {
    ...known('schemas/limits.ts', 0, [[0, 9]]),
    ...known('schemas/areas.ts', 1, [[0, 9]]),
    ...known('src/http/a.ts', 2, withFunction),
    ...known('src/http/b.ts', 4, withFunction),
  };
  const importers = new Map([
    ['schemas/limits.ts', ['schemas/areas.ts']],
    ['schemas/areas.ts', ['src/http/a.ts']],
  ]);
  const [passing, other] = ['mirror.test.js', 'structure.test.js'];
  const tests = [
    { file: passing, cpu: 1, hits: [0, 1, 2, 3] },
    { file: other, cpu: 1, hits: [0, 1, 2, 4, 5] },
  ];
  keepRecord(group, { files, tests });
  const coverage = new Coverage().read([group]);
  const place = { file: 'schemas/limits.ts', start: 1, end: 2 };
  t.strictSame(coverage.testsAt(group, place, { importers }), [passing]);
  t.equal(coverage.testsAt(group, place, { importers: new Map() }), null, 'nothing uses it');
  t.equal(coverage.testsAt('other', place, { importers }), null, 'nothing was recorded');
  t.equal(coverage.isAsRecorded(passing), true);
  t.equal(coverage.isAsRecorded('commands.test.js'), false);
});

void t.test('who is told, and what waits, is changed by the names that say so', async (t) => {
  const source = `
    export async function f(tx: any, org: any, users: number[], seq: number, leaseMs: number) {
      tx.emit('realm', { to: 'users', users }, { op: 'add' });
      tx.emit('stream', channelAudience(org), {});
      tx.onceDurable(() => done());
      await org.journal.durable();
      if (seq > org.head && tx.user.is_active) wait(leaseMs);
      org.sessions.forget(1);
      tx.revokeKeys(2);
    }`;
  const changes = (await changesOf(t, source)).map((change) => change.join(': '));
  for (const change of [
    'Audience: { to: "all" }',
    "Audience: { to: 'users', users: users.slice(1) }",
    'Audience: { to: "users", users: [] }',
    'Durable: (() => done())()',
    'Durable: void org.journal.durable()',
    'AwaitRemoved: org.journal.durable()',
    'Position: seq + 1',
    'Position: org.head - 1',
    'KeyValid: true',
    'Deadline: leaseMs * 2',
    'CacheKept: ;',
    'KeyValid: ;',
    'EmitRemoved: ;',
  ]) {
    t.ok(changes.includes(change), change);
  }
});

void t.test('what is off by one, swapped, left out or ended early is drawn', async (t) => {
  const source = `
    export function f(a: number, b: number) {
      one(a, b, 3);
      two({ a, b }, 300);
      if (a || b) throw new Error('a and b');
    }`;
  const changes = (await changesOf(t, source)).map((change) => change.join(': '));
  for (const change of [
    'ArgumentsSwapped: one(b, a, 3)',
    'NumberChanged: 4',
    'NumberChanged: 2',
    'NumberChanged: 600',
    'NumberChanged: 150',
    'OptionalLeftOut: { b }',
    'OptionalLeftOut: one(a, b)',
    'OperandDropped: a',
    'OperandDropped: b',
    'EarlyReturn: return;',
    'ThrowRemoved: ;',
  ]) {
    t.ok(changes.includes(change), change);
  }
  t.notOk(
    changes.some((change) => change.startsWith('StringLiteral')),
    'not the text of an error',
  );
});

void t.test(
  'a switch turns on one mutant of a compiled source, and else it is as it was',
  async (t) => {
    const folder = testFolder(t);
    const file = join(folder, 'source.ts');
    writeFileSync(file, 'export const sum = (a: number, b: number): number => a + b;\n');
    const all = await mutantsOf(file);
    const minus = all.find(({ kind }) => kind === 'ArithmeticOperator')!;
    const { sources, mutants } = await sourcesWith([minus]);
    const { transform } = await import('esbuild');
    const { code } = await transform(sources.get(file)!, { loader: 'ts' });
    const program = join(folder, 'source.mjs');
    writeFileSync(program, `${code}\nprocess.stdout.write(String(sum(5, 3)));\n`);
    const run = (more: Record<string, string>): string =>
      execFileSync(process.execPath, [program], {
        env: { ...process.env, NODE_OPTIONS: '', ...more },
        encoding: 'utf8',
      });
    t.equal(run({}), '8');
    t.equal(run({ __STRYKER_ACTIVE_MUTANT__: mutants[0]!.id }), '2');
  },
);

void t.test(
  'probes tell which parts run, once in each process, and lines keep their numbers',
  async (t) => {
    const folder = testFolder(t);
    const text = [
      'export function f(a) {',
      '  if (a) return g(1);',
      '  else return a ? 1 : (b) => ({ b });',
      '}',
      'function g(n) { for (;;) { switch (n) { case 1: return n; default: n = 2; } } }',
      'f(true); f(true);',
    ].join('\n');
    const { text: probed, regions } = withProbes('source.js', text, 100);
    t.equal(probed.split('\n').length, text.split('\n').length);
    writeFileSync(join(folder, 'source.mjs'), probed);
    const hits = join(folder, 'hits');
    execFileSync(process.execPath, [join(folder, 'source.mjs')], {
      env: { ...process.env, NODE_OPTIONS: '', MUTANTS_HITS: hits },
    });
    const passed = readFileSync(hits, 'utf8').trim().split('\n').map(Number);
    t.equal(new Set(passed).size, passed.length);
    const texts = passed.map((hit) => text.slice(...regions[hit - 100]!).split('\n')[0]);
    t.strictSame(texts, [
      'export function f(a) {',
      '{',
      'return g(1);',
      '{ for (;;) { switch (n) { case 1: return n; default: n = 2; } } }',
      '{ switch (n) { case 1: return n; default: n = 2; } }',
      'return n;',
    ]);
  },
);

void t.test(
  'a review holds for its line wherever it moves, and for no other change of it',
  async (t) => {
    for (const { file, line, reason } of reviewedOnes()) {
      const lines = readFileSync(file, 'utf8').split('\n');
      t.ok(
        lines.some((text) => text.trim() === line),
        `${file}: ${line}`,
      );
      t.match(reason, /\w+ \w+/);
    }
    const [one] = reviewedOnes();
    if (one === undefined) return;
    const lines = readFileSync(one.file, 'utf8').split('\n');
    const line = lines.findIndex((text) => text.trim() === one.line) + 1;
    t.equal(isReviewed({ ...one, line } as unknown as Placed), one.reason);
    t.equal(isReviewed({ ...one, line, replacement: 'else' } as unknown as Placed), null);
  },
);

void t.test('the table counts found ones of those that are no equivalents', async (t) => {
  const finding = { isTried: true, cpu: 2, reviewed: null, left: 0 };
  const table = tableByRoom([
    { ...finding, file: 'src/http/a.ts', by: 'src/http/a.test.js' },
    { ...finding, file: 'src/http/a.ts', by: 'system/api/a.test.js' },
    { ...finding, file: 'src/http/b.ts', by: null, reviewed: 'nobody can see it' },
    { ...finding, file: 'actors/b.ts', by: null, left: 3 },
    { ...finding, file: 'actors/b.ts', by: null, isTried: false },
  ]);
  t.strictSame(table.split('\n').slice(2), [
    '| actors | 1 | 0 | 0 | 0 % | 1 | 0 | 0 | 2 |',
    '| src/http | 3 | 1 | 2 | 100 % | 0 | 1 | 1 | 6 |',
    '| **all** | 4 | 1 | 2 | 67 % | 1 | 1 | 1 | 8 |',
  ]);
});
