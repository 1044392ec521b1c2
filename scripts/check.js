/*
 * What a commit has to pass beside its tests: npm run check
 *
 * Each part runs, the quickest first, whatever the others say; the last lines tell which failed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** Scripts of package.json, with what mends their faults where a command does. */
const PARTS = { 'format:check': 'npm run format', types: '', lint: '' };

const failed = Object.keys(PARTS).filter(
  (part) =>
    spawnSync('npm', ['run', '--silent', part], { cwd: ROOT, stdio: 'inherit' }).status !== 0,
);
for (const [part, remedy] of Object.entries(PARTS)) {
  const verdict = failed.includes(part) ? `FAILED${remedy && `: ${remedy}`}` : 'passed';
  process.stdout.write(`${part} ${verdict}\n`);
}
process.exitCode = failed.length > 0 ? 1 : 0;
