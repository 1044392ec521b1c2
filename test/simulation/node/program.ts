import * as crypto from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';
import type { createApp } from '../../../src/app/app.js';
import type { OpenOptions } from '../lmdb/open.js';
import { counting, SMALLER, type Edit } from './bounds.js';
import { FOLDER } from './disk.js';
import { PROGRAM } from './files.js';
import { OwnValues, OwnVariables, withOwnState, type OwnVariable } from './process-state.js';

/** What a process has of the program. */
export interface Program {
  readonly createApp: typeof createApp;
  /** The process works from now on: whatever modules keep is its own. */
  readonly enter: () => void;
}

interface Loaded {
  readonly createApp: typeof createApp;
}

/** What a process brings with it, under the names that the compiled program uses. */
export interface Surroundings {
  readonly platform: unknown;
  readonly pid: number;
  readonly hostname: string;
  readonly nativeLibrary: object;
  readonly openClient: unknown;
  readonly openDatabase: (options: OpenOptions) => object;
  readonly mailTransport: (options: object) => object;
  /** Takes what the program warns of. */
  readonly warn: (text: string) => void;
  readonly anySignal: typeof AbortSignal.any;
  /** Takes what the program has come to (bounds.ts). */
  readonly reached: (what: string) => void;
}

/** Name of the compiled program in stacks. */
export const SCRIPT = 'server-of-the-simulation.js';
const ENTRY = `export { createApp } from './src/app/app.js';`;

/**
 * Modules that are given and not compiled: the platform of production, and what opens connections to Redis, whose place
 * the simulation takes.
 */
const GIVEN: Readonly<Record<string, string>> = {
  'src/platform/node-platform.ts': 'export let nodePlatform = __given.process.platform;',
  // They read the pages of LMDB, which the simulation has none of.
  'src/store/embedded/pages/page-check.ts': 'export const assertPagesIntact = () => undefined;',
  'src/store/redis/clients.ts': `
    export const readTlsFiles = async () => ({});
    export const clientsOf = () => (ended) => __given.process.openClient(ended);`,
};

/** The module `node:process`, whose number is another one for each process. */
const PROCESS_MODULE = `
  export let pid = 0;
  __given.own({ get: () => pid, set: (value) => { pid = value; }, make: () => __given.process.pid });
  export const emitWarning = (text) => __given.process.warn(text);`.trim();

type Namespace = Record<string, unknown>;

/** What the compiled program is given in place of its surroundings. */
interface Given {
  /** Those of the process that works. */
  readonly process: Surroundings;
  readonly own: (variable: OwnVariable) => void;
}

/**
 * The server, compiled and loaded once. Each process of the simulation has its own values of whatever modules keep, so
 * nothing of one is seen by another. Packages from elsewhere are shared: they keep nothing that the product goes by.
 */
export class CompiledProgram {
  readonly #variables = new OwnVariables();
  readonly #loaded: Loaded;
  #process: Surroundings = NOBODY;

  private constructor(
    script: vm.Script,
    /** The text of the program. */
    readonly code: string,
    packages: ReadonlyMap<string, Namespace>,
  ) {
    const run = script.runInThisContext() as (
      packages: (name: string) => Namespace,
      given: Given,
    ) => Loaded;
    const replaced = this.#replacedModules();
    const working = (): Surroundings => this.#process;
    const given = {
      get process(): Surroundings {
        return working();
      },
      own: (variable: OwnVariable) => this.#variables.add(variable),
    };
    this.#loaded = run((name) => {
      const found = replaced[name] ?? packages.get(name);
      if (!found) throw new Error(`The simulation has no module ${name}`);
      return found;
    }, given);
  }

  /** @throws Error where an edit does not fit its source */
  static async compile(edits: readonly Edit[] = []): Promise<CompiledProgram> {
    const source = await bundled(edits);
    const { code, imported } = asFunction(source);
    const packages = new Map<string, Namespace>();
    for (const name of imported) packages.set(name, (await import(name)) as Namespace);
    const script = new vm.Script(code, { filename: SCRIPT });
    return new CompiledProgram(script, code, packages);
  }

  /** The program of a new process. */
  load(surroundings: Surroundings): Program {
    const values = new OwnValues();
    return {
      createApp: this.#loaded.createApp,
      enter: () => {
        if (this.#process === surroundings) return;
        this.#process = surroundings;
        this.#variables.enter(values);
      },
    };
  }

  /** Modules that would let a process see the machine, or each other. */
  #replacedModules(): Record<string, Namespace> {
    // Wherever the simulation itself runs.
    const resolve = (...parts: string[]): string => path.resolve(FOLDER, ...parts);
    return {
      // In place of a checksum that a thread of the machine makes.
      'node:crypto': { ...crypto, webcrypto: { subtle: { digest: digestNow } } },
      'node:path': { ...path, resolve, default: { ...path, resolve } },
      lmdb: {
        open: (options: OpenOptions) => this.#process.openDatabase(options),
        asBinary: (bytes: Buffer) => ({ bytes }),
      },
      'node:os': { hostname: () => this.#process.hostname },
      'node:module': {
        createRequire: () => {
          const require = (name: string): object => {
            if (name === 'uWebSockets.js') return this.#process.nativeLibrary;
            // Only functions that make texts.
            if (name.endsWith('.cjs')) return readMessages(name);
            throw new Error(`The simulation has no module ${name}`);
          };
          return Object.assign(require, { resolve: (name: string) => `${PROGRAM}/${name}` });
        },
      },
      // In place of Argon2, whose threads take time of the machine.
      '@node-rs/argon2': {
        hash: async (password: string) => `plain ${password}`,
        verify: async (hash: string, password: string) => hash === `plain ${password}`,
        hashSync: (password: string) => `plain ${password}`,
      },
      nodemailer: {
        default: {
          createTransport: (options: object) => this.#process.mailTransport(options),
        },
      },
    };
  }
}

async function digestNow(_algorithm: string, data: Uint8Array): Promise<ArrayBuffer> {
  return new Uint8Array(crypto.createHash('sha256').update(data).digest()).buffer;
}

/** The messages of a language, as the build has compiled them. */
function readMessages(name: string): object {
  const require = createRequire(path.resolve('dist/src/languages/texts.js'));
  return require(`./messages/${path.basename(name)}`) as object;
}

/** What the program has as it is loaded, before any process runs: nothing. */
const NOBODY: Surroundings = {
  platform: undefined,
  pid: 0,
  hostname: '',
  nativeLibrary: {},
  openClient: undefined,
  openDatabase: () => ({}),
  mailTransport: () => ({}),
  warn: () => undefined,
  anySignal: (signals) => AbortSignal.any(signals),
  reached: () => undefined,
};

async function bundled(planted: readonly Edit[]): Promise<string> {
  const edits = [...planted, ...SMALLER];
  const { bundler, SYNTAX } = (await import(
    pathToFileURL(path.join('scripts', 'bundle.js')).href
  )) as {
    bundler: () => Promise<typeof import('esbuild')>;
    SYNTAX: { target: string };
  };
  const { build, transform } = await bundler();
  const root = process.cwd();
  const left = new Set(edits);
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: ENTRY, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: SYNTAX.target,
    packages: 'external',
    logLevel: 'silent',
    define: {
      'import.meta.url': JSON.stringify(`file://${PROGRAM}/server.js`),
      'import.meta.dirname': JSON.stringify(PROGRAM),
      'process.pid': '__given.process.pid',
      'AbortSignal.any': '__given.process.anySignal',
    },
    plugins: [
      {
        name: 'simulation',
        setup(building) {
          building.onResolve({ filter: /^node:process$/ }, ({ path: name }) => {
            return { path: name, namespace: 'given' };
          });
          building.onLoad({ filter: /./, namespace: 'given' }, () => {
            return { contents: PROCESS_MODULE, loader: 'js' };
          });
          building.onLoad({ filter: /\.ts$/ }, async ({ path: whole }) => {
            const { readFile } = await import('node:fs/promises');
            const file = whole.slice(root.length + 1);
            let contents = GIVEN[file] ?? (await readFile(whole, 'utf8'));
            for (const edit of edits) {
              if (edit.file !== file) continue;
              if (contents.split(edit.text).length !== 2) {
                throw new Error(`${file} has not once: ${edit.text}`);
              }
              contents = contents.replace(edit.text, () => edit.by);
              left.delete(edit);
            }
            contents = counting(file, contents);
            const { code } = await transform(contents, { loader: 'ts', target: SYNTAX.target });
            return { contents: withOwnState(file, code), loader: 'js' };
          });
        },
      },
    ],
  });
  const [unused] = left;
  if (unused) throw new Error(`The server has no ${unused.file}`);
  return outputFiles[0]!.text;
}

const IMPORT =
  /^import\s*(?:(?<all>[\w$]+|\* as [\w$]+)?\s*,?\s*(?:\{(?<some>[^}]*)\})?\s*from\s*)?"(?<name>[^"]+)";$/gm;

/** An ES module as a function of its imports, so that it can run many times. */
function asFunction(source: string): { code: string; imported: Set<string> } {
  const imported = new Set<string>();
  let exported = '';
  const body = source
    .replace(IMPORT, (...found: unknown[]) => {
      const { all, some, name } = found.at(-1) as Record<
        'all' | 'some' | 'name',
        string | undefined
      >;
      imported.add(name!);
      const from = `__import(${JSON.stringify(name)})`;
      const lines: string[] = [];
      if (all?.startsWith('* as ')) lines.push(`const ${all.slice(5)} = ${from};`);
      else if (all) lines.push(`const { default: ${all} } = ${from};`);
      if (some) lines.push(`const {${some.replaceAll(' as ', ': ')}} = ${from};`);
      return lines.join(' ');
    })
    .replace(/\bimport\("([^"]+)"\)/g, (_found, name: string) => {
      imported.add(name);
      return `Promise.resolve(__import(${JSON.stringify(name)}))`;
    })
    .replace(/^export \{([^}]*)\};$/m, (_found, names: string) => {
      exported = names.replace(/([\w$]+) as ([\w$]+)/g, '$2: $1');
      return '';
    });
  const code = `(function (__import, __given) { 'use strict';\n${body}\nreturn {${exported}}; })`;
  return { code, imported };
}
