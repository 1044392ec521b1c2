/** Typing what a guide in docs/guides says. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { OPTIMIZE_LATE } from '../../late-optimization.js';
import { PROGRAM, storeFolder } from './server.js';

const execute = promisify(execFile);

/** Blocks of code of a guide, in order. */
export function blocks(guide: string, language: string, folder = 'docs/guides'): string[] {
  const text = readFileSync(join(folder, guide), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter((match) => match[1] === language)
    .map((match) => match[2]!);
}

/** Why a guide cannot be typed here: a program is missing; false where none is. */
export async function missing(...programs: string[]): Promise<string | false> {
  for (const program of programs) {
    const isThere = await execute(program, ['--version']).then(
      () => true,
      () => false,
    );
    if (!isThere) return `there is no ${program}`;
  }
  return false;
}

/** A folder to work in, whose `bin` has the command `parley`. */
export function workplace(t: Test): string {
  const folder = storeFolder(t);
  mkdirSync(join(folder, 'bin'));
  const command = join(folder, 'bin', 'parley');
  const node = [process.execPath, ...OPTIMIZE_LATE].map((part) => `"${part}"`).join(' ');
  writeFileSync(command, `#!/bin/sh\nexec ${node} "${resolve(PROGRAM)}" "$@"\n`);
  chmodSync(command, 0o755);
  return folder;
}

/** Has `npx parley-bench` run the bench as it was compiled with these tests. */
export function withBench(folder: string): void {
  const bench = resolve(PROGRAM, '..', '..', 'bench', 'main.js');
  const npx = join(folder, 'bin', 'npx');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${bench}" "$@"\n`);
  chmodSync(npx, 0o755);
}

/** Types lines into a shell that ends with the first that fails. */
export function shell(folder: string, script: string, env: Record<string, string>): ChildProcess {
  const path = `${join(folder, 'bin')}:${process.env['PATH']}`;
  return spawn('bash', ['--norc', '-c', `set -euo pipefail\n${script}`], {
    cwd: folder,
    env: { ...env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** All that a process says, until it ends. */
export async function outcome(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}
