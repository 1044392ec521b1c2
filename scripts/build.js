/*
 * Compiles what is asked for into dist/, and nothing when nothing changed: node scripts/build.js PART
 *
 *     server   schemas, actors, src, bundled into dist/server     what `npm start` runs
 *     bench    that, and every file of these and of bench         what `npm run bench` runs
 *     all      that, and test                                     what `npm test` runs
 *
 * It compiles only; types are checked by `npm run types`, a part of `npm test`. Beside the bundle every
 * file is compiled by itself (no enum, no namespace, verbatim imports), so each folder is up to date when
 * its own sources are.
 */
import { spawn } from 'node:child_process';
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
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.js';

const SERVER = ['schemas', 'actors', 'src'];
/** What is compiled file by file for each part, and the compiler's configuration for it. */
const PARTS = {
  server: null,
  bench: { folders: [...SERVER, 'bench'], config: 'tsconfig.bench.json' },
  all: { folders: [...SERVER, 'bench', 'test'], config: 'tsconfig.json' },
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
];
const ROOT = join(import.meta.dirname, '..');
const OUTPUT = join(ROOT, 'dist');
/** The server bundled, one folder of dist/. */
const BUNDLE = join(OUTPUT, 'server');
/** Byte code of the bundle that earlier starts kept (`src/compile-cache.ts`). */
const COMPILE_CACHE = join(OUTPUT, 'compile-cache');
/** What dist/ holds: a fingerprint of the sources of the bundle and of each folder. */
const STAMP = join(OUTPUT, '.compiled.json');

/** The running compiler; ended with this process. */
let compiler;

/**
 * Compiles a part where its sources changed.
 * @param {'server' | 'bench' | 'all'} part
 * @param {(line: string) => void} say for the person who waits
 * @throws Error when the compiler fails or is not installed
 */
export async function build(part, say) {
  if (PARTS[part] === undefined) {
    throw new Error(`Unknown part ${part}: one of ${Object.keys(PARTS).join(', ')}`);
  }
  const fingerprints = Object.fromEntries(SERVER.map((folder) => [folder, fingerprint(folder)]));
  const wanted = { server: hashOf(Object.values(fingerprints)) };
  for (const folder of PARTS[part]?.folders ?? []) {
    wanted[folder] = fingerprints[folder] ?? fingerprint(folder);
  }
  const stamp = readStamp();
  const stale = Object.keys(wanted).filter((name) => stamp[name] !== wanted[name]);
  if (stale.length === 0) return;
  const why = Object.keys(stamp).length === 0 ? 'not compiled yet' : 'sources changed';
  say(`Compiling ${stale.join(', ')} (${why}) ...`);
  const began = Date.now();
  // An interrupted build leaves no claim behind.
  writeStamp({ ...stamp, ...Object.fromEntries(stale.map((name) => [name, ''])) });
  if (stale.includes('server')) {
    rmSync(COMPILE_CACHE, { recursive: true, force: true });
    await bundle(ROOT, BUNDLE);
  }
  if (stale.some((name) => name !== 'server')) await compileFiles(PARTS[part]);
  writeStamp({ ...readStamp(), ...wanted });
  say(`Compiled in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

/** Compiles each file of some folders to one of its own. */
async function compileFiles({ folders, config }) {
  for (const folder of folders) removeOrphans(folder);
  await compile(config, compilerPath());
  for (const folder of COPIED) {
    cpSync(join(ROOT, folder), join(OUTPUT, folder), { recursive: true });
  }
}

/** Ends a build under way, for a signal. */
export function stopBuild() {
  if (compiler?.pid === undefined) return;
  try {
    // The compiler is a process of a process: both are one group.
    process.kill(-compiler.pid, 'SIGTERM');
  } catch {
    compiler.kill('SIGTERM');
  }
}

/** Whether a server was compiled at all, by whomever. */
export function isCompiled() {
  return existsSync(join(BUNDLE, 'main.js'));
}

/** @throws Error where the compiler is not installed */
function compilerPath() {
  const require = createRequire(import.meta.url);
  try {
    return join(require.resolve('typescript-native/package.json'), '../bin/tsc');
  } catch {
    throw new Error('the compiler is not installed: run npm ci (without --omit=dev)');
  }
}

/** Changes with any source of a folder, the settings, and the versions of the compilers. */
function fingerprint(folder) {
  const sources = sourcesOf(folder).map((file) => {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    return `${file} ${size} ${mtimeMs}`;
  });
  const settings = SETTINGS.map((file) => readFileSync(join(ROOT, file), 'utf8'));
  return hashOf([...settings, ...sources]);
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

/** Removes what was compiled from a source that is gone: a test would still be run. */
function removeOrphans(folder) {
  const output = join(OUTPUT, folder);
  if (!existsSync(output)) return;
  const sources = new Set(sourcesOf(folder));
  for (const file of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
    const source = `${folder}/${file}`.replace(/\.js(\.map)?$/, '.ts');
    if (/\.js(\.map)?$/.test(file) && !sources.has(source)) rmSync(join(output, file));
  }
}

/** @throws Error with what the compiler printed */
function compile(config, path) {
  const args = [path, '--project', config, '--noCheck'];
  return new Promise((resolve, reject) => {
    compiler = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: process.platform !== 'win32',
    });
    let printed = '';
    compiler.stdout.on('data', (chunk) => (printed += String(chunk)));
    compiler.on('error', reject);
    compiler.on('close', (code, signal) => {
      compiler = undefined;
      if (code === 0) resolve();
      else reject(new Error(`the compiler ended with ${code ?? signal}\n${printed}`));
    });
  });
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch {
    return {};
  }
}

/** Whole or not at all, also for who reads it at this moment. */
function writeStamp(stamp) {
  mkdirSync(OUTPUT, { recursive: true });
  const draft = `${STAMP}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(stamp));
  renameSync(draft, STAMP);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      stopBuild();
      process.exit(1);
    });
  }
  build(process.argv[2] ?? 'all', (line) => process.stderr.write(`${line}\n`)).catch((error) => {
    process.stderr.write(`Cannot build: ${error.message}\n`);
    process.exit(1);
  });
}
