/**
 * Byte code of the program, kept between starts: a script whose byte code is at hand is neither parsed nor
 * compiled, which is a quarter of the work of a start.
 *
 * `module.enableCompileCache()` does the same, but Node 20 lacks it, and it writes when a process ends in order;
 * here a server writes once it serves.
 */
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import vm from 'node:vm';
import zlib from 'node:zlib';
import { readFileSync, mkdir, rename, writeFile } from './files.js';
import { nextTurn as nextRound } from './timers.js';

const NODE_MODULES = `${sep}node_modules${sep}`;
/** Before the byte code in its file: checksums of the source it belongs to, and of itself. */
const HEADER_BYTES = 8;
/** As Node calls a module of this kind. */
const WRAPPER = ['(function (exports, require, module, __filename, __dirname) {', '\n})'] as const;

type Wrapped = (
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  path: string,
  folder: string,
) => void;

/** A script that was compiled, since no byte code of it was kept. */
interface Compiled {
  readonly script: vm.Script;
  readonly file: string;
  readonly sourceChecksum: number;
}

/** What `keepCompileCache` writes. */
let compiled: Compiled[] = [];

/**
 * Loads CommonJS modules with byte code that an earlier start kept, from here on.
 * @param scripts folder of the program; with its modules those of `node_modules` are kept
 * @param cache folder for byte code; may be missing, and may be deleted at any time
 */
export function useCompileCache(scripts: string, cache: string): void {
  // Node reads source maps only of what it loads itself; an older Node is told later that it is too old.
  if (process.sourceMapsEnabled || !('crc32' in zlib)) return;
  // V8 refuses byte code of another version of itself, of other flags, or of another kind of processor.
  const folder = join(cache, cachedDataVersionTag().toString(16));
  const { extensions } = createRequire(import.meta.url);
  const loadAsEver = extensions['.js'];
  extensions['.js'] = (module, path) => {
    const isKept = dirname(path) === scripts || path.includes(NODE_MODULES);
    const file = join(folder, relative(scripts, path).replaceAll(sep, '+'));
    if (!isKept || !load(module, path, file)) loadAsEver(module, path);
  };
}

/**
 * @returns false, with nothing done, where Node has to load it: it is no CommonJS module, or may use `import()`, which
 *   a script that runs from byte code cannot
 */
function load(module: NodeJS.Module, path: string, file: string): boolean {
  const source = readFileSync(path);
  if (path.includes(NODE_MODULES) && source.includes('import(')) return false;
  const sourceChecksum = zlib.crc32(source);
  const cachedData = readKept(file, sourceChecksum);
  let script: vm.Script;
  try {
    script = new vm.Script(WRAPPER.join(source.toString()), {
      filename: path,
      ...(cachedData && { cachedData }),
    });
  } catch {
    return false;
  }
  if (!cachedData || script.cachedDataRejected === true) {
    compiled.push({ script, file, sourceChecksum });
  }
  const wrapped = script.runInThisContext() as Wrapped;
  wrapped.call(module.exports, module.exports, createRequire(path), module, path, dirname(path));
  return true;
}

/** @returns undefined for no file, one of another source, or a damaged one: V8 itself checks no damage */
function readKept(file: string, sourceChecksum: number): Buffer | undefined {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch {
    return undefined;
  }
  if (content.length < HEADER_BYTES || content.readUInt32LE(0) !== sourceChecksum) return undefined;
  const data = content.subarray(HEADER_BYTES);
  return zlib.crc32(data) === content.readUInt32LE(4) ? data : undefined;
}

/**
 * Writes the byte code of what was compiled in this process, with that of all functions that ran so far. Starts
 * of several processes at once write the same. Where the folder cannot be written, the next start compiles again.
 */
export async function keepCompileCache(): Promise<void> {
  const scripts = compiled;
  compiled = [];
  try {
    for (const { script, file, sourceChecksum } of scripts) {
      await nextRound();
      const data = script.createCachedData();
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt32LE(sourceChecksum, 0);
      header.writeUInt32LE(zlib.crc32(data), 4);
      await mkdir(dirname(file), { recursive: true });
      // Whole or not at all, also for a process that reads it at this moment.
      const draft = `${file}.${process.pid}`;
      await writeFile(draft, [header, data]);
      await rename(draft, file);
    }
  } catch {
    // A folder that only its owner may write, or a full disk: nothing depends on it.
  }
}
