/*
 * Compiles what is asked for into dist/, and nothing when nothing changed: node scripts/build.js PART
 *
 *     server   schemas, actors, src        what `npm start` runs
 *     bench    and bench                   what `npm run bench` runs
 *     all      and test                    what `npm test` runs
 *
 * It compiles only; types are checked by `npm run types`, a part of `npm test`. Every file is compiled
 * by itself (no enum, no namespace, verbatim imports), so each folder is up to date when its own
 * sources are.
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

/** Folders of each part, and the compiler's configuration for it. */
const PARTS = {
  server: { folders: ['schemas', 'actors', 'src'], config: 'tsconfig.server.json' },
  bench: { folders: ['schemas', 'actors', 'src', 'bench'], config: 'tsconfig.bench.json' },
  all: { folders: ['schemas', 'actors', 'src', 'bench', 'test'], config: 'tsconfig.json' },
};
/** Read from beside the compiled files at run time. */
const COPIED = ['src/store/redis/scripts'];
const ROOT = join(import.meta.dirname, '..');
const OUTPUT = join(ROOT, 'dist');
/** What dist/ holds: a fingerprint of the sources of each folder. */
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
  if (!PARTS[part]) {
    throw new Error(`Unknown part ${part}: one of ${Object.keys(PARTS).join(', ')}`);
  }
  const { folders, config } = PARTS[part];
  const common = compilerOf();
  const wanted = Object.fromEntries(folders.map((folder) => [folder, fingerprint(folder, common)]));
  const stamp = readStamp();
  if (folders.every((folder) => stamp[folder] === wanted[folder])) return;
  const first = Object.keys(stamp).length === 0;
  say(`Compiling ${folders.join(', ')} (${first ? 'not compiled yet' : 'sources changed'}) ...`);
  const began = Date.now();
  // An interrupted build leaves no claim behind.
  writeStamp({ ...stamp, ...Object.fromEntries(folders.map((folder) => [folder, ''])) });
  for (const folder of folders) removeOrphans(folder);
  await compile(config, common.path);
  for (const folder of COPIED)
    cpSync(join(ROOT, folder), join(OUTPUT, folder), { recursive: true });
  writeStamp({ ...readStamp(), ...wanted });
  say(`Compiled in ${((Date.now() - began) / 1000).toFixed(1)} s`);
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
  return existsSync(join(OUTPUT, 'src/main.js'));
}

/** Where the compiler is, and its version. @throws Error where it is not installed */
function compilerOf() {
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve('typescript-native/package.json');
    return { path: join(manifest, '../bin/tsc'), version: require(manifest).version };
  } catch {
    throw new Error(
      'the compiler is not installed: run npm ci (without --omit=dev), or copy dist/ from where it was compiled',
    );
  }
}

/** Changes with any source of a folder, the settings, and the compiler. */
function fingerprint(folder, { version }) {
  const sources = sourcesOf(folder).map((file) => {
    const { size, mtimeMs } = statSync(join(ROOT, file));
    return `${file} ${size} ${mtimeMs}`;
  });
  const settings = ['tsconfig.json', 'scripts/build.js'].map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  );
  return createHash('sha256')
    .update([version, ...settings, ...sources].join('\n'))
    .digest('hex');
}

/** Everything of a folder that ends up in dist/. */
function sourcesOf(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|lua|json)$/.test(file))
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
