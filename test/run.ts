import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

/*
 * Runs every compiled test file in a process of its own and reports on all of them. The `tap` command
 * does the same (`npx tap dist/test/…` for single files), but loads each process through module hooks that
 * measure coverage, which doubles the time of loading a module; here nothing measures it.
 */

/** Seconds a file may take that sets no time of its own; it ends itself. */
const TIMEOUT = '240';
/** No file may take longer than this, milliseconds. */
const LONGEST_MS = 1_800_000;

const folder = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  // The long ones first, so that none of them is left alone at the end.
  .sort(
    (a, b) => Number(b.startsWith('system')) - Number(a.startsWith('system')) || (a < b ? -1 : 1),
  );

// All files together take as long as they take.
t.setTimeout(0);
// One more than there are processors: some wait for heartbeats, leases and outages, and do nothing else.
t.jobs = Math.max(2, availableParallelism()) + 1;
if (process.argv.includes('--with-checks')) {
  // Beside the tests, many of which wait: one after the other they would take half as long again.
  check('types', 'the compiler finds no fault');
  check('lint', 'no rule of eslint.config.js is broken');
  check('format:check', 'prettier has nothing to change');
}

for (const file of files) {
  const path = join(folder, file);
  // The hooks come by the environment of whatever tap starts.
  const command = ['-u', 'NODE_OPTIONS', process.execPath, '--enable-source-maps', path];
  const options = {
    buffered: true,
    timeout: LONGEST_MS,
    env: { ...process.env, TAP_TIMEOUT: TIMEOUT },
  };
  void t.spawn('env', command, options, relative(process.cwd(), path));
}

/** A script of package.json as one assertion; what it prints is told when it fails. */
function check(script: string, meaning: string): void {
  void t.test(`npm run ${script}`, { timeout: LONGEST_MS }, (t) => {
    const env = { ...process.env, NODE_OPTIONS: '' };
    const child = spawn('npm', ['run', '--silent', script], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.on('close', (code) => {
      t.equal(code, 0, code === 0 ? meaning : printed.slice(-20_000));
      t.end();
    });
  });
}
