/*
 * Measures what the tests notice: npm run mutants -- --count N --seed S [OPTION …]
 *
 *     --count N         mutants, of those that compiler and linter would let through
 *     --seed S          the same ones for the same seed and sources
 *     --in FOLDER       only files whose paths begin so
 *     --cpu SECONDS     of a processor for the tests of each (60)
 *     --total SECONDS   of a processor for all; those that are left are told as not tried
 *     --only GROUPS     of tests, by commas (guards,modules,asking): `guards` of the contract; `modules`, in one process;
 *                       `asking`, which ask the program that they start; `whole`, which kill it, wait, or measure
 *     --simulate MIN    of simulation for each that the tests leave (0)
 *     --jobs N          tests at once (1)
 *     --survivors       only those that the last run of this seed has left
 *     --write           puts the table into docs/mutants.md
 *     --record          only notes which tests pass which part of the sources, in dist/mutants/coverage-GROUP.json
 *
 * The sources are copied and compiled once, with every mutant behind a switch. docs/mutants.md says what the kinds are,
 * and which survivors are no defects.
 */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.js';
import { compileWith, copyOfRepository } from './mutants/copy.js';
import { Coverage, Imports } from './mutants/coverage.js';
import { draw } from './mutants/draw.js';
import { Finder } from './mutants/find.js';
import { sourcesWith } from './mutants/instrument.js';
import { record } from './mutants/record.js';
import { isReviewed, report, tableByRoom, writePage } from './mutants/report.js';
import { Results } from './mutants/results.js';
import { refusedElsewhere, refusedOf } from './mutants/validity.js';

/** Of those that are drawn, compiler and linter refuse a third. */
const SURPLUS = 1.6;
/** Tests of what is drawn from. */
const OF_SOURCES = /^(actors|schemas|src|settings-effects)\b/;
/** Groups of tests that start the program. */
const STARTING = new Set(['asking', 'whole']);
const NOT_TRIED = { by: null, how: '', cpu: 0, ran: 0, left: 0 };
const say = (line) => process.stdout.write(`${line}\n`);

const options = {
  count: { type: 'string' },
  seed: { type: 'string', default: '1' },
  in: { type: 'string', default: '' },
  cpu: { type: 'string', default: '60' },
  total: { type: 'string', default: 'Infinity' },
  only: { type: 'string', default: 'guards,modules,asking' },
  simulate: { type: 'string', default: '0' },
  jobs: { type: 'string', default: '1' },
  record: { type: 'boolean', default: false },
  survivors: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
};

const { values } = parseArgs({ options });
const count = Number(values.count);
const seed = Number(values.seed);
if (!values.record && !(count > 0 && Number.isSafeInteger(seed))) {
  process.stderr.write('Usage: npm run mutants -- --count N --seed S [--in FOLDER]\n');
  process.exit(2);
}
await main();

async function main() {
  const groups = values.only.split(',');
  const part = groups.some((group) => STARTING.has(group)) ? 'all' : 'tests';
  await build(part, say);
  const tests = await testsOf(groups);
  const copy = copyOfRepository();
  if (values.record) {
    for (const { group, files } of tests)
      await record(copy, group, files, Number(values.jobs), say);
    return;
  }
  const results = new Results(seed);
  const drawn = values.survivors ? survivorsOf(results.read()) : await drawnOnes(copy);
  const { sources, mutants } = await sourcesWith(drawn);
  const kept = new Set(mutants.map(({ file, key }) => `${file} ${key}`));
  // Drawn by an earlier version of these scripts.
  for (const one of drawn) if (!kept.has(`${one.file} ${one.key}`)) results.remove(one);
  await compileWith(copy, sources, part);
  const { testOf } = await import(pathToFileURL('dist/test/mirror-rules.js').href);
  const parts = {
    copy,
    tests,
    coverage: new Coverage().read(groups),
    imports: new Imports(),
    mirrorOf: testOf,
  };
  const finder = new Finder({
    ...parts,
    cpu: Number(values.cpu),
    simulate: Number(values.simulate),
  });
  await findAll(finder, mutants, results);
  await leaveOutRefused(results);
  say(tableByRoom(results.all()));
  if (values.write) writePage(results.all(), values);
}

/** Test files by groups, cheap ones first. */
async function testsOf(groups) {
  const compiled = (name) => import(pathToFileURL(`dist/test/${name}.js`).href);
  const [lists, { startsProgram }] = await Promise.all(
    ['test-files', 'chosen-tests'].map(compiled),
  );
  // Others test scripts and documents; the contract is their matter, too.
  const ofModules = lists.MODULE_TESTS.filter((file) => OF_SOURCES.test(file));
  const known = {
    guards: lists.GUARD_TESTS.filter((file) => !OF_SOURCES.test(file)),
    modules: ofModules.filter((file) => !startsProgram(file)),
    asking: [...ofModules.filter((file) => startsProgram(file)), ...lists.ASKING_TESTS],
    whole: lists.WHOLE_PROCESS_TESTS,
  };
  return groups.map((group) => ({ group, files: known[group] }));
}

/** So many mutants as were asked for, none of which compiler or linter refuse. */
async function drawnOnes(copy) {
  const drawing = draw({ seed, folder: values.in });
  const kept = [];
  let refused = 0;
  for (let isOver = false; kept.length < count && !isOver;) {
    const some = [];
    const wanted = Math.ceil((count - kept.length) * SURPLUS);
    while (some.length < wanted && !isOver) {
      const { value, done } = await drawing.next();
      isOver = done;
      if (!done) some.push(value);
    }
    const { mutants } = await sourcesWith(some);
    const without = await refusedOf(copy, mutants);
    refused += without.size;
    kept.push(...mutants.filter((mutant) => !without.has(mutant)));
  }
  const number = Math.min(kept.length, count);
  say(`Drawn by seed ${seed}: ${number}; compiler and linter refused ${refused} more`);
  return kept.slice(0, count);
}

/** Survivors that nobody could commit, since another file then has a fault, count for nothing. */
async function leaveOutRefused(results) {
  const { survivors } = results.survivors();
  const unjudged = survivors.filter(
    ({ isTried, reviewed, isSound }) => isTried && reviewed === null && !isSound,
  );
  // A copy without switches.
  const refused = new Set(
    unjudged.length === 0 ? [] : await refusedElsewhere(copyOfRepository(), unjudged),
  );
  for (const one of unjudged) {
    if (refused.has(one)) results.remove(one);
    else results.add({ ...one, isSound: true });
    if (refused.has(one)) say(`refused in another file: ${one.file}:${one.line}`);
  }
}

function survivorsOf(results) {
  const { survivors, gone } = results.survivors();
  if (gone > 0) say(`${gone} are left out: their files were changed since`);
  return survivors;
}

async function findAll(finder, mutants, results) {
  const queue = [...mutants];
  let left = Number(values.total);
  const work = async () => {
    while (queue.length > 0) {
      const mutant = queue.shift();
      const isTried = left > 0;
      const finding = isTried ? await finder.find(mutant) : NOT_TRIED;
      left -= finding.cpu;
      const found = { ...mutant, ...finding, isTried, reviewed: isReviewed(mutant) };
      results.add(found);
      say(report(found));
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
}
