import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, release, totalmem, type } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Machine } from './figures.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 1e9),
    system: `${type()} ${release()}`,
    node: process.version,
  };
}

/** The commit of this checkout, short; undefined where it is none. */
export function checkoutCommit(): string | undefined {
  try {
    const cwd = dirname(fileURLToPath(import.meta.url));
    return execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

/** The installed version of a package. @throws Error when it is not installed */
export function packageVersion(name: string): string {
  // Packages need not export their package.json, so it is looked for above their entry.
  let folder = dirname(require.resolve(name));
  for (;;) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        name?: string;
        version?: string;
      };
      if (manifest.version !== undefined && manifest.name !== undefined) return manifest.version;
    } catch {
      // Not in this folder.
    }
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${name} is not installed`);
    folder = parent;
  }
}

/** A Python that has Tornado, with its versions; null when none was found. */
export async function findTornado(): Promise<{ python: string; version: string } | null> {
  const program = 'import platform, tornado; print(tornado.version, platform.python_version())';
  for (const python of ['/usr/bin/python3', 'python3']) {
    try {
      const { stdout } = await run(python, ['-c', program]);
      const [tornado, version] = stdout.trim().split(' ');
      return { python, version: `${tornado} (Python ${version})` };
    } catch {
      // This one has none.
    }
  }
  return null;
}
