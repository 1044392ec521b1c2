/*
 * Measures what the tests notice: npm run mutants -- --count N --seed S [OPTION …]
 *
 *     --count N         mutants, of those that compiler and linter would let through
 *     --seed S          the same ones for the same seed and sources
 *     --in FOLDER       only files whose paths begin so
 *     --total SECONDS   of a processor for all; the tests that are left are told
 *     --only GROUPS     of tests, by commas (guards,modules,asking): `guards` of the contract; `modules`, in one process;
 *                       `asking`, which ask the program that they start; `whole`, which kill it, wait, or measure
 *     --simulate MIN    of simulation for each that the tests leave (0)
 *     --jobs N          tests at once (1)
 *     --survivors       only those that the last run of this seed has left
 *     --write           puts the table into docs/mutants.md
 *
 * The sources are copied and compiled once, with every mutant behind a switch of its own. docs/mutants.md says what the kinds are,
 * and which survivors are no defects.
 */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from './build.js';
import { compileWith, copyOfRepository } from './mutants/copy.js';
import { draw } from './mutants/draw.js';
import { Search } from './mutants/find.js';
import { Imports } from './mutants/imports.js';
import { sourcesWith } from './mutants/instrument.js';
import { isReviewed, report, tableByRoom, writePage } from './mutants/report.js';
import { keepCosts, keptCosts, Results } from './mutants/results.js';
import { refusedElsewhere, refusedOf } from './mutants/validity.js';

/** Of those that are drawn, compiler and linter refuse a third. */
const SURPLUS = 1.6;
/** Tests of what is drawn from. */
const OF_SOURCES = /^(actors|schemas|src|settings-effects)\b/;
/** Groups of tests that start the program. */
const STARTING = new Set(['asking', 'whole']);
const JUDGED = { by: null, how: '', cpu: 0, ran: 0, left: 0 };
const say = (line) => process.stdout.write(`${line}\n`);

const options = {
  count: { type: 'string' },
  seed: { type: 'string', default: '1' },
  in: { type: 'string', default: '' },
  total: { type: 'string', default: 'Infinity' },
  only: { type: 'string', default: 'guards,modules,asking' },
  simulate: { type: 'string', default: '0' },
  jobs: { type: 'string', default: '1' },
  survivors: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
};

const { values } = parseArgs({ options });
const count = Number(values.count);
const seed = Number(values.seed);
if (!(count > 0 && Number.isSafeInteger(seed))) {
  process.stderr.write('Usage: npm run mutants -- --count N --seed S [--in FOLDER]\n');
  process.exit(2);
}
await main();

async function main() {
  const groups = values.only.split(',');
  const part = groups.some((group) => STARTING.has(group)) ? 'all' : 'tests';
  await build(part, say);
  const copy = copyOfRepository();
  const results = new Results(seed);
  const drawn = values.survivors ? survivorsOf(results.read()) : await drawnOnes(copy);
  const { sources, mutants } = await sourcesWith(drawn);
  const kept = new Set(mutants.map(({ file, key }) => `${file} ${key}`));
  // Drawn by an earlier version of these scripts.
  for (const one of drawn) if (!kept.has(`${one.file} ${one.key}`)) results.remove(one);
  await compileWith(copy, sources, part);
  const { testOf } = await compiledTest('mirror-rules');
  const { startsProgram } = await compiledTest('chosen-tests');
  const costs = keptCosts();
  const search = new Search({
    copy,
    tests: await testsOf(groups),
    imports: new Imports(startsProgram),
    mirrorOf: testOf,
    costs,
    total: Number(values.total),
  });
  await findAll(search, mutants, results);
  keepCosts(costs);
  await leaveOutRefused(results);
  say(tableByRoom(results.all()));
  if (values.write) writePage(results.all(), values);
}

function compiledTest(name) {
  return import(pathToFileURL(`dist/test/${name}.js`).href);
}

/** Test files of these groups. */
async function testsOf(groups) {
  const lists = await compiledTest('test-files');
  const { startsProgram } = await compiledTest('chosen-tests');
  // Others test scripts and documents; the contract is their matter, too.
  const ofModules = lists.MODULE_TESTS.filter((file) => OF_SOURCES.test(file));
  const known = {
    guards: lists.GUARD_TESTS.filter((file) => !OF_SOURCES.test(file)),
    modules: ofModules.filter((file) => !startsProgram(file)),
    asking: [...ofModules.filter((file) => startsProgram(file)), ...lists.ASKING_TESTS],
    whole: lists.WHOLE_PROCESS_TESTS,
  };
  return groups.flatMap((group) => known[group]);
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
  const unjudged = survivors.filter(({ reviewed, isSound }) => reviewed === null && !isSound);
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

async function findAll(search, mutants, results) {
  const tell = ({ mutant, finding }) => {
    const found = { ...mutant, ...finding, reviewed: isReviewed(mutant) };
    results.add(found);
    say(report(found));
  };
  const queue = [...mutants];
  const open = [];
  const work = async () => {
    while (queue.length > 0) {
      const mutant = queue.shift();
      const isJudged = isReviewed(mutant) !== null;
      const one = { mutant, finding: isJudged ? JUDGED : await search.near(mutant) };
      if (isJudged || one.finding.by !== null) tell(one);
      else open.push(one);
    }
  };
  const jobs = Number(values.jobs);
  await Promise.all(Array.from({ length: jobs }, work));
  say(`${open.length} are left for all tests together`);
  await search.together(open, tell, jobs);
  for (const one of open.filter(({ finding }) => finding.by === null)) {
    if (values.simulate > 0) {
      const more = await search.simulated(one.mutant, Number(values.simulate));
      one.finding.cpu += more.cpu;
      if (more.isFound) one.finding.by = 'simulation';
    }
    tell(one);
  }
}
