/*
 * Which tests can see a mutant: those that passed the part of the source that it is in, as a run with probes recorded
 * (dist/mutants/coverage-GROUP.json, for each group of tests), or else those that import the file, the nearest first.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { sources } from './draw.js';
import { withProbes } from './probes.js';

const RECORDS = 'dist/mutants';
const IMPORTS =
  /\bfrom '(\.{1,2}\/[^']+)\.js'|\bimport\(\s*'(\.{1,2}\/[^']+)\.js'|^import '(\.{1,2}\/[^']+)\.js'/gm;

/** Tests that import a source, by how many imports lie between; tests of the whole program start it and import nothing. */
export class Imports {
  constructor() {
    this.importers = new Map();
    for (const folder of ['actors', 'schemas', 'src', 'test']) {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!name.endsWith('.ts')) continue;
        const file = `${folder}/${name}`;
        for (const [, ...paths] of readFileSync(file, 'utf8').matchAll(IMPORTS)) {
          const target = `${normalize(join(dirname(file), paths.find(Boolean)))}.ts`;
          this.importers.set(target, [...(this.importers.get(target) ?? []), file]);
        }
      }
    }
  }

  /** @returns {Map<string, number>} tests, as paths in dist/test, with their distance */
  testsOf(file) {
    const distances = new Map([[file, 0]]);
    for (const [at, distance] of distances) {
      for (const importer of this.importers.get(at) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distance + 1);
      }
    }
    const tests = [...distances].filter(([path]) => path.endsWith('.test.ts'));
    return new Map(tests.map(([path, distance]) => [compiled(path), distance]));
  }
}

export function compiled(path) {
  return path.replace(/^test\//, '').replace(/\.ts$/, '.js');
}

/**
 * Sources with probes in all of them, and what to keep of their numbers.
 * @returns {{ sources: Map<string, string>, files: Record<string, { hash: string, first: number, regions: number[][] }> }}
 */
export function probed() {
  const texts = new Map();
  const files = {};
  let first = 0;
  for (const file of sources()) {
    const text = readFileSync(file, 'utf8');
    const { text: changed, regions } = withProbes(file, text, first);
    texts.set(file, changed);
    files[file] = { hash: hashOf(text), first, regions };
    first += regions.length;
  }
  return { sources: texts, files };
}

/**
 * @param {string} group of tests
 * @param {{ files: object, tests: { file: string, cpu: number, hits: number[] }[] }} record
 */
export function keepRecord(group, { files, tests }) {
  mkdirSync(RECORDS, { recursive: true });
  const packed = tests.map(({ hits, ...test }) => ({ ...test, hits: differences(hits) }));
  writeFileSync(recordOf(group), JSON.stringify({ files, tests: packed }));
}

function recordOf(group) {
  return join(RECORDS, `coverage-${group}.json`);
}

/** Sorted numbers as the steps between them, which are shorter to write. */
function differences(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted.map((number, i) => number - (sorted[i - 1] ?? 0));
}

/** What was recorded last of each group of tests. */
export class Coverage {
  constructor() {
    this.records = new Map();
    this.cpu = new Map();
  }

  /** @param {readonly string[]} groups */
  read(groups) {
    for (const group of groups.filter((one) => existsSync(recordOf(one)))) {
      const { files, tests } = JSON.parse(readFileSync(recordOf(group), 'utf8'));
      this.records.set(group, { files, tests: tests.map(unpacked) });
      for (const { file, cpu } of tests) this.cpu.set(file, cpu);
    }
    return this;
  }

  /** Seconds of a processor that a test takes; undefined for one that was not recorded, or failed then. */
  cpuOf(test) {
    return this.cpu.get(test);
  }

  /**
   * Tests of a group that pass a place, in no order.
   * @returns {string[] | null} null where that is not known
   */
  testsAt(group, place) {
    const record = this.records.get(group);
    const does = passes(record?.files[place.file], place);
    if (does === null) return null;
    return record.tests.filter(({ hits }) => does(hits)).map(({ file }) => file);
  }
}

function unpacked({ hits, ...test }) {
  let at = 0;
  return { ...test, hits: new Set(hits.map((step) => (at += step))) };
}

/**
 * Whether hits of a test are of a place; null where that is not known. Any part of the file counts where it was changed
 * since, and for what runs as it is loaded: a process loads it once for many tests.
 */
function passes(known, { file, start, end }) {
  if (known === undefined || known.regions.length === 1) return null;
  const { first, regions, hash } = known;
  let inner = 0;
  regions.forEach(([from, to], i) => {
    const [least, most] = regions[inner];
    if (from <= start && end <= to && to - from <= most - least) inner = i;
  });
  if (inner > 0 && hash === hashOf(readFileSync(file, 'utf8'))) {
    return (hits) => hits.has(first + inner);
  }
  const last = first + regions.length;
  return (hits) => [...hits].some((hit) => hit > first && hit < last);
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
