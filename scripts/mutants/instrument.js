/*
 * Mutants of a source, and sources with chosen mutants behind switches: one compile serves all of them, and
 * `__STRYKER_ACTIVE_MUTANT__=ID,ID` in the environment of a process turns these on.
 *
 * Stryker's instrumenter parses, places and prints, and knows the mutants of any program. It takes no further
 * mutators by its interface; its transformer does, which is imported by its path (its version is exact).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isOutOfScope } from './out-of-scope.js';
import { programMutators } from './program-mutators.js';
import { usualMutators } from './usual-mutators.js';

/** The switch that Stryker's helpers read, once in each process or thread. */
export const SWITCH = '__STRYKER_ACTIVE_MUTANT__';
const PACKAGE = '@stryker-mutator/instrumenter';
/** Stryker turns on one at a time: its helpers, and what they are for several. */
const SEVERAL = [
  [
    `ns.activeMutant = g.process.env.${SWITCH};`,
    `ns.activeMutant = new Set(g.process.env.${SWITCH}.split(','));`,
  ],
  ['ns.activeMutant === id', 'ns.activeMutant?.has(id)'],
];
const LOGGER = { isDebugEnabled: () => false, debug: () => undefined, info: () => undefined };
const OPTIONS = { plugins: null, excludedMutations: [], ignorers: [], noHeader: false };

/**
 * @typedef {object} Mutant
 * @property {string} file path in the repository
 * @property {string} kind its mutator
 * @property {number} start offset in the file of the text that it replaces
 * @property {number} end
 * @property {number} line from 1 on
 * @property {boolean} isExpression whether a value is replaced, not a statement
 * @property {string} key what tells it from every other of its file
 */

/**
 * Every mutant of a file.
 * @param {string} file path in the repository
 * @returns {Promise<Mutant[]>} in the order of the file
 */
export async function mutantsOf(file) {
  const found = [];
  await instrumented([file], (mutant) => {
    found.push(mutant);
    return false;
  });
  return found;
}

/**
 * Sources with these mutants in them.
 * @param {readonly Mutant[]} mutants
 * @returns {Promise<{ sources: Map<string, string>, mutants: (Mutant & { id: string, original: string, replacement: string })[] }>}
 *   by path; and each mutant that the file still has with its id, the text that it replaces and the one it puts there
 */
export async function sourcesWith(mutants) {
  const wanted = new Set(mutants.map(nameOf));
  const files = [...new Set(mutants.map(({ file }) => file))].sort();
  const placed = [];
  const result = await instrumented(files, (mutant) => {
    const isWanted = wanted.has(nameOf(mutant));
    if (isWanted) placed.push(mutant);
    return isWanted;
  });
  const byName = new Map(
    placed.map((mutant, i) => {
      const { id, replacement } = result.mutants[i];
      const original = readFileSync(mutant.file, 'utf8').slice(mutant.start, mutant.end);
      return [nameOf(mutant), { ...mutant, id, original, replacement }];
    }),
  );
  return {
    sources: new Map(result.files.map(({ name, content }) => [name, forSeveral(content)])),
    mutants: mutants.flatMap((mutant) => byName.get(nameOf(mutant)) ?? []),
  };
}

function forSeveral(content) {
  return SEVERAL.reduce((text, [one, several]) => {
    if (!text.includes(one)) throw new Error(`Stryker's helpers have no ${one}`);
    return text.replace(one, several);
  }, content);
}

function nameOf({ file, key }) {
  return `${file} ${key}`;
}

/**
 * @param {readonly string[]} files
 * @param {(mutant: Mutant) => boolean} choose whether to place it
 */
async function instrumented(files, choose) {
  const { Instrumenter, transformBabel, allMutators } = await stryker();
  const all = [...allMutators, ...usualMutators, ...programMutators];
  const transform = (ast, collector, context) => {
    const file = ast.originFileName;
    const mutators = all.map(({ name, mutate }) => ({
      name,
      *mutate(path) {
        if (isOutOfScope(path, name)) return;
        let index = 0;
        for (const replacement of mutate(path)) {
          const { start, end, loc } = path.node;
          const key = `${name}@${start}-${end}#${index++}`;
          const { line } = loc.start;
          const isExpression = path.isExpression();
          if (choose({ file, kind: name, start, end, line, key, isExpression })) yield replacement;
        }
      },
    }));
    transformBabel(ast, collector, { ...context, transform }, mutators);
  };
  const instrumenter = new Instrumenter(LOGGER, undefined, undefined, transform);
  const inputs = files.map((name) => ({
    name,
    mutate: true,
    content: readFileSync(name, 'utf8'),
  }));
  return instrumenter.instrument(inputs, OPTIONS);
}

async function stryker() {
  const root = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
  const part = (path) => import(pathToFileURL(join(root, 'dist/src', path)).href);
  const [{ Instrumenter }, { transformBabel }, { allMutators }] = await Promise.all([
    part('index.js'),
    part('transformers/babel-transformer.js'),
    part('mutators/index.js'),
  ]);
  return { Instrumenter, transformBabel, allMutators };
}
