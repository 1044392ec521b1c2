/*
 * Compares every package of the lock file with the public advisories that npm's registry knows:
 *
 *     node scripts/advisories.js        ends with 1 where one is known to be vulnerable
 *
 * Where no advisories are to be had, as without a network, it says so in a line that begins with `skipped`, and ends
 * with 0: that the packages are sound was not found out then.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** The registry answers within seconds; a network that drops packets does not. Milliseconds. */
const TIMEOUT = 60_000;

/** @returns {{ report: object | null, reason: string }} what npm found; null, and why, where it could not ask */
function audit() {
  const flags = ['--package-lock-only', '--json', '--fetch-retries=0'];
  const { stdout, error } = spawnSync('npm', ['audit', ...flags], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: TIMEOUT,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) return { report: null, reason: error.message };
  try {
    const report = JSON.parse(stdout);
    if (report.vulnerabilities) return { report, reason: '' };
    return { report: null, reason: report.error?.summary || report.message || 'no report' };
  } catch {
    return { report: null, reason: 'npm gave no report' };
  }
}

const { report, reason } = audit();
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
const count = Object.keys(packages).length - 1;
if (report === null) {
  const [line] = reason.trim().split('\n');
  console.log(`skipped: no advisories for the ${count} packages can be had here (${line})`);
} else {
  // Packages that are named only because they depend on one have its name here instead of an advisory.
  const advisories = Object.values(report.vulnerabilities).flatMap(({ name, via }) =>
    via.filter((one) => typeof one === 'object').map((one) => ({ ...one, name })),
  );
  for (const { name, severity, title, range, url } of advisories) {
    console.log(`${name} ${range}: ${severity}: ${title} ${url}`);
  }
  console.log(`${advisories.length} advisories for the ${count} packages of the lock file`);
  if (advisories.length > 0) process.exitCode = 1;
}
