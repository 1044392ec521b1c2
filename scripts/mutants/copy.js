/* A copy of the repository, for sources that are to be wrong while tests run. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the compiler, the linter and tests read; dist/ has the compiled files. */
const COPIED = [
  ...['actors', 'bench', 'deploy', 'docs', 'schemas', 'scripts', 'src', 'test', '.oxlintrc.json'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.bench.json', 'README.md'],
  ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'SECURITY.md', 'Dockerfile'],
];
const COMPILED = ['actors', 'bench', 'schemas', 'server', 'src', 'test'];
/** What the last compilation wrote, so that only what changes is compiled again. */
const COMPILED_FILES = ['.compiled.json', '.types.tsbuildinfo'];

/**
 * Copies the repository, compiled as it is, below the system's folder for temporary files. The process removes it when
 * it ends.
 * @returns {string} its folder
 */
export function copyOfRepository() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-mutants-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const compiled = [...COMPILED, ...COMPILED_FILES].map((name) => `dist/${name}`);
  for (const name of [...COPIED, ...compiled]) {
    // Times, too: by them it is seen what changed.
    const options = { recursive: true, preserveTimestamps: true };
    if (existsSync(name)) cpSync(name, join(folder, name), options);
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/**
 * Compiles the copy with these sources in place of its own, which it has again afterwards: some tests read them.
 * @param {string} copy
 * @param {ReadonlyMap<string, string>} sources by their paths
 * @param {'tests' | 'all'} part with the bundle that system tests start, or without
 */
export async function compileWith(copy, sources, part) {
  for (const [file, text] of sources) writeFileSync(join(copy, file), text);
  await new Promise((resolve, reject) => {
    execFile(process.execPath, ['scripts/build.js', part], { cwd: copy }, (error, _out, said) => {
      if (error) reject(new Error(`the copy does not compile: ${said}`));
      else resolve();
    });
  });
  for (const file of sources.keys()) cpSync(file, join(copy, file), { preserveTimestamps: true });
}
