import type * as ChildProcess from 'node:child_process';
import { bound } from './bound.js';

/* Processes, as `Platform` says. */

export function fork(
  program: string | URL,
  args: readonly string[],
  options: ChildProcess.ForkOptions,
): ChildProcess.ChildProcess {
  return bound().processes.fork(program, args, options);
}

export function kill(pid: number, signal: NodeJS.Signals | 0): true {
  return bound().processes.kill(pid, signal);
}

export function exit(status: number): never {
  return bound().processes.exit(status);
}
