/*
 * Which tests can see a mutant: those that passed the part of the source that it is in, as a run with probes recorded
 * (dist/mutants/coverage-GROUP.json, for each group of tests), or what uses its file; else those that import the file.
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
    /** Files that import a file, by its path. */
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
  const packed = tests.map(({ hits, ...test }) => {
    return { ...test, text: textOf(test.file), hits: differences(hits) };
  });
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
    this.texts = new Map();
  }

  /** @param {readonly string[]} groups */
  read(groups) {
    for (const group of groups.filter((one) => existsSync(recordOf(one)))) {
      const { files, tests } = JSON.parse(readFileSync(recordOf(group), 'utf8'));
      this.records.set(group, { files, tests: tests.map(unpacked) });
      for (const { file, cpu, text } of tests) {
        this.cpu.set(file, cpu);
        this.texts.set(file, text);
      }
    }
    return this;
  }

  /** Seconds of a processor that a test takes; undefined for one that was not recorded, or failed then. */
  cpuOf(test) {
    return this.cpu.get(test);
  }

  /** Whether a test is the one that passed when it was recorded. */
  isAsRecorded(test) {
    return this.texts.has(test) && this.texts.get(test) === textOf(test);
  }

  /**
   * Tests of a group that pass a place, in no order.
   * @param {Imports} imports
   * @returns {string[] | null} null where that is not known
   */
  testsAt(group, place, imports) {
    const record = this.records.get(group);
    if (record === undefined) return null;
    const region = regionOf(record.files[place.file], place);
    const ranges = region === null ? rangesOfUse(record.files, place.file, imports) : [region];
    if (ranges.length === 0) return null;
    const isHit = (hits) =>
      ranges.some(([from, to]) => hits.some((hit) => from <= hit && hit < to));
    return record.tests.filter(({ hits }) => isHit(hits)).map(({ file }) => file);
  }
}

function unpacked({ hits, ...test }) {
  let at = 0;
  return { ...test, hits: hits.map((step) => (at += step)) };
}

/**
 * The probe of a place, as a range of numbers; null for what runs as the file is loaded, which a process does once for
 * many tests, and where the file was changed since.
 */
function regionOf(known, { file, start, end }) {
  if (known === undefined || known.hash !== hashOf(readFileSync(file, 'utf8'))) return null;
  let inner = 0;
  known.regions.forEach(([from, to], i) => {
    const [least, most] = known.regions[inner];
    if (from <= start && end <= to && to - from <= most - least) inner = i;
  });
  return inner === 0 ? null : [known.first + inner, known.first + inner + 1];
}

/**
 * The probes of what a file's values are for: its own functions, and those of files that import it; of an importer that
 * has none, those of its importers. A schema is seen by the tests that pass its handler.
 */
function rangesOfUse(files, file, imports) {
  const ranges = [];
  const users = new Set([file]);
  for (const user of users) {
    const known = files[user];
    const hasFunctions = known !== undefined && known.regions.length > 1;
    if (hasFunctions) ranges.push([known.first + 1, known.first + known.regions.length]);
    if (user !== file && hasFunctions) continue;
    for (const importer of imports.importers.get(user) ?? []) users.add(importer);
  }
  return ranges;
}

/** What tells a compiled test from what it is after a change. */
function textOf(test) {
  return hashOf(readFileSync(join('dist/test', test), 'utf8'));
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
