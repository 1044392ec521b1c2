/** What a release refuses, and what it writes down; the archives have tests of their own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { testFolder } from '../fixtures/test-folder.js';

interface Release {
  readonly buildFaults: (root: string) => string[];
  readonly changelogSection: (changelog: string, heading: string) => string | null;
  readonly prepare: (root: string, version: string, date: string) => void;
  readonly prepareFaults: (root: string, version: string) => string[];
}

const script = pathToFileURL(join(process.cwd(), 'scripts/release.js')).href;
const { buildFaults, changelogSection, prepare, prepareFaults } = (await import(script)) as Release;

/** A bare system has none, and releases nothing. */
const noGit = spawnSync('git', ['--version']).error ? 'there is no git' : false;

const CHANGELOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n';
/** All that have the version, as in the project. */
const VERSIONED = [
  'package.json',
  'package-lock.json',
  'src/client/package.json',
  'src/organization/state/software.ts',
];

/** A repository with the files of this one that a release reads, and this changelog. */
function project(t: Test, changelog: string) {
  const root = testFolder(t);
  for (const name of VERSIONED) write(name, readFileSync(name, 'utf8'));
  write('CHANGELOG.md', changelog);
  write('.gitignore', 'dist/\n');
  git('init', '--quiet');
  commit();
  return { root, git, commit, write, read };

  function write(name: string, content: string): void {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  function read(name: string): string {
    return readFileSync(join(root, name), 'utf8');
  }
  function git(...args: string[]): string {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  }
  function commit(): void {
    git('add', '--all');
    const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
    git(...author, 'commit', '--quiet', '--allow-empty', '--message', 'All');
  }
}

void t.test('a version is prepared in all that have it', { skip: noGit }, async (t) => {
  const { root, read } = project(t, CHANGELOG);
  t.same(prepareFaults(root, '0.1.0'), [], 'the first release may have the version that is there');
  t.same(prepareFaults(root, '0.0.9'), ['0.0.9 is not later than 0.1.0']);
  t.same(prepareFaults(root, '1.0'), ['1.0 is no version such as 1.2.3']);
  prepare(root, '0.2.0', '2026-11-27');
  t.equal(
    read('CHANGELOG.md'),
    CHANGELOG.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.2.0] - 2026-11-27\n'),
  );
  t.match(JSON.parse(read('package-lock.json')), {
    version: '0.2.0',
    packages: { '': { version: '0.2.0' } },
  });
  for (const name of VERSIONED) t.match(read(name), /["']0\.2\.0["']/, name);
  t.same(prepareFaults(root, '0.2.0'), [
    '0.2.0 is not later than 0.2.0',
    'CHANGELOG.md has nothing unreleased',
  ]);
  t.same(changelogSection(read('CHANGELOG.md'), '## [0.2.0]'), '### Added\n\n- A thing.');
});

void t.test(
  'a release of what is untested, uncommitted or unnamed is refused',
  { skip: noGit },
  async (t) => {
    const { root, git, commit, write } = project(t, CHANGELOG);
    t.same(buildFaults(root), [
      'CHANGELOG.md has no section of 0.1.0: npm run release -- prepare 0.1.0',
      'this commit is untested: PARLEY_TEST_SHARE=all npm test has to pass first',
    ]);
    prepare(root, '0.1.0', '2026-11-27');
    const tested = (): void =>
      write('dist/tested.json', JSON.stringify({ commit: git('rev-parse', 'HEAD') }));
    tested();
    t.same(buildFaults(root), ['there are changes that are not committed']);
    commit();
    t.same(buildFaults(root), [
      'this commit is untested: PARLEY_TEST_SHARE=all npm test has to pass first',
    ]);
    tested();
    t.same(buildFaults(root), []);
    write('src/client/package.json', '{\n  "version": "0.0.1"\n}\n');
    commit();
    tested();
    t.same(buildFaults(root), ['src/client/package.json has another version than 0.1.0']);
    git('tag', 'v0.1.0');
    t.match(buildFaults(root), ['v0.1.0 is released']);
  },
);
