/*
 * Compiles the catalogs of messages (src/languages/LANGUAGE/AREA.json, ICU MessageFormat) to functions, so that neither
 * the server nor a page has a parser of messages: one module per language for the server, one script per language and
 * page for browsers.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the catalogs are, from the root of the repository. */
export const CATALOGS = 'src/languages';
/** What all others are translated from. */
const SOURCE = 'en';
/** What a language calls things: read by translators and tests. */
const GLOSSARY = 'glossary.json';
/** A folder of a language has this catalog; others have sources. */
const FIRST = 'mails.json';
/** Where the types of what messages are given are, a file per area, from the root of the repository. */
const VALUES = `${CATALOGS}/values`;
/** Areas of what the server writes. */
const SERVER_AREAS = ['mails', 'notices', 'pages', 'refusals'];
/** Areas of what each page of browsers shows. */
const PAGE_AREAS = { chat: ['shared', 'chat'], console: ['shared', 'console'] };
/** What pages load with the first refusal: a module of its own, with the English wordings that it translates. */
const REFUSALS = 'refusals';
/** Areas whose messages pages find by number: their ids would be a sixth of what the chat loads. */
const NUMBERED = ['chat', 'shared'];
/** The variable in which a page finds its messages (`src/web/shared/texts.ts`). */
const GLOBAL = 'parleyMessages';

/** Codes of the languages that there are catalogs of. */
export function languages(root) {
  const folder = join(root, CATALOGS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, FIRST)))
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

/**
 * Writes a script for each page and language, whose name begins with `PAGE_LANGUAGE-`, and a module of refusals for each
 * language.
 */
export async function pageMessages({ root, output, build, options }) {
  const pages = Object.keys(PAGE_AREAS);
  const modules = await modulesOf(root, (area) =>
    pages.filter((page) => PAGE_AREAS[page].includes(area)),
  );
  if (modules.size === 0) return;
  const { parse } = await import('acorn');
  for (const [name, text] of modules) {
    const numbered = withoutIds(text, parse(text, { ecmaVersion: 2022, sourceType: 'module' }));
    modules.set(name, numbered.replace(/^export default/m, `globalThis.${GLOBAL} =`));
  }
  const write = (format, ofFormat) =>
    build({
      ...options,
      absWorkingDir: root,
      entryPoints: [...ofFormat.keys()].map((name) => ({ in: `messages:${name}`, out: name })),
      outdir: output,
      entryNames: '[name]-[hash]',
      bundle: true,
      charset: 'utf8',
      format,
      minify: true,
      logLevel: 'silent',
      plugins: [fromMemory(root, ofFormat)],
    });
  await write('iife', modules);
  const refusals = await modulesOf(root, (area) => (area === REFUSALS ? [REFUSALS] : []));
  await write('esm', refusals);
}

/** A module of messages with a list in the place of each area that is numbered. */
function withoutIds(text, { body }) {
  const { declaration } = body.find(({ type }) => type === 'ExportDefaultDeclaration');
  let numbered = text;
  // From the end, so that the places before it hold.
  for (const { key, value } of declaration.properties.toReversed()) {
    if (!NUMBERED.includes(key.name)) continue;
    const messages = value.properties.map((one) => text.slice(one.value.start, one.value.end));
    const list = `[${messages.join(', ')}]`;
    numbered = numbered.slice(0, value.start) + list + numbered.slice(value.end);
  }
  return numbered;
}

/**
 * For the bundler of pages: puts the number of a message in the place of its id, in the sources of areas that are
 * numbered. An id stands there as a whole, so none is put together from parts.
 */
export function numbersForIds(root) {
  return {
    name: 'ids of messages',
    setup(build) {
      const source = languages(root).length === 0 ? {} : catalogsOf(root, SOURCE);
      build.onLoad({ filter: /[/\\]src[/\\]web[/\\].*\.tsx?$/ }, ({ path }) => {
        const area = /[/\\]src[/\\]web[/\\](\w+)/.exec(path)[1];
        if (!NUMBERED.includes(area) || source[area] === undefined) return undefined;
        const ids = new Map(Object.keys(source[area]).map((id, number) => [`'${id}'`, number]));
        const text = readFileSync(path, 'utf8');
        const put = /\bsay\(\s*`/.exec(text);
        if (put)
          return {
            errors: [{ text: 'an id of a message is put together', location: { file: path } }],
          };
        const contents = text.replaceAll(/'[\w.-]+'/g, (literal) => ids.get(literal) ?? literal);
        return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
      });
    },
  };
}

/** Messages in the order of the source, whose own text stands for one that is not translated. */
function inOrder(messages, source) {
  return Object.fromEntries(Object.entries(source).map(([id, text]) => [id, messages[id] ?? text]));
}

/** The text of a module for each language and place; its default export has the areas that belong there. */
async function modulesOf(root, placesOf) {
  const modules = new Map();
  const codes = languages(root);
  if (codes.length === 0) return modules;
  const { MessageFormat, compileModule } = await compiler();
  const source = catalogsOf(root, SOURCE);
  for (const language of codes) {
    const places = {};
    for (const [area, messages] of Object.entries(catalogsOf(root, language))) {
      for (const place of placesOf(area))
        (places[place] ??= {})[area] = inOrder(messages, source[area]);
    }
    for (const [place, areas] of Object.entries(places)) {
      // What is no plain MessageFormat is refused where the types of values are made.
      const format = new MessageFormat(language);
      const compiled = compileModule(format, areas);
      // Those who read English read what the API says.
      const wordings = JSON.stringify(language === SOURCE ? {} : source[REFUSALS]);
      const known = REFUSALS in areas ? `\nexport const wordings = ${wordings};\n` : '';
      modules.set(`${place}_${language}`, compiled + known);
    }
  }
  return modules;
}

/** The catalogs of a language by area, each from id to message. */
export function catalogsOf(root, language) {
  const folder = join(root, CATALOGS, language);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== GLOSSARY);
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

/** The texts of the files with these types, by their paths from the root of the repository. */
export async function valueTypes(root) {
  const files = new Map();
  for (const [area, messages] of Object.entries(catalogsOf(root, SOURCE))) {
    const rows = [];
    for (const [id, message] of Object.entries(messages)) {
      const given = [...(await argumentsOf(message))].map(([name, type]) => `${name}: ${type}`);
      if (given.length > 0) rows.push(`  '${id}': { ${given.join('; ')} };`);
    }
    const type = rows.length > 0 ? `{\n${rows.join('\n')}\n}` : 'Record<never, never>';
    files.set(
      `${VALUES}/${area}.ts`,
      `/** What messages are given: made of the English catalog by scripts/languages.js. */
export type Values = ${type};
`,
    );
  }
  return files;
}

/** Writes these files where the catalogs say something else than they do. */
export async function writeValueTypes(root) {
  if (languages(root).length === 0) return;
  for (const [name, text] of await valueTypes(root)) {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
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
