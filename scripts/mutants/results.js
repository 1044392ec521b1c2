/* What came of the mutants of a seed, and what tests cost, kept between runs: dist/mutants. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'dist/mutants';

const COSTS = join(FOLDER, 'costs.json');

/** @returns {Map<string, number>} seconds of a processor that each test took last, alone or among others */
export function keptCosts() {
  return new Map(existsSync(COSTS) ? JSON.parse(readFileSync(COSTS, 'utf8')) : []);
}

export function keepCosts(costs) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(COSTS, JSON.stringify([...costs]));
}

export class Results {
  constructor(seed) {
    this.path = join(FOLDER, `seed-${seed}.json`);
    this.findings = new Map();
  }

  /** Those of the last run of the seed. */
  read() {
    const kept = existsSync(this.path) ? JSON.parse(readFileSync(this.path, 'utf8')) : [];
    for (const one of kept) this.findings.set(nameOf(one), one);
    return this;
  }

  /**
   * What no test has noticed.
   * @returns {{ survivors: object[], gone: number }} of files that are as they were; and how many are not
   */
  survivors() {
    const left = this.all().filter(({ by }) => by === null);
    const survivors = left.filter(({ file, start, end, original }) => {
      return existsSync(file) && readFileSync(file, 'utf8').slice(start, end) === original;
    });
    return { survivors, gone: left.length - survivors.length };
  }

  /** At once, since a run takes hours and may be ended. */
  add(finding) {
    this.findings.set(nameOf(finding), finding);
    this.write();
  }

  remove(finding) {
    this.findings.delete(nameOf(finding));
    this.write();
  }

  write() {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(this.path, JSON.stringify(this.all(), null, 1));
  }

  all() {
    return [...this.findings.values()];
  }
}

function nameOf({ file, key }) {
  return `${file} ${key}`;
}
