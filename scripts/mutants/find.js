/*
 * Finds by which test each mutant is noticed. First each alone meets the few tests that are nearest to it, which find
 * most. Those that are left are then turned on **together**, and every test runs once with all of them: it passes where
 * it notices none of them, which is the rule by then. Where one fails, halves of them tell whose fault it is; that one
 * is turned off, and the test runs again.
 */
import { dirname } from 'node:path';
import { compiled } from './imports.js';
import { SWITCH } from './instrument.js';
import { runTests, shell } from './run-tests.js';

/** A mutant alone meets at most so many tests, which take so many seconds in all: more cost less when shared. */
const NEAR = { tests: 4, seconds: 5 };
/** Of a test that no run has measured: most take less, and a program has to start. */
const UNKNOWN_SECONDS = { module: 0.6, program: 4 };
/** What a process takes before its first test. */
const LOADING_SECONDS = 1;
/** A process runs tests of so many seconds: what fails ends it, and what it loads it loads once. */
const BATCH = { tests: 40, seconds: 20 };
/** With a mutant a test may take longer than without, as others slow the machine down; beyond that it is endless. */
const SLACK = 5;
const SLACK_SECONDS = 20;
const SIMULATION_CPU = 600;

/**
 * @typedef {object} Finding
 * @property {string | null} by the test that fails, `simulation`, or null for a survivor
 * @property {string} how title of what failed
 * @property {number} cpu seconds that were spent on it; of what it shared with others, its part
 * @property {number} ran tests that passed
 * @property {number} left tests that can see it and that the time did not suffice for
 */

export class Search {
  /**
   * @param {object} parts
   * @param {string} parts.copy compiled with all mutants
   * @param {readonly string[]} parts.tests to choose from
   * @param {import('./imports.js').Imports} parts.imports
   * @param {(file: string) => string | null} parts.mirrorOf
   * @param {Map<string, number>} parts.costs seconds of a processor for each test that was measured; gets more
   * @param {number} parts.total seconds of a processor in all
   */
  constructor(parts) {
    this.parts = parts;
    this.left = parts.total;
    /** Whether a test passes without any mutant, where that is known. */
    this.sound = new Map();
  }

  /** What the tests nearest to it come to, its mirror first. @returns {Promise<Finding>} */
  async near(mutant) {
    const files = this.nearest(mutant);
    const finding = { by: null, how: '', cpu: 0, ran: 0, left: 1 };
    while (files.length > 0) {
      const found = await this.run(files, [mutant]);
      finding.cpu += found.cpu;
      finding.ran += found.passed.length;
      if (found.failed === null) break;
      if (await this.isSound(found.failed)) {
        return { ...finding, by: found.failed, how: found.how, left: 0 };
      }
      files.splice(0, files.indexOf(found.failed) + 1);
    }
    return finding;
  }

  /**
   * Every test meets all of these at once, as long as there is time.
   * @param {readonly { mutant: object, finding: Finding }[]} some survivors, whose findings are brought up to date
   * @param {(one: { mutant: object, finding: Finding }) => void} tell of each that is found
   * @param {number} jobs processes at once
   */
  async together(some, tell, jobs) {
    const open = new Set(some);
    const sees = (file) =>
      [...open].filter(
        ({ mutant }) => this.parts.imports.distance(file, mutant.file) !== undefined,
      );
    const gain = (file) => sees(file).length / (LOADING_SECONDS / 2 + this.secondsOf(file));
    const gains = new Map(this.parts.tests.map((file) => [file, gain(file)]));
    const queue = this.parts.tests
      .filter((file) => gains.get(file) > 0 && this.sound.get(file) !== false)
      .sort((a, b) => gains.get(b) - gains.get(a));
    const work = async () => {
      while (queue.length > 0 && open.size > 0 && this.left > 0) {
        const files = this.nextBatch(queue);
        const turnedOn = [...open];
        const found = await this.run(files, mutantsOf(turnedOn));
        for (const { finding } of turnedOn) finding.cpu += found.cpu / turnedOn.length;
        for (const { file } of found.passed) for (const { finding } of sees(file)) finding.ran++;
        if (found.failed === null) continue;
        const { failed } = found;
        const again = files.slice(files.indexOf(failed));
        const isStale = turnedOn.some((one) => !open.has(one));
        const one = isStale ? null : await this.culprit(failed, sees(failed));
        // A fault that only several make together, or chance, is nobody's.
        if (one === null && !isStale) again.shift();
        queue.unshift(...again);
        if (one === null || !open.delete(one)) continue;
        Object.assign(one.finding, { by: failed, how: one.how });
        tell(one);
      }
    };
    await Promise.all(Array.from({ length: jobs }, work));
    for (const { finding } of some) finding.left = 0;
    for (const file of queue) for (const { finding } of sees(file)) finding.left++;
  }

  /** Which of these a test fails by, by halves; null for a test that fails anyway, or by no one of them alone. */
  async culprit(file, some) {
    if (!(await this.isSound(file))) return null;
    const { imports } = this.parts;
    let left = some.toSorted(
      (a, b) => imports.distance(file, a.mutant.file) - imports.distance(file, b.mutant.file),
    );
    const fails = async (ones) => {
      const found = await this.run([file], mutantsOf(ones));
      for (const { finding } of ones) finding.cpu += found.cpu / ones.length;
      if (found.failed !== null) for (const one of ones) one.how = found.how;
      return found.failed !== null;
    };
    let isCertain = false;
    while (left.length > 1) {
      const half = left.length >> 1;
      isCertain = await fails(left.slice(0, half));
      left = isCertain ? left.slice(0, half) : left.slice(half);
    }
    return isCertain || (await fails(left)) ? left[0] : null;
  }

  /** Its mirror, then those beside its mirror or with few imports to it, cheap ones first. */
  nearest(mutant) {
    const { imports, mirrorOf, tests } = this.parts;
    const mirror = compiled(`test/${mirrorOf(mutant.file) ?? ''}`);
    const folder = dirname(mutant.file);
    const distances = imports.testsOf(mutant.file);
    const rank = (file) =>
      file === mirror
        ? 0
        : (dirname(file) === folder ? 1 : 1 + distances.get(file)) * (1 + this.secondsOf(file));
    const some = tests.filter((file) => file === mirror || distances.has(file));
    some.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
    let seconds = 0;
    return some
      .slice(0, NEAR.tests)
      .filter((file) => (seconds += this.secondsOf(file)) <= NEAR.seconds);
  }

  nextBatch(queue) {
    const files = [];
    let sum = 0;
    do {
      sum += this.secondsOf(queue[0]);
      files.push(queue.shift());
    } while (
      queue.length > 0 &&
      files.length < BATCH.tests &&
      sum + this.secondsOf(queue[0]) < Math.min(BATCH.seconds, this.left)
    );
    return files;
  }

  async run(files, mutants) {
    const estimate = files.reduce((sum, file) => sum + this.secondsOf(file), 0);
    const cpu = estimate * SLACK + SLACK_SECONDS;
    const ids = mutants.map(({ id }) => id);
    const found = await runTests(this.parts.copy, files, { ids, cpu });
    this.left -= found.cpu;
    for (const { file, cpu: seconds } of found.passed) {
      this.parts.costs.set(file, seconds);
      this.sound.set(file, true);
    }
    return found;
  }

  secondsOf(file) {
    const { costs, imports } = this.parts;
    const unknown = imports.startsProgram(file) ? 'program' : 'module';
    return costs.get(file) ?? UNKNOWN_SECONDS[unknown];
  }

  /** Whether a test passes without a mutant: what fails anyway finds nothing. */
  async isSound(file) {
    if (!this.sound.has(file)) {
      const { failed } = await this.run([file], []);
      this.sound.set(file, failed === null);
    }
    return this.sound.get(file);
  }

  /** Whether so many minutes of simulation notice it. */
  async simulated(mutant, minutes) {
    const program = ['--max-semi-space-size=64', 'dist/test/simulation/main.js'];
    const args = ['--minutes', String(minutes), '--cores', '1', '--seed', '1'];
    const env = { ...process.env, [SWITCH]: mutant.id };
    const command = [process.execPath, ...program, ...args];
    const { code, cpu } = await shell(this.parts.copy, SIMULATION_CPU, command, env);
    return { isFound: code !== 0, cpu };
  }
}

function mutantsOf(some) {
  return some.map(({ mutant }) => mutant);
}
