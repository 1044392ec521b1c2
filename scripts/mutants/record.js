/* Records which test passes which part of the sources, and what it costs: one run of the tests with probes. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compileWith } from './copy.js';
import { keepRecord, probed } from './coverage.js';
import { runTests } from './run-tests.js';

/** Files to a process, which loads what they test once. */
const PER_PROCESS = { modules: 40, system: 6 };
/** Seconds of a processor for the files of a process. */
const BOUND = 1200;

/**
 * @param {string} copy
 * @param {string} group of tests
 * @param {readonly string[]} tests paths in dist/test; those that fail are left out
 * @param {number} jobs processes at once
 */
export async function record(copy, group, tests, jobs, say) {
  const { sources, files } = probed();
  await compileWith(copy, sources, tests.some(isSystem) ? 'all' : 'tests');
  const batches = [
    ...portions(
      tests.filter((file) => !isSystem(file)),
      PER_PROCESS.modules,
    ),
    ...portions(tests.filter(isSystem), PER_PROCESS.system),
  ];
  const recorded = [];
  const work = async () => {
    while (batches.length > 0) {
      const batch = batches.shift();
      const { tests: some, failed } = await recordedOf(copy, batch);
      recorded.push(...some);
      if (failed !== null) {
        const rest = batch.slice(batch.indexOf(failed) + 1);
        say(`fails without any mutant: ${failed}`);
        if (rest.length > 0) batches.unshift(rest);
      }
      // What was recorded until then serves, too, if the run is ended.
      keepRecord(group, { files, tests: recorded });
      say(`recorded ${recorded.length} of ${tests.length}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

async function recordedOf(copy, batch) {
  const hits = join(copy, 'hits', batch[0].replaceAll('/', '-'));
  mkdirSync(hits, { recursive: true });
  const { passed, failed } = await runTests(copy, batch, { cpu: BOUND, hits });
  const tests = passed.map(({ file, cpu }) => {
    const place = join(hits, String(batch.indexOf(file)));
    const lines = existsSync(place) ? readFileSync(place, 'utf8').trim().split('\n') : [];
    return { file, cpu, hits: [...new Set(lines.map(Number))] };
  });
  rmSync(hits, { recursive: true });
  return { tests, failed };
}

function isSystem(file) {
  return file.startsWith('system');
}

function portions(list, length) {
  const starts = list.map((_one, from) => from).filter((from) => from % length === 0);
  return starts.map((from) => list.slice(from, from + length));
}
