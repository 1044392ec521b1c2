/** What scripts/mutants.js draws and changes; whether tests notice it, the command says (docs/mutants.md). */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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

interface Outcome {
  readonly failed: string | null;
  readonly how: string;
  readonly cpu: number;
  readonly passed: { file: string; cpu: number }[];
}

interface Open {
  readonly mutant: { readonly id: string; readonly file: string };
  readonly finding: { by: string | null; how: string; cpu: number; ran: number; left: number };
}

/** A search whose tests are run by a function. */
interface Search {
  run: (files: readonly string[], mutants: readonly { id: string }[]) => Promise<Outcome>;
  together: (some: readonly Open[], tell: (one: Open) => void, jobs: number) => Promise<void>;
}

interface Scripts {
  readonly draw: (options: { seed: number; folder?: string }) => AsyncGenerator<Mutant, void>;
  readonly roomOf: (file: string) => string;
  readonly mutantsOf: (file: string) => Promise<Mutant[]>;
  readonly sourcesWith: (
    mutants: readonly Mutant[],
  ) => Promise<{ sources: Map<string, string>; mutants: Placed[] }>;
  readonly Search: new (parts: object) => Search;
  readonly isReviewed: (mutant: Placed) => string | null;
  readonly reviewedOnes: () => { file: string; line: string; reason: string }[];
  readonly tableByRoom: (findings: readonly object[]) => string;
}

async function load(script: string): Promise<Partial<Scripts>> {
  const url = pathToFileURL(join('scripts/mutants', `${script}.js`)).href;
  return (await import(url)) as Partial<Scripts>;
}

const scripts = ['draw', 'find', 'instrument', 'report'].map(load);
const loaded = Object.assign({}, ...(await Promise.all(scripts))) as Scripts;
const { draw, roomOf, mutantsOf, sourcesWith, Search } = loaded;
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

void t.test('of mutants that meet a test together, each that it notices is found', async (t) => {
  const notices: Record<string, string[]> = { a: ['3', '6'], b: ['6'], c: [], d: ['1'], e: [] };
  const runs: string[][] = [];
  const distance = (test: string, file: string): number | undefined =>
    test === 'd' && file !== 'src/1.ts' ? undefined : 1;
  const search = new Search({
    copy: '',
    tests: Object.keys(notices),
    imports: { distance, startsProgram: () => false },
    mirrorOf: () => null,
    costs: new Map(),
    total: 1000,
  });
  search.run = (files, mutants) => {
    runs.push(mutants.map(({ id }) => id));
    const isNoticed = (file: string): boolean =>
      // `e` fails by chance, or anyway.
      file === 'e' || mutants.some(({ id }) => notices[file]!.includes(id));
    const failed = files.find(isNoticed) ?? null;
    const some = files.slice(0, failed === null ? files.length : files.indexOf(failed));
    const passed = some.map((file) => ({ file, cpu: 1 }));
    return Promise.resolve({ failed, how: 'fails', cpu: 8, passed });
  };
  const some = Array.from({ length: 8 }, (_one, i) => ({
    mutant: { id: String(i), file: `src/${i}.ts` },
    finding: { by: null, how: '', cpu: 0, ran: 0, left: 1 },
  }));
  const told: string[] = [];
  await search.together(some, ({ mutant, finding }) => told.push(mutant.id + finding.by), 1);
  t.strictSame(told.sort(), ['1d', '3a', '6a']);
  t.strictSame(
    some.filter(({ finding }) => finding.by === null).map(({ mutant }) => mutant.id),
    ['0', '2', '4', '5', '7'],
  );
  t.equal(some[0]!.finding.left, 0);
  t.equal(some[0]!.finding.ran, 3, 'a, b and c');
  t.ok(runs.length < 24, 'fewer than each alone with each of the tests that notice it');
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
  'switches turn on mutants of a compiled source, one or several, and else it is as it was',
  async (t) => {
    const folder = testFolder(t);
    const file = join(folder, 'source.ts');
    const text =
      'const two = 2;\nexport const sum = (a: number, b: number): number => a + b * two;\n';
    writeFileSync(file, text);
    const all = await mutantsOf(file);
    const some = all.filter(({ kind, key }) => /Arithmetic|Number.*#0/.test(kind + key));
    const { sources, mutants } = await sourcesWith(some);
    const idOf = (change: string): string =>
      mutants.find(({ replacement }) => replacement === change)!.id;
    const { transform } = await import('esbuild');
    const { code } = await transform(sources.get(file)!, { loader: 'ts' });
    const program = join(folder, 'source.mjs');
    writeFileSync(program, `${code}\nprocess.stdout.write(String(sum(5, 3)));\n`);
    const run = (more: Record<string, string>): string =>
      execFileSync(process.execPath, [program], {
        env: { ...process.env, NODE_OPTIONS: '', ...more },
        encoding: 'utf8',
      });
    const [minus, three] = [idOf('a - b * two'), idOf('3')];
    const withOn = (...ids: string[]) => run({ __STRYKER_ACTIVE_MUTANT__: ids.join(',') });
    t.equal(run({}), '11');
    t.equal(withOn(minus), '-1');
    t.equal(withOn(three), '14');
    t.equal(withOn(three, minus), '-4');
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
  const finding = { cpu: 2, reviewed: null, left: 0 };
  const table = tableByRoom([
    { ...finding, file: 'src/http/a.ts', by: 'src/http/a.test.js' },
    { ...finding, file: 'src/http/a.ts', by: 'system/api/a.test.js' },
    { ...finding, file: 'src/http/b.ts', by: null, reviewed: 'nobody can see it' },
    { ...finding, file: 'actors/b.ts', by: null, left: 3 },
  ]);
  t.strictSame(table.split('\n').slice(2), [
    '| actors | 1 | 0 | 0 | 0 % | 1 | 0 | 0 | 2 |',
    '| src/http | 3 | 1 | 2 | 100 % | 0 | 1 | 1 | 6 |',
    '| **all** | 4 | 1 | 2 | 67 % | 1 | 1 | 1 | 8 |',
  ]);
});
