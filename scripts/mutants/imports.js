/* Which tests load a source, by its imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const IMPORTS =
  /\bfrom '(\.{1,2}\/[^']+)\.js'|\bimport\(\s*'(\.{1,2}\/[^']+)\.js'|^import '(\.{1,2}\/[^']+)\.js'/gm;
/** Imports from a test that starts the program to a file: more than from those of modules that are far away. */
const FAR = 99;

export class Imports {
  /** @param {(test: string) => boolean} startsProgram of a test, as a path in dist/test */
  constructor(startsProgram) {
    this.isProgram = startsProgram;
    this.programs = new Map();
    /** Files that import a file, by its path. */
    this.importers = new Map();
    this.known = new Map();
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

  /** Imports between a test and a source, a guard's and a program's included; undefined where it never loads it. */
  distance(test, file) {
    const distance = this.testsOf(file).get(test);
    return distance ?? (this.startsProgram(test) ? FAR : undefined);
  }

  startsProgram(test) {
    if (!this.programs.has(test)) this.programs.set(test, this.isProgram(test));
    return this.programs.get(test);
  }

  /** @returns {Map<string, number>} tests, as paths in dist/test, with their distance, the nearest first */
  testsOf(file) {
    const known = this.known.get(file);
    if (known !== undefined) return known;
    const distances = new Map([[file, 0]]);
    for (const [at, distance] of distances) {
      for (const importer of this.importers.get(at) ?? []) {
        if (!distances.has(importer)) distances.set(importer, distance + 1);
      }
    }
    const tests = [...distances].filter(([path]) => path.endsWith('.test.ts'));
    const found = new Map(tests.map(([path, distance]) => [compiled(path), distance]));
    this.known.set(file, found);
    return found;
  }
}

export function compiled(path) {
  return path.replace(/^test\//, '').replace(/\.ts$/, '.js');
}
