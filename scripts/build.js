/*
 * Compiles what is asked for into dist/, and nothing when nothing changed: node scripts/build.js PART
 *
 *     server   schemas, actors, src, bundled into dist/server     what `npm start` runs
 *     bench    that, and every file of these and of bench         what `npm run bench` runs
 *     tests    every file of these and of test, no bundle         what tests of modules run
 *     all      that, and the bundle                               what `npm test` runs
 *
 * It compiles only; types are checked by `npm run types`, a part of `npm test`. Beside the bundle every
 * file is compiled by itself (no enum, no namespace, verbatim imports), so only those that changed are.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, bundler, MESSAGES, SYNTAX } from './bundle.js';
import { CATALOGS, serverMessages, writeValueTypes } from './languages.js';

const SERVER = ['schemas', 'actors', 'src'];
/** Folders with sources. */
const ALL = [...SERVER, 'bench', 'test'];
/** What each part compiles: the bundle, and the folders of which every file is compiled by itself. */
const PARTS = {
  server: { bundled: true, folders: [] },
  bench: { bundled: true, folders: [...SERVER, 'bench'] },
  tests: { bundled: false, folders: ALL },
  all: { bundled: true, folders: ALL },
};
/** Read from beside the compiled files by tests of single modules. */
const COPIED = ['src/store/redis/scripts'];
/** With the sources, what decides about the compiled files. */
const SETTINGS = [
  'package.json',
  'tsconfig.json',
  'scripts/build.js',
  'scripts/bundle.js',
  'scripts/commonjs-form.js',
  'scripts/languages.js',
];
const ROOT = join(import.meta.dirname, '..');
const OUTPUT = join(ROOT, 'dist');
/** The server bundled, one folder of dist/. */
const BUNDLE = join(OUTPUT, 'server');
/** Byte code of the bundle that earlier starts kept (`src/platform/compile-cache.ts`). */
const COMPILE_CACHE = join(OUTPUT, 'compile-cache');
/** What dist/ holds: a fingerprint of the sources of the bundle, of the settings, and of each source by itself. */
const STAMP = join(OUTPUT, '.compiled.json');

/**
 * Compiles a part where its sources changed.
 * @param {'server' | 'bench' | 'tests' | 'all'} part
 * @param {(line: string) => void} say for the person who waits
 * @throws Error with the faults of the sources, or when the compiler is not installed
 */
export async function build(part, say) {
  if (PARTS[part] === undefined) {
    throw new Error(`Unknown part ${part}: one of ${Object.keys(PARTS).join(', ')}`);
  }
  const { bundled, folders } = PARTS[part];
  const began = Date.now();
  const settings = hashOf(SETTINGS.map((file) => readFileSync(join(ROOT, file), 'utf8')));
  const stamp = readStamp(settings);
  const sources = new Map(folders.map((folder) => [folder, fingerprints(folder)]));
  const isBundleStale = bundled && stamp.server !== bundleStamp(sources);
  // A test without a source would still be run.
  for (const file of Object.keys(stamp.files)) {
    const isGone = sources.get(folderOf(file))?.[file] === undefined;
    if (isGone && sources.has(folderOf(file))) removeOutput(stamp, file);
  }
  const stale = [...sources.values()].flatMap((files) =>
    Object.keys(files).filter(
      (file) => (isCompiledAlone(file) || isCatalog(file)) && stamp.files[file] !== files[file],
    ),
  );
  if (!isBundleStale && stale.length === 0) return;
  const what = [...(isBundleStale ? ['server'] : []), ...named(stale)].join(', ');
  await writeValueTypes(ROOT);
  say(`Compiling ${what} (${stamp.isNew ? 'not compiled yet' : 'sources changed'}) ...`);
  if (isBundleStale) {
    // An interrupted build leaves no claim behind.
    writeStamp({ ...stamp, server: '' });
    rmSync(COMPILE_CACHE, { recursive: true, force: true });
    const server = bundleStamp(sources);
    await bundle(ROOT, BUNDLE);
    stamp.server = server;
  }
  if (folders.length > 0) {
    for (const file of stale) delete stamp.files[file];
    writeStamp(stamp);
    await compileFiles(stale);
    for (const files of sources.values()) Object.assign(stamp.files, files);
  }
  writeStamp(stamp);
  say(`Compiled in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

/** A few files by their names, more by their folders. */
function named(files) {
  return files.length <= 3 ? files : [...new Set(files.map(folderOf))];
}

/** The folder at the top that a source is in. */
function folderOf(file) {
  return file.slice(0, file.indexOf('/'));
}

/** What the bundle is made of, in one fingerprint. */
function bundleStamp(known) {
  const parts = SERVER.map((folder) => known.get(folder) ?? fingerprints(folder));
  return hashOf(parts.flatMap((files) => Object.entries(files).map((entry) => entry.join(' '))));
}

/** Whether a source has an output of its own: pages of browsers are in the bundle only, other files are copied. */
function isCompiledAlone(file) {
  return file.endsWith('.ts') && !file.startsWith('src/web/');
}

function isCatalog(file) {
  return file.startsWith(`${CATALOGS}/`) && file.endsWith('.json');
}

/** Compiles each file to one of its own, and the messages together. @throws Error with the faults of the sources */
async function compileFiles(files) {
  const { build: run, formatMessages } = await bundler();
  try {
    await run({
      ...SYNTAX,
      absWorkingDir: ROOT,
      entryPoints: files.filter((file) => !isCatalog(file)),
      outdir: OUTPUT,
      outbase: ROOT,
      format: 'esm',
      logLevel: 'silent',
    });
    if (files.some(isCatalog)) {
      const output = join(OUTPUT, CATALOGS, MESSAGES);
      await serverMessages({ root: ROOT, output, build: run, options: SYNTAX });
    }
  } catch (error) {
    const faults = await formatMessages(error.errors ?? [], { kind: 'error' });
    throw new Error(`the compiler found faults\n${faults.join('') || error.message}`);
  }
  for (const folder of COPIED) {
    cpSync(join(ROOT, folder), join(OUTPUT, folder), { recursive: true });
  }
}

/** Whether a server was compiled at all, by whomever. */
export function isCompiled() {
  return existsSync(join(BUNDLE, 'main.js'));
}

/** The sources of a folder, each with what changes when it does. */
function fingerprints(folder) {
  return Object.fromEntries(
    sourcesOf(folder).map((file) => {
      const { size, mtimeMs } = statSync(join(ROOT, file));
      // Copies of a file keep its time to the millisecond.
      return [file, `${size} ${Math.floor(mtimeMs)}`];
    }),
  );
}

function hashOf(lines) {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** Everything of a folder that ends up in dist/. */
function sourcesOf(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|css|lua|json)$/.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();
}

/** Removes what was compiled from a source that is gone. */
function removeOutput(stamp, file) {
  delete stamp.files[file];
  const output = join(OUTPUT, file.replace(/\.ts$/, '.js'));
  for (const name of [output, `${output}.map`]) rmSync(name, { force: true });
  writeStamp(stamp);
}

/** What was compiled under the same settings; what was under others goes. */
function readStamp(settings) {
  let found = null;
  try {
    found = JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    // Nothing was compiled yet, or the last build was cut off.
  }
  if (found?.settings === settings) return found;
  for (const folder of ALL) rmSync(join(OUTPUT, folder), { recursive: true, force: true });
  return { settings, server: '', files: {}, isNew: found === null };
}

/** Whole or not at all, also for who reads it at this moment. */
function writeStamp({ settings, server, files }) {
  mkdirSync(dirname(STAMP), { recursive: true });
  const draft = `${STAMP}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ settings, server, files }));
  renameSync(draft, STAMP);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  build(process.argv[2] ?? 'all', (line) => process.stderr.write(`${line}\n`)).catch((error) => {
    process.stderr.write(`Cannot build: ${error.message}\n`);
    process.exit(1);
  });
}
