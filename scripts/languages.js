/*
 * Compiles the catalogs of messages (src/languages/LANGUAGE/AREA.json, ICU MessageFormat) to functions, so that neither
 * the server nor a page has a parser of messages: one module per language for the server, one script per language and
 * page for browsers.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the catalogs are, from the root of the repository. */
export const CATALOGS = 'src/languages';
/** What all others are translated from. */
const SOURCE = 'en';
/** The types of what messages are given, from the root of the repository. */
export const VALUES_FILE = `${CATALOGS}/values.ts`;
/** Areas of what the server writes. */
const SERVER_AREAS = ['mails', 'notices', 'pages'];
/** Areas of what each page of browsers shows. */
const PAGE_AREAS = { chat: ['shared', 'chat'], console: ['shared', 'console'] };
/** The variable in which a page finds its messages (`src/web/shared/texts.ts`). */
const GLOBAL = 'parleyMessages';

/** Codes of the languages that there are catalogs of. */
export function languages(root) {
  const folder = join(root, CATALOGS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/**
 * Writes `LANGUAGE.cjs` for each language, with the areas of the server.
 * @param {object} options how sources are compiled, with the function `build` of the bundler
 * @throws Error for a message that is no MessageFormat; what `build` throws
 */
export async function serverMessages({ root, output, build, options }) {
  const modules = await modulesOf(root, (area) => (SERVER_AREAS.includes(area) ? ['server'] : []));
  if (modules.size === 0) return;
  await build({
    ...options,
    absWorkingDir: root,
    entryPoints: languages(root).map((language) => ({
      in: `messages:server_${language}`,
      out: language,
    })),
    outdir: output,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    charset: 'utf8',
    format: 'cjs',
    sourcemap: false,
    logLevel: 'silent',
    plugins: [fromMemory(root, modules)],
  });
}

/** Writes a script for each page and language, whose name begins with `PAGE_LANGUAGE-`. */
export async function pageMessages({ root, output, build, options }) {
  const pages = Object.keys(PAGE_AREAS);
  const modules = await modulesOf(root, (area) =>
    pages.filter((page) => PAGE_AREAS[page].includes(area)),
  );
  if (modules.size === 0) return;
  for (const [name, text] of modules) {
    modules.set(name, text.replace(/^export default/m, `globalThis.${GLOBAL} =`));
  }
  await build({
    ...options,
    absWorkingDir: root,
    entryPoints: [...modules.keys()].map((name) => ({ in: `messages:${name}`, out: name })),
    outdir: output,
    entryNames: '[name]-[hash]',
    bundle: true,
    charset: 'utf8',
    format: 'iife',
    minify: true,
    logLevel: 'silent',
    plugins: [fromMemory(root, modules)],
  });
}

/** The text of a module for each language and place; its default export has the areas that belong there. */
async function modulesOf(root, placesOf) {
  const modules = new Map();
  const codes = languages(root);
  if (codes.length === 0) return modules;
  const { MessageFormat, compileModule } = await compiler();
  for (const language of codes) {
    const places = {};
    for (const [area, messages] of Object.entries(catalogsOf(root, language))) {
      for (const place of placesOf(area)) (places[place] ??= {})[area] = messages;
    }
    for (const [place, areas] of Object.entries(places)) {
      const format = new MessageFormat(language, { strict: true });
      modules.set(`${place}_${language}`, compileModule(format, areas));
    }
  }
  return modules;
}

/** The catalogs of a language by area, each from id to message. */
export function catalogsOf(root, language) {
  const folder = join(root, CATALOGS, language);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    files.map((name) => [
      name.slice(0, -'.json'.length),
      JSON.parse(readFileSync(join(folder, name), 'utf8')),
    ]),
  );
}

/**
 * What a message is given: for each argument whether it is counted or shown as a number, or repeated as it is.
 * @param {string} message
 * @returns {Promise<Map<string, 'number' | 'string | number'>>}
 */
export async function argumentsOf(message) {
  const { parse } = await import('@messageformat/parser');
  const found = new Map();
  const visit = (tokens) => {
    for (const { type, arg, key, cases = [] } of tokens) {
      if (arg !== undefined) {
        const isNumber = type === 'plural' || type === 'selectordinal' || key === 'number';
        if (isNumber || !found.has(arg)) found.set(arg, isNumber ? 'number' : 'string | number');
      }
      for (const one of cases) visit(one.tokens);
    }
  };
  visit(parse(message, { strict: true }));
  return found;
}

/** The text of `VALUES_FILE`. */
export async function valueTypes(root) {
  const lines = [];
  for (const [area, messages] of Object.entries(catalogsOf(root, SOURCE)).sort()) {
    const rows = [];
    for (const [id, message] of Object.entries(messages)) {
      const given = [...(await argumentsOf(message))].map(([name, type]) => `${name}: ${type}`);
      if (given.length > 0) rows.push(`    '${id}': { ${given.join('; ')} };`);
    }
    lines.push(...(rows.length > 0 ? [`  ${area}: {`, ...rows, '  };'] : [`  ${area}: NoValues;`]));
  }
  return `/* What each message is given; made of the English catalogs by scripts/languages.js. */

type NoValues = Record<never, never>;

/** By area and id, for messages that are given something. */
export interface Values {
${lines.join('\n')}
}
`;
}

/** Writes `VALUES_FILE` where the catalogs say something else than it does. */
export async function writeValueTypes(root) {
  if (languages(root).length === 0) return;
  const file = join(root, VALUES_FILE);
  const text = await valueTypes(root);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

/** Gives the bundler modules that are in no file. */
function fromMemory(root, modules) {
  return {
    name: 'messages',
    setup(build) {
      build.onResolve({ filter: /^messages:/ }, ({ path }) => ({
        path: path.slice('messages:'.length),
        namespace: 'messages',
      }));
      build.onLoad({ filter: /./, namespace: 'messages' }, ({ path }) => ({
        contents: modules.get(path),
        loader: 'js',
        resolveDir: root,
      }));
    },
  };
}

/** Loaded where messages are compiled: a server that was compiled elsewhere starts without. */
async function compiler() {
  const [{ default: MessageFormat }, { default: compileModule }] = await Promise.all([
    import('@messageformat/core'),
    import('@messageformat/core/compile-module.js'),
  ]);
  return { MessageFormat, compileModule };
}
