/** What each platform of a landing runs: what it can break, and its share of what is too dear for all of them. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import t from 'tap';
import { testOf } from './mirror-rules.js';
import { isOfPlatform, isTaken } from './platform-tests.js';
import { isDrawn, shareOf, SHARES } from './shares.js';
import { ALL_TESTS, DIVIDED_TESTS, MODULE_TESTS } from './test-files.js';

interface Rules {
  readonly sourceFiles: () => readonly string[];
  readonly specifiersOf: (file: string) => readonly string[];
}

const { sourceFiles, specifiersOf } = (await import(
  pathToFileURL(join('scripts', 'import-rules.js')).href
)) as Rules;

void t.test(
  'the test of each module that stands on the machine runs on every platform',
  async (t) => {
    const composition = ['app', 'host', 'nodes', 'operator', 'transfer'];
    const below = ['platform', 'http', 'store', 'languages', 'turns', 'config', 'cli'];
    const rooms = [...composition, ...below];
    const services = [
      'auth',
      'markdown',
      'outside',
      'pictures',
      's3',
      'search',
      'search-index',
      'text',
    ];
    const folders = [...rooms, ...services.map((name) => `services/${name}`)].map(
      (name) => `src/${name}/`,
    );
    const onMachine = sourceFiles().filter(
      (file) =>
        folders.some((folder) => file.startsWith(folder)) ||
        (/^(src|actors)\/(?!client|web)/.test(file) &&
          specifiersOf(file).some((one) => one.startsWith('node:'))),
    );
    t.ok(onMachine.length > 200, `${onMachine.length} sources`);
    const left = onMachine.filter((file) => {
      const test = testOf(file)
        ?.replace(/^test\//, '')
        .replace(/\.ts$/, '.js');
      return test !== undefined && !test.startsWith('system/') && !isOfPlatform(test);
    });
    t.strictSame(left, []);
  },
);

void t.test('what single releases of Node broke is found on each', (t) => {
  // The faults of November 2026 that one release had: of texts, of bodies that are held, of names of folders.
  const found = [
    'src/http/native',
    'src/http/request/body-stream',
    'src/transfer/import/import-zulip',
  ];
  for (const name of found) t.ok(isOfPlatform(`${name}.test.js`), name);
  t.end();
});

void t.test(
  'what is the same wherever it runs does so on the platform of the machine alone',
  (t) => {
    const pure = [
      'actors/host',
      'journal/renderers/message',
      'schemas/areas',
      'src/services/hooks/work',
    ];
    for (const name of pure) t.notOk(isOfPlatform(`${name}.test.js`), name);
    const left = MODULE_TESTS.filter((file) => !isOfPlatform(file));
    t.ok(left.length > MODULE_TESTS.length / 3, `${left.length} of ${MODULE_TESTS.length}`);
    t.end();
  },
);

void t.test(
  'the platforms of a landing divide what is dear, each another share, and leave nothing out',
  (t) => {
    const platforms = JSON.parse(readFileSync('scripts/platforms.json', 'utf8')) as {
      node: string;
    }[];
    const majors = platforms.map(({ node }) => parseInt(node));
    t.equal(majors.length, SHARES);
    for (const share of ['0', '1', '268435455']) {
      for (let number = 0; number < 7; number++) {
        const takers = majors.filter((major) => isDrawn(number, share, major));
        t.equal(takers.length, 1, `case ${number} of share ${share}`);
      }
    }
    const of20 = (share: string) => [0, 1, 2].filter((number) => isDrawn(number, share, 20));
    t.strictSame(['0', '1', '2'].map(of20), [[2], [1], [0]], 'another one the next time');
    t.end();
  },
);

void t.test('whoever names a file, and every night, takes all', (t) => {
  t.strictSame(shareOf(['a', 'b', 'c', 'd'], 'all'), ['a', 'b', 'c', 'd']);
  t.ok([0, 1, 2].every((number) => isDrawn(number, '')));
  t.end();
});

void t.test('each test runs in each landing, those of the machine on two platforms', (t) => {
  const MAJORS = [20, 22, 24];
  const takers = (file: string, share: number): number[] =>
    MAJORS.filter((major) => isTaken(file, { ofPlatform: major !== 20, share: `${share}`, major }));
  for (const file of ALL_TESTS) {
    const isDivided = DIVIDED_TESTS.includes(file);
    const others = new Set<number>();
    // So many landings, one after the other.
    for (let share = 268_435_450; share < 268_435_456; share++) {
      const by = takers(file, share);
      if (isDivided) t.equal(by.length, 1, file);
      else if (isOfPlatform(file) && by.length < 2) t.fail(`${file} by ${by.join()}`);
      if (!isDivided && !by.includes(20)) t.fail(`${file} not by that of the machine`);
      for (const major of by) if (major !== 20) others.add(major);
    }
    if (file.startsWith('system/') || isOfPlatform(file)) t.equal(others.size, 2, file);
  }
  t.ok(ALL_TESTS.every((file) => isTaken(file, { ofPlatform: false, share: 'all' })));
  t.ok(ALL_TESTS.every((file) => isTaken(file, { ofPlatform: true, share: 'all' })));
  t.ok(DIVIDED_TESTS.length > 40, 'what is divided is there');
  t.end();
});
