/*
 * Bundles the server with its dependencies into a folder: a start then reads thirty files in place of 1,500,
 * which takes half the time.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { numbersForIds, pageMessages, serverMessages } from './languages.js';

/** Programs of the server: itself, the module for tests of others, the process that works on pictures, and the threads of the search index and of mails. */
const PROGRAMS = [
  'src/main.ts',
  'src/testing/testing.ts',
  'src/services/pictures/worker.ts',
  'src/services/search-index/search-thread.ts',
  'src/services/incoming-mail/mail-thread.ts',
];
/** Pages of browsers: a script and a style each, which the server serves under names that change with the contents. */
const PAGES = {
  chat: ['src/web/chat/main.tsx', 'src/web/chat/chat.css'],
  console: ['src/web/console/main.tsx', 'src/web/console/console.css'],
};
/** Releases of browsers since which they know what the pages use: `light-dark()`, of spring 2024. */
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5'];
const IN_BROWSERS = { platform: 'browser', target: BROWSERS };
/** Folders and files that the server reads at run time, from beside its program. */
const COPIED = ['src/store/redis/scripts', 'docs/native-binaries.sha256'];
/** The viewer of the contract (`/docs`): two of the forty files of its package. */
const VIEWER = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'];
/** Left in node_modules: what is compiled for a system, reads files of its own, or starts threads from them. */
export const EXTERNAL = [
  '@node-rs/argon2',
  // Read when the first message has a formula or code, an address is checked, or there is a configuration file.
  'katex',
  'lmdb',
  'mailchecker',
  'pino',
  'pino-pretty',
  'prismjs',
  'sharp',
  'uWebSockets.js',
  'yaml',
];

/** How sources are compiled, in the bundle and by themselves. */
export const SYNTAX = {
  platform: 'node',
  target: 'node20',
  // Read with `NODE_OPTIONS=--enable-source-maps` alone.
  sourcemap: 'linked',
  sourcesContent: false,
};

/** Where the server finds its messages, beside the program (`src/languages/texts.ts`). */
export const MESSAGES = 'messages';

/**
 * @param {string} root folder of the repository
 * @param {string} output folder that afterwards holds the bundle and nothing else
 * @throws Error with the faults of the sources, or when the bundler is not installed
 */
export async function bundle(root, output) {
  const { build, formatMessages } = await bundler();
  rmSync(output, { recursive: true, force: true });
  try {
    await build({
      absWorkingDir: root,
      entryPoints: PROGRAMS.filter((program) => existsSync(join(root, program))),
      outdir: output,
      entryNames: '[name]',
      // Beside the programs, since modules name other files relative to themselves.
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      ...SYNTAX,
      external: EXTERNAL,
      logLevel: 'silent',
    });
    await toCommonJs(output);
    await serverMessages({ root, output: join(output, MESSAGES), build, options: SYNTAX });
    // One by one: what two pages have in common would be a file of its own, and one more for each to fetch.
    for (const [page, files] of Object.entries(PAGES)) {
      await build({
        ...IN_BROWSERS,
        absWorkingDir: root,
        entryPoints: files
          .filter((file) => existsSync(join(root, file)))
          .map((file) => ({ in: file, out: page })),
        outdir: join(output, 'web'),
        entryNames: '[name]-[hash]',
        // What a page loads later, and `PAGE_chunk`, what it has in common with that.
        chunkNames: `${page}_[name]-[hash]`,
        bundle: true,
        splitting: true,
        format: 'esm',
        // In the older form of JSX, children are no property: a script is some hundred bytes smaller.
        jsx: 'transform',
        jsxFactory: 'h',
        jsxFragment: 'Fragment',
        inject: ['src/web/shared/jsx.ts'].filter((file) => existsSync(join(root, file))),
        tsconfigRaw: {},
        minify: true,
        logLevel: 'silent',
        plugins: [numbersForIds(root)],
      });
    }
    await pageMessages({ root, output: join(output, 'web'), build, options: IN_BROWSERS });
  } catch (error) {
    const faults = await formatMessages(error.errors ?? [], { kind: 'error' });
    throw new Error(`the compiler found faults\n${faults.join('') || error.message}`);
  }
  for (const path of COPIED) {
    cpSync(join(root, path), join(output, basename(path)), { recursive: true });
  }
  const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const name of VIEWER) cpSync(join(viewer, name), join(output, 'swagger-ui', name));
}

/** Node takes the modules of the folder for CommonJS from then on, whatever the package says. */
async function toCommonJs(output) {
  // With the bundler: a server that was compiled elsewhere starts without.
  const { commonJsForm } = await import('./commonjs-form.js');
  for (const name of readdirSync(output)) {
    if (!name.endsWith('.js')) continue;
    const file = join(output, name);
    writeFileSync(file, commonJsForm(readFileSync(file, 'utf8')));
  }
  writeFileSync(join(output, 'package.json'), '{ "type": "commonjs" }\n');
}

/** The compiler of sources. @throws Error where it is not installed */
export async function bundler() {
  try {
    return await import('esbuild');
  } catch {
    throw new Error(
      'the compiler is not installed: run npm ci (without --omit=dev), or copy dist/ from where it was compiled',
    );
  }
}
