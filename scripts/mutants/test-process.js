/*
 * Runs compiled test files in one process, each when the one before has ended:
 *
 *     node … scripts/mutants/test-process.js FOLDER FILE…      FOLDER: dist/test of a copy
 *
 * Before each file it prints `file NAME`, and after it `cpu SECONDS`, processes that the file started included; the
 * lines begin with `mutants:`. With `TAP_BAIL=1` the first failure ends it.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** In which Linux counts the processor time of a process's children. */
const TICKS_PER_SECOND = 100;
/** What a file calls outside of its tests, beside `test`. */
const HOOKS = ['after', 'afterEach', 'before', 'beforeEach', 'teardown'];
const [folder, ...files] = process.argv.slice(2);
// A fixture's folder is named for the arguments.
process.argv.length = 2;
const { default: t } = await import('tap');
// It would be that of all files together, and each test has its own.
t.setTimeout(0);
t.setTimeout = () => undefined;
const root = t.test.bind(t);

for (const file of files) {
  say(`file ${file}`);
  const before = cpuSeconds();
  await root(file, async (own) => {
    const waitingFor = [];
    // What a file asks of all tests it asks of its own.
    for (const hook of HOOKS) t[hook] = own[hook].bind(own);
    t.test = (...args) => {
      const ended = own.test(...args);
      waitingFor.push(ended);
      return ended;
    };
    await import(pathToFileURL(resolve(folder, file)).href);
    while (waitingFor.length > 0) await waitingFor.shift();
  });
  say(`cpu ${(cpuSeconds() - before).toFixed(2)}`);
}

function say(line) {
  process.stderr.write(`mutants: ${line}\n`);
}

/** Of this process, and of those that it started and that have ended. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  // Behind the name of the program, which may have blanks; cutime and cstime are fields 16 and 17 of all.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return (user + system) / 1e6 + (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
