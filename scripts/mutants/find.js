/* Finds by which test a mutant is noticed: the nearest and cheapest first, within a bound of processor time. */
import { dirname } from 'node:path';
import { compiled } from './coverage.js';
import { runTests, shell } from './run-tests.js';
import { SWITCH } from './instrument.js';

/** Of a test that no run has measured: most take less, and loading what they test. */
const UNKNOWN_SECONDS = 3;
/** A process runs tests of so many seconds: what fails ends it, and what it loads it loads once. */
const BATCH_SECONDS = 12;
/** With a mutant a test may take longer than without, as others slow the machine down; beyond that it is endless. */
const SLACK = 5;
const SLACK_SECONDS = 20;
const SIMULATION_CPU = 600;
/** Imports from a test that starts the program to the file: as many as from those of modules that are far away. */
const FAR = 9;

/**
 * @typedef {object} Finding
 * @property {string | null} by the test that fails, `simulation`, or null for a survivor
 * @property {string} how title of what failed
 * @property {number} cpu seconds that were spent on it
 * @property {number} ran tests that passed
 * @property {number} left tests that can see it and that its time did not suffice for
 */

/** Looks for mutants one by one; what it learns of tests serves the next. */
export class Finder {
  /**
   * @param {object} parts
   * @param {string} parts.copy compiled with all mutants
   * @param {readonly { group: string, files: string[] }[]} parts.tests to choose from
   * @param {import('./coverage.js').Coverage} parts.coverage
   * @param {import('./coverage.js').Imports} parts.imports
   * @param {(file: string) => string | null} parts.mirrorOf
   * @param {number} parts.cpu seconds for each mutant
   * @param {number} parts.simulate minutes for each that tests leave
   */
  constructor(parts) {
    this.parts = parts;
    /** Tests that fail without any mutant, and those known to pass. */
    this.sound = new Map();
  }

  /** @returns {Promise<Finding>} */
  async find(mutant) {
    let left = this.parts.cpu;
    let spent = 0;
    let ran = 0;
    const queue = this.testsFor(mutant);
    while (queue.length > 0 && left > 0) {
      const files = this.nextBatch(queue, left);
      const estimate = files.reduce((sum, file) => sum + this.secondsOf(file), 0);
      const bound = estimate * SLACK + SLACK_SECONDS;
      const found = await runTests(this.parts.copy, files, { id: mutant.id, cpu: bound });
      spent += found.cpu;
      left -= found.cpu;
      ran += found.passed.length;
      if (found.failed === null) continue;
      if (await this.isSound(found.failed)) {
        return { by: found.failed, how: found.how, cpu: spent, ran, left: queue.length };
      }
      queue.unshift(...files.slice(files.indexOf(found.failed) + 1));
    }
    const more = await this.simulated(mutant);
    const cpu = spent + more.cpu;
    return { by: more.isFound ? 'simulation' : null, how: '', cpu, ran, left: queue.length };
  }

  /** Those that can see it: its mirror, those that pass the place, nearest and cheapest first. */
  testsFor(mutant) {
    const { coverage, imports, mirrorOf, tests } = this.parts;
    const mirror = compiled(`test/${mirrorOf(mutant.file) ?? ''}`);
    const distances = imports.testsOf(mutant.file);
    const folder = dirname(mutant.file);
    const whole = new Set(tests.find(({ group }) => group === 'whole')?.files);
    const rank = (file) => {
      // A mirror that takes whole processes is the last that is tried.
      if (file === mirror) return whole.has(file) ? Infinity : 0;
      const isBeside = dirname(file) === folder;
      return (isBeside ? 1 : 1 + (distances.get(file) ?? FAR)) * (1 + this.secondsOf(file));
    };
    const seen = tests.flatMap(({ group, files }) => {
      // Without a record of them, those that import the file, which none does that starts the program.
      const some = new Set(coverage.testsAt(group, mutant, imports) ?? distances.keys());
      some.add(mirror);
      for (const file of distances.keys()) if (coverage.cpuOf(file) === undefined) some.add(file);
      return files.filter((file) => some.has(file) && this.sound.get(file) !== false);
    });
    return seen.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  }

  nextBatch(queue, left) {
    const files = [];
    let sum = 0;
    do {
      sum += this.secondsOf(queue[0]);
      files.push(queue.shift());
    } while (queue.length > 0 && sum + this.secondsOf(queue[0]) < Math.min(BATCH_SECONDS, left));
    return files;
  }

  secondsOf(file) {
    return this.parts.coverage.cpuOf(file) ?? UNKNOWN_SECONDS;
  }

  /** Whether a test passes without a mutant: what fails anyway finds nothing. One that was recorded did. */
  async isSound(file) {
    if (!this.sound.has(file) && this.parts.coverage.isAsRecorded(file)) this.sound.set(file, true);
    if (!this.sound.has(file)) {
      const bound = this.secondsOf(file) * SLACK + SLACK_SECONDS;
      const { failed } = await runTests(this.parts.copy, [file], { cpu: bound });
      this.sound.set(file, failed === null);
    }
    return this.sound.get(file);
  }

  async simulated(mutant) {
    const { copy, simulate } = this.parts;
    if (simulate === 0) return { isFound: false, cpu: 0 };
    const program = ['--max-semi-space-size=64', 'dist/test/simulation/main.js'];
    const args = ['--minutes', String(simulate), '--cores', '1', '--seed', '1'];
    const env = { ...process.env, [SWITCH]: mutant.id };
    const command = [process.execPath, ...program, ...args];
    const { code, cpu } = await shell(copy, SIMULATION_CPU, command, env);
    return { isFound: code !== 0, cpu };
  }
}
