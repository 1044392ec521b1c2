import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ALL_TESTS, TEST_FOLDER } from './test-files.js';

/** Test files that somebody named. */
export interface Chosen {
  /** Paths in {@link TEST_FOLDER}. */
  readonly files: readonly string[];
  /** Only tests whose titles match, as tap takes patterns (`TAP_GREP`); null: all of these files. */
  readonly titles: string | null;
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
 * @throws Error for a name that nothing matches
 */
export function chosenTests(names: readonly string[]): Chosen {
  const files = new Set<string>();
  const titles: string[] = [];
  for (const name of names) {
    const path = name.replace(/^(?:dist\/)?test\//, '').replace(/\.ts$/, '.js');
    const found = ALL_TESTS.filter((file) => file.includes(path));
    const titled = found.length > 0 ? [] : ALL_TESTS.filter((file) => hasTitle(file, name));
    if (found.length === 0 && titled.length === 0) throw new Error(`No test is named ${name}`);
    if (titled.length > 0) titles.push(name);
    for (const file of [...found, ...titled]) files.add(file);
  }
  // Beside whole files a title would leave out their other tests.
  const isByTitle = titles.length === names.length;
  return { files: [...files].sort(), titles: isByTitle ? patternOf(titles) : null };
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
