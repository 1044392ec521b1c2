/** What `.ci/run` makes of the parts of a landing, over parts that are written down here. */
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { storeFolder } from '../system/harness/server.js';

const UNSHARE = ['--mount', '--pid', '--fork', '--mount-proc', 'true'];
const skip =
  spawnSync('unshare', UNSHARE).status === 0 ? false : 'processes can have no mounts of their own';

/** A checkout with this script in place of the tests of a platform, which is told the release of Node. */
function checkout(t: Test, { tests, image = 'exit 0', limit = '40' }: Parts): string {
  const folder = storeFolder(t);
  for (const name of ['.ci', 'scripts', 'bin']) mkdirSync(join(folder, name), { recursive: true });
  cpSync('scripts/platforms.json', join(folder, 'scripts/platforms.json'));
  const script = readFileSync('.ci/run', 'utf8');
  t.equal(script.split('\n  minutes=40\n').length, 2, 'minutes of the platform of the machine');
  const programs = {
    '.ci/run': script.replace('minutes=40', `minutes=${limit}`),
    'scripts/platform-tests.sh': `#!/bin/bash\n${tests}\n`,
    'scripts/archive-root.js': '',
    'scripts/landing-seeds.sh': '#!/bin/bash\necho "# { total: 3, pass: 3 }"\n',
    'scripts/landing-mutants.sh': '#!/bin/bash\necho "SURVIVES"\n',
    'scripts/image-root.js': `process.exitCode = require('child_process').spawnSync('bash', ['-c', ${JSON.stringify(image)}], { stdio: 'inherit' }).status;`,
    'bin/npm': '#!/bin/bash\necho "npm $*"\n',
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

interface Parts {
  readonly tests: string;
  readonly image?: string;
  /** Minutes that a platform may take. */
  readonly limit?: string;
}

/** Runs the parts. @returns the lines of the output without figures of time, and the exit code */
async function land(t: Test, parts: Parts, ...args: string[]): Promise<[string[], number]> {
  const folder = checkout(t, parts);
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
  };
  return new Promise((resolve) => {
    execFile(join(folder, '.ci/run'), args, { env }, (error, stdout) => {
      const lines = stdout
        .trimEnd()
        .replaceAll(/ in \d+ s$/gm, '')
        .split('\n');
      resolve([lines, Number(error?.code ?? 0)]);
    });
  });
}

void t.test('counts are told apart, and their sum comes last', { skip }, async (t) => {
  const tests = 'echo "# { total: $1, pass: $1, skip: 2 }"; echo "ran $1"';
  const [lines, code] = await land(t, { tests });
  t.equal(code, 0);
  t.same(lines.slice(-9), [
    'npm ci: 0 passed, 0 failed, 0 skipped,',
    ...platformsFirst().map((major) => `Node ${major}: ${major} passed, 0 failed, 2 skipped,`),
    'The simulation: 3 passed, 0 failed, 0 skipped,',
    'Mutants: 0 passed, 0 failed, 0 skipped,',
    'The image: 1 passed, 0 failed, 0 skipped,',
    'The archive: 1 passed, 0 failed, 0 skipped,',
    '71 passed, 0 failed, 6 skipped',
  ]);
  for (const major of [20, 22, 24]) t.ok(lines.includes(`ran ${major}`));
});

/** The platform of this machine is first. */
function platformsFirst(): number[] {
  const here = Number(process.versions.node.split('.')[0]);
  return [here, ...[24, 22, 20].filter((one) => one !== here)];
}

void t.test('a part that fails is told last, and the others run', { skip }, async (t) => {
  const tests = `
    if [ $1 = 22 ]; then
      printf 'ok 1 - fine\\nnot ok 2 - that\\n  ---\\n  found: 1\\n  ...\\nok 3 - fine\\n# { total: 3, pass: 2, fail: 1 }\\n'
      exit 1
    fi
    echo '# { total: 1, pass: 1 }'`;
  const [lines, code] = await land(t, { tests });
  t.equal(code, 1);
  t.same(lines.slice(lines.indexOf('Failed: Node 22'), -9), [
    'Failed: Node 22',
    'not ok 2 - that',
    '  ---',
    '  found: 1',
    '  ...',
  ]);
  t.equal(lines.at(-1), '9 passed, 1 failed, 0 skipped');
});

void t.test('a platform that cannot be made is a failure', { skip }, async (t) => {
  const tests = `[ $1 = 20 ] || { echo 'there is no mirror'; exit 1; }; echo '# { total: 1, pass: 1 }'`;
  const [lines, code] = await land(t, { tests, image: 'echo no image; exit 1' }, '24', '20');
  t.equal(code, 1);
  t.same(lines.slice(-6), [
    'Failed: Node 24',
    'there is no mirror',
    'npm ci: 0 passed, 0 failed, 0 skipped,',
    'Node 24: 0 passed, 1 failed, 0 skipped,',
    'Node 20: 1 passed, 0 failed, 0 skipped,',
    '1 passed, 1 failed, 0 skipped',
  ]);
});

void t.test('tests that end in order without a count are a failure', { skip }, async (t) => {
  const [lines, code] = await land(t, { tests: 'echo nothing' }, '24');
  t.equal(code, 1);
  t.equal(lines.at(-1), '0 passed, 1 failed, 0 skipped');
});

void t.test('nothing that a part leaves holds the run up', { skip }, async (t) => {
  const left = `sleep ${MARK}`;
  const tests = `(setsid ${left} &) ; echo '# { total: 1, pass: 1 }'`;
  const [lines, code] = await land(t, { tests }, '24');
  t.equal(code, 0);
  t.equal(lines.at(-1), '1 passed, 0 failed, 0 skipped');
  t.same(running(left), []);
});

void t.test('a part that takes too long is ended with all it started', { skip }, async (t) => {
  const left = `sleep ${MARK + 1}`;
  const [lines, code] = await land(
    t,
    { tests: `(setsid ${left} &) ; ${left}`, limit: '0.02' },
    '24',
  );
  t.equal(code, 1);
  t.ok(lines.includes('ended: it took more than 0.02 minutes'));
  t.equal(lines.at(-1), '0 passed, 1 failed, 0 skipped');
  t.same(running(left), []);
});

/** Seconds to sleep that nobody else sleeps. */
const MARK = 1e6 + process.pid;

/** The processes with this command. */
function running(command: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === command;
    } catch {
      return false;
    }
  });
}
