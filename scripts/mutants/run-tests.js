/* Runs tests of a copy with mutants turned on, until one fails, and counts the processor time that this takes. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SWITCH } from './instrument.js';

/** Tests that say nothing for so long, and hardly ask for a processor meanwhile, have a mutant that waits for ever. */
const SILENT_MS = 45_000;
const IDLE_SECONDS = 0.5;
const HOOKS = ['unfollowed-promises.js', 'cheap-comparisons.js'];

/**
 * @typedef {object} Outcome
 * @property {string | null} failed file that failed; null where all passed
 * @property {string} how it failed: a title, or `endless`
 * @property {{ file: string, cpu: number }[]} passed in order
 * @property {number} cpu seconds in all
 */

/**
 * Runs test files one after another in one process, until one fails.
 * @param {string} copy
 * @param {readonly string[]} files paths in dist/test
 * @param {object} options
 * @param {readonly string[]} options.ids of the mutants that are turned on
 * @param {number} options.cpu seconds of a processor after which it counts as endless
 * @returns {Promise<Outcome>}
 */
export async function runTests(copy, files, { ids, cpu }) {
  const hooks = HOOKS.flatMap((file) => ['--import', join(copy, 'dist/test', file)]);
  const program = [...hooks, 'scripts/mutants/test-process.js', 'dist/test', ...files];
  const env = {
    ...process.env,
    TAP_TIMEOUT: '86400',
    TAP_BAIL: '1',
    [SWITCH]: ids.join(','),
  };
  const ended = await shell(copy, Math.ceil(cpu), [process.execPath, ...program], env);
  const told = [...ended.stderr.matchAll(/^mutants: (file|cpu) (.*)$/gm)];
  const begun = told.filter(([, what]) => what === 'file').map(([, , file]) => file);
  const times = told.filter(([, what]) => what === 'cpu').map(([, , time]) => Number(time));
  const passed = times.map((time, i) => ({ file: begun[i], cpu: time }));
  const outcome = { passed, cpu: ended.cpu, failed: null, how: '' };
  if (ended.code === 0) return outcome;
  // The last file that began is the one that failed: with its end the next begins.
  const last = begun.at(-1) ?? files[0];
  outcome.passed = passed.filter(({ file }) => file !== last);
  return { ...outcome, failed: last, how: ended.isEndless ? 'endless' : firstFailure(ended) };
}

/**
 * Runs a program under a bound of processor time for each of its processes.
 * @returns {Promise<{ code: number, stdout: string, stderr: string, cpu: number, isEndless: boolean }>}
 */
export function shell(cwd, cpuSeconds, command, env = process.env) {
  const script = `ulimit -t ${cpuSeconds}; "$@"; code=$?; times >&3; exit $code`;
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'];
  // A group of its own: servers that a test left end with it.
  const options = { cwd, env, stdio, detached: true };
  const child = spawn('bash', ['-c', script, 'bash', ...command], options);
  running.add(child.pid);
  const kept = { 1: '', 2: '', 3: '' };
  let isSilent = false;
  let last = { said: 0, wanted: 0 };
  const timer = setInterval(() => {
    const now = { said: kept[1].length + kept[2].length, wanted: wantedBy(child.pid) };
    // What a process that ended had wanted is gone.
    const isIdle = Math.abs(now.wanted - last.wanted) < IDLE_SECONDS;
    isSilent = isIdle && now.said === last.said;
    if (isSilent) kill(child.pid);
    last = now;
  }, SILENT_MS);
  for (const fd of [1, 2, 3]) {
    child.stdio[fd].setEncoding('utf8').on('data', (text) => (kept[fd] += text));
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearInterval(timer);
      kill(child.pid);
      running.delete(child.pid);
      const cpu = seconds(kept[3]);
      // 128 and the signal, of SIGXCPU and of SIGKILL, which follows it.
      const isOver = code === 152 || code === 137 || signal !== null;
      const status = code ?? 1;
      resolve({
        code: status,
        stdout: kept[1],
        stderr: kept[2],
        cpu,
        isEndless: isSilent || isOver,
      });
    });
  });
}

/** Groups of processes that are to end with this one. */
const running = new Set();
process.once('exit', () => running.forEach(kill));

function kill(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/** Seconds that the processes of a group have had of a processor, or waited for one, as they do on a busy machine. */
function wantedBy(group) {
  let sum = 0;
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // Behind the name of the program, which may have blanks, the group is the third field.
      const [, , own] = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' ');
      if (Number(own) !== group) continue;
      const [had, waited] = readFileSync(`/proc/${id}/schedstat`, 'utf8').split(' ');
      sum += (Number(had) + Number(waited)) / 1e9;
    } catch {
      // It has ended.
    }
  }
  return sum;
}

/** What `times` prints: `0m0.01s 0m0.02s` of the shell, then of what it ran, each as user and system. */
function seconds(text) {
  const found = [...text.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, m, s]) => Number(m) * 60 + Number(s),
  );
  return found.reduce((sum, one) => sum + one, 0);
}

/** The title of the first assertion that failed, within its test; or why nothing was asserted. */
function firstFailure({ stdout, stderr }) {
  const titles = [...stdout.matchAll(/^ *not ok \d+ - (.*?)(?: # time=\S+)?(?: \{)?$/gm)];
  const error = /^(\w*Error\b.*)$/m.exec(stderr);
  const [inner, outer] = [titles[0]?.[1], titles.at(-1)?.[1]];
  if (inner === undefined) return error?.[1] ?? 'the process fails';
  return inner === outer ? inner : `${outer}: ${inner}`;
}
