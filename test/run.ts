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
const TIMEOUT = '120';
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
