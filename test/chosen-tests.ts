import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { ALL_TESTS, TEST_FOLDER } from './test-files.js';

/** Test files that somebody named. */
export interface Chosen {
  /** Paths in {@link TEST_FOLDER}. */
  readonly files: readonly string[];
  /** Only tests whose titles match, as tap takes patterns (`TAP_GREP`); null: all of these files. */
  readonly titles: string | null;
  /** Names that nothing matches, and why, as a line for whoever gave them. */
  readonly unknown: readonly string[];
}

/** Titles of tests that stand at the left margin: those inside of others cannot be run alone. */
const TITLE = /^void t\.test\(\s*(['"`])((?:\\.|(?!\1)[^])*)\1/gm;
const IMPORT =
  /^(?:import|export)\b[^'";]*?['"](\.{1,2}\/[^'"]+)['"]|\bimport\(\s*['"](\.{1,2}\/[^'"]+)['"]/gm;
/** Whoever imports it starts the program. */
const STARTS_PROGRAM = 'system/harness/server.js';

/**
 * The test files that are meant: by a part of their paths (`store/redis`, `journal.test.ts`), else by a part of the
 * title of a test, of which only those tests run.
 * @param further files, by their paths
 */
export function chosenTests(names: readonly string[], further: readonly string[] = []): Chosen {
  const files = new Set(further);
  const titles: string[] = [];
  const unknown: string[] = [];
  for (const name of names) {
    const path = name.replace(/^(?:dist\/)?test\//, '').replace(/\.ts$/, '.js');
    const found = ALL_TESTS.filter((file) => file.includes(path));
    const titled = found.length > 0 ? [] : ALL_TESTS.filter((file) => hasTitle(file, name));
    if (found.length === 0 && titled.length === 0) {
      unknown.push(`No test is named ${name}; the nearest is ${nearest(path)}`);
    }
    if (titled.length > 0) titles.push(name);
    for (const file of [...found, ...titled]) files.add(file);
  }
  // Beside whole files a title would leave out their other tests.
  const isByTitle = titles.length === names.length - unknown.length && further.length === 0;
  const pattern = isByTitle && titles.length > 0 ? patternOf(titles) : null;
  return { files: [...files].sort(), titles: pattern, unknown };
}

/** The test whose path shares the most pairs of letters with a name. */
function nearest(name: string): string {
  const pairsOf = (text: string) =>
    new Set([...text].slice(1).map((letter, i) => text[i]! + letter));
  const pairs = pairsOf(name.replace(/(?:\.test)?\.js$/, ''));
  const likeness = (file: string): number => {
    const own = pairsOf(file.replace(/\.test\.js$/, ''));
    return (2 * [...pairs].filter((pair) => own.has(pair)).length) / (pairs.size + own.size);
  };
  // Of a path, its last part alone: whoever errs in the file often leaves the folder out.
  const score = (file: string): number => Math.max(likeness(file), likeness(basename(file)));
  const [best] = ALL_TESTS.map((file) => [score(file), file] as const).sort(([a], [b]) => b - a);
  return best![1].replace(/\.js$/, '.ts');
}

function patternOf(parts: readonly string[]): string {
  const escaped = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  return `/${escaped.join('|')}/`;
}

function hasTitle(file: string, part: string): boolean {
  const titles = textOf(file).matchAll(TITLE);
  return [...titles].some(([, , title]) => title!.replaceAll(/\\(.)/g, '$1').includes(part));
}

/** Whether a compiled test starts the program, so that this must have been built. */
export function startsProgram(file: string, seen = new Set<string>()): boolean {
  if (file === STARTS_PROGRAM) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return [...textOf(file).matchAll(IMPORT)].some(([, fixed, dynamic]) => {
    const imported = relative(TEST_FOLDER, join(TEST_FOLDER, dirname(file), fixed ?? dynamic!));
    return !imported.startsWith('..') && startsProgram(imported, seen);
  });
}

function textOf(file: string): string {
  return readFileSync(join(TEST_FOLDER, file), 'utf8');
}
