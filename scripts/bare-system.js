/* Bare Debian systems for trials of what is installed: debian-root.sh for scripts of Node. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes systems of Debian, and runs commands in them; it keeps what it made until the end. */
export const DEBIAN_ROOT = join(import.meta.dirname, 'debian-root.sh');

/** @param work where systems are kept, unless ROOTS says */
export function prepare(work) {
  process.env.ROOTS ??= join(work, 'roots');
  // Asked once: npm takes longer to start than most of what runs in a system.
  process.env.npm_config_registry ??= execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
  }).trim();
}

export const say = (line) => process.stdout.write(`${line}\n`);
export const run = (command, ...args) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1e9 });
export const shell = (script, ...args) =>
  run('bash', '-c', `set -euo pipefail; ${script}`, 'sh', ...args);

/** Copies the sources of a checkout, as git lists them, into a folder that is there. */
export function copySources(from, to) {
  shell('cd "$1" && git ls-files -z | tar c --null --files-from=- | tar x -C "$2"', from, to);
}

/** Arguments of debian-root.sh that run a command inside of a root, as an account, in a folder. */
export function inside({ root, user = '0:0', folder = '/', env = {} }, command, ...flags) {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return ['run', `--user=${user}`, `--chdir=${folder}`, ...flags, root, ...variables, ...command];
}

/** Starts a command in a system, which goes on. @param stdio of `spawn` */
export function start(state, command, stdio) {
  return spawn(DEBIAN_ROOT, inside(state, command), { stdio });
}

/** The process that `start` started, as seen from here. It changed its account, so that it outlives its parent. */
export function innerOf({ pid }) {
  const [inner] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return Number(inner);
}
