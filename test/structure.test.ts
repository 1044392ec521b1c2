import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

/* What scripts/structure.js counts, over sources that are written down here; and the files that are long. */

interface Source {
  readonly lines: number;
  readonly imports: readonly string[];
}

interface Structure {
  readonly countsOf: (files: ReadonlyMap<string, Source>) => Record<string, unknown>;
  readonly figuresOf: (before: object, now: object) => [string, number | '', number | ''][];
  readonly linesOf: (text: string) => number;
}

interface Rules {
  readonly sourceFiles: () => readonly string[];
}

interface Trace {
  readonly filesOf: (
    rounds: readonly ReadonlyMap<string, string>[],
  ) => { file: string; functions: string[] }[];
}

const { countsOf, figuresOf, linesOf } = (await load('structure.js')) as Structure;
const { sourceFiles } = (await load('import-rules.js')) as Rules;
const { filesOf } = (await load('trace-message.js')) as Trace;

function load(script: string): Promise<unknown> {
  return import(pathToFileURL(join('scripts', script)).href);
}

void t.test('rooms, folders, short files, single importers and circles are counted', async (t) => {
  const files = new Map<string, Source>([
    ['src/main.ts', { lines: 31, imports: ['src/a/one.ts', 'src/a/one.ts', 'src/a/two.ts'] }],
    ['src/a/one.ts', { lines: 30, imports: ['src/a/two.ts', 'node_modules/elsewhere.ts'] }],
    ['src/a/two.ts', { lines: 100, imports: ['src/b/three.ts'] }],
    ['src/b/three.ts', { lines: 1, imports: ['src/a/two.ts'] }],
  ]);
  t.strictSame(countsOf(files), {
    names: ['src/main.ts', 'src/a/one.ts', 'src/a/two.ts', 'src/b/three.ts'],
    lines: 162,
    rooms: ['src/a', 'src/b', 'src/main.ts'],
    arrows: ['src/a imports src/b', 'src/b imports src/a', 'src/main.ts imports src/a'],
    folders: [
      ['src/a', 2],
      ['src', 1],
      ['src/b', 1],
    ],
    long: [],
    short: ['src/a/one.ts', 'src/b/three.ts'],
    oneImporter: ['src/a/one.ts', 'src/b/three.ts'],
    circles: [['src/a/two.ts', 'src/b/three.ts']],
  });
});

void t.test('the figures of two commits stand side by side', async (t) => {
  const before = {
    ...countsOf(new Map([['src/main.ts', { lines: 351, imports: [] }]])),
    further: { sources: 1, tests: 2, scripts: 3 },
    upward: ['one'],
  };
  const names = Array.from({ length: 28 }, (_, i) => `${i < 2 ? 'schemas' : 'src'}/${i}.ts`);
  const now = {
    ...countsOf(new Map(names.map((name) => [name, { lines: 30, imports: ['schemas/0.ts'] }]))),
    upward: [],
    trace: [
      { lines: 30, functions: ['send', ''] },
      { lines: 12, functions: ['serve'] },
    ],
  };
  t.strictSame(figuresOf(before, now), [
    ['files', 1, 28],
    ['files of schemas', 0, 2],
    ['lines', 351, 840],
    ['lines of src and schemas', 1, ''],
    ['lines of tests', 2, ''],
    ['lines of scripts', 3, ''],
    ['loose files of src', 1, 26],
    ['rooms at the top', 1, 27],
    ['imports between rooms', 0, 26],
    ['files in the largest folder', 1, 26],
    ['folders of more than 25 files', 0, 1],
    ['imports that point upward', 1, 0],
    ['circles of imports', 0, 0],
    ['files of more than 350 lines', 1, 0],
    ['files of at most 30 lines', 0, 28],
    ['files with one importer', 0, 0],
    ['files that POST /messages passes', '', 2],
    ['their lines', '', 42],
    ['functions that it passes', '', 3],
  ]);
});

void t.test('a last line counts with and without a line break', async (t) => {
  t.equal(linesOf('one\ntwo\n'), 2);
  t.equal(linesOf('one\ntwo'), 2);
});

void t.test('a trace keeps the functions that ran for every message', async (t) => {
  const rounds = [
    new Map([
      ['src/a.ts:10', 'send'],
      ['src/a.ts:90', ''],
      ['src/b.ts:10', 'onTimer'],
    ]),
    new Map([
      ['src/a.ts:90', ''],
      ['src/a.ts:10', 'send'],
      ['src/b.ts:20', 'onOtherTimer'],
    ]),
  ];
  t.strictSame(filesOf(rounds), [{ file: 'src/a.ts', functions: ['send', ''] }]);
});

/** Where files of more than 350 lines are listed. */
const PAGE = 'docs/architecture.md#long-files';

void t.test(
  'the list of architecture.md#long-files has the files of more than 350 lines and no others',
  async (t) => {
    const files = new Map(
      sourceFiles().map((file) => [
        file,
        { lines: linesOf(readFileSync(file, 'utf8')), imports: [] },
      ]),
    );
    const page = readFileSync(PAGE.split('#')[0]!, 'utf8');
    const [, list = ''] = /<a id="long-files"><\/a>([^]*?)<a id=/.exec(page) ?? [];
    const named = [...list.matchAll(/\]\(\.\.\/(src\/[^)]+)\)/g)].map(([, file]) => file!);
    t.strictSame(named.sort(), [...(countsOf(files).long as string[])].sort());
  },
);
