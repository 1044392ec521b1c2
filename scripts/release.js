/*
 * Makes a release in two steps:
 *
 *     npm run release -- prepare VERSION    raises the version, and gives what is unreleased in CHANGELOG.md its name
 *     npm run release -- build [FOLDER]     makes what is published, in FOLDER (default: release/VERSION)
 *
 * Between them lies a commit whose whole test run passed: `build` refuses any other. It writes the archives of the
 * server and of the client package, the sources that an image is built from, the list of all packages in them
 * (CycloneDX), the section of the changelog, and the SHA-256 of each. It publishes nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Files that have the version, and where in them. */
const VERSIONED = [
  ['package.json', /^(  "version": ")[^"]+/m],
  ['package-lock.json', /^(  "version": ")[^"]+/m],
  ['package-lock.json', /^(      "version": ")[^"]+/m],
  ['src/client/package.json', /^(  "version": ")[^"]+/m],
  ['src/organization/state/software.ts', /^(export const SOFTWARE_VERSION = ')[^']+/m],
];
const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;
const UNRELEASED = '## [Unreleased]';
/** What a whole run of the tests leaves behind, by test/run-processes.ts. */
const TESTED = 'dist/tested.json';

/** The section of a version, or of what is unreleased, without its heading; null where there is none. */
export function changelogSection(changelog, heading) {
  const all = changelog.split('\n');
  const at = all.findIndex((line) => line === heading || line.startsWith(`${heading} - `));
  if (at < 0) return null;
  const lines = all.slice(at + 1);
  const end = lines.findIndex((line) => line.startsWith('## '));
  return (end < 0 ? lines : lines.slice(0, end)).join('\n').trim();
}

function isLater(version, former) {
  const [a, b] = [version, former].map((one) => VERSION.exec(one).slice(1).map(Number));
  const place = a.findIndex((number, i) => number !== b[i]);
  return place >= 0 && a[place] > b[place];
}

/** @returns why this version cannot be prepared, a sentence each */
export function prepareFaults(root, version) {
  const { version: former } = readJson(root, 'package.json');
  if (!VERSION.test(version)) return [`${version} is no version such as 1.2.3`];
  const faults = [];
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const isFirst = !/^## \[\d/m.test(changelog);
  if (!isLater(version, former) && !(isFirst && version === former)) {
    faults.push(`${version} is not later than ${former}`);
  }
  if (!changelogSection(changelog, UNRELEASED)) faults.push('CHANGELOG.md has nothing unreleased');
  return faults;
}

/** Raises the version everywhere, and names the changes. @param date such as 2026-11-27 */
export function prepare(root, version, date) {
  for (const [name, pattern] of VERSIONED) {
    const path = join(root, name);
    const text = readFileSync(path, 'utf8');
    if (!pattern.test(text)) throw new Error(`${name} has no version`);
    writeFileSync(path, text.replace(pattern, `$1${version}`));
  }
  const path = join(root, 'CHANGELOG.md');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${date}`));
}

/** @returns why the present commit cannot be released, a sentence each */
export function buildFaults(root) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const { version } = readJson(root, 'package.json');
  const faults = [];
  if (git('status', '--porcelain') !== '') faults.push('there are changes that are not committed');
  if (git('tag', '--list', `v${version}`) !== '') faults.push(`v${version} is released`);
  for (const [name, pattern] of VERSIONED) {
    const [found = ''] = pattern.exec(readFileSync(join(root, name), 'utf8')) ?? [];
    if (!found.endsWith(version)) faults.push(`${name} has another version than ${version}`);
  }
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  if (!changelogSection(changelog, `## [${version}]`)) {
    faults.push(`CHANGELOG.md has no section of ${version}: npm run release -- prepare ${version}`);
  }
  const tested = existsSync(join(root, TESTED)) ? readJson(root, TESTED) : {};
  if (tested.commit !== git('rev-parse', 'HEAD')) {
    faults.push('this commit is untested: PARLEY_TEST_SHARE=all npm test has to pass first');
  }
  return faults;
}

function build(root, folder) {
  const { version } = readJson(root, 'package.json');
  mkdirSync(folder, { recursive: true });
  const run = (program, args) =>
    execFileSync(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  run(process.execPath, ['scripts/package.js', folder]);
  run(process.execPath, ['scripts/package-client.js', folder]);
  const prefix = `parley-${version}`;
  run('git', [
    ...['archive', '--format=tar.gz', `--prefix=${prefix}/`],
    ...['--output', join(folder, `${prefix}-image-context.tar.gz`), 'HEAD'],
  ]);
  const sbom = run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev']);
  writeFileSync(join(folder, `${prefix}.cdx.json`), sbom);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const section = changelogSection(changelog, `## [${version}]`);
  writeFileSync(join(folder, `CHANGELOG-${version}.md`), `${section}\n`);
  const sums = readdirSync(folder)
    .filter((name) => name !== 'SHA256SUMS')
    .sort()
    .map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function readJson(root, name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

function main([step, argument]) {
  const root = join(import.meta.dirname, '..');
  const say = (line) => process.stderr.write(`${line}\n`);
  const isPrepare = step === 'prepare' && argument !== undefined;
  if (!isPrepare && step !== 'build') {
    say('Usage: npm run release -- prepare VERSION, or npm run release -- build [FOLDER]');
    return 2;
  }
  const faults = isPrepare ? prepareFaults(root, argument) : buildFaults(root);
  if (faults.length > 0) {
    for (const fault of faults) say(`Refused: ${fault}`);
    return 1;
  }
  const { version } = readJson(root, 'package.json');
  if (isPrepare) {
    prepare(root, argument, new Date().toISOString().slice(0, 10));
    say(
      `Commit this as ${argument}, run PARLEY_TEST_SHARE=all npm test, then npm run release -- build`,
    );
  } else {
    const folder = resolve(argument ?? join(root, 'release', version));
    build(root, folder);
    say(`${folder} has the release; tag the commit as v${version}`);
  }
  return 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = main(process.argv.slice(2));
}
