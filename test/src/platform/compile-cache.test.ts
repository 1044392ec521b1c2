import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';
import t, { type Test } from 'tap';

const MODULE = fileURLToPath(new URL('../../../src/platform/compile-cache.js', import.meta.url));

/** Two programs of one length, which is what V8 itself compares. */
const ONE = `console.log(require('node:path').basename(__filename), 'one');`;
const TWO = ONE.replace('one', 'two');

/** A folder with the program `program.js` and an empty place for byte code. */
class Program {
  readonly folder: string;
  readonly cache: string;

  constructor(t: Test) {
    this.folder = mkdtempSync(join(tmpdir(), 'parley-compile-cache-'));
    this.cache = join(this.folder, 'cache');
    t.teardown(() => rmSync(this.folder, { recursive: true, force: true }));
    writeFileSync(join(this.folder, 'package.json'), '{ "type": "commonjs" }');
    this.write(ONE);
  }

  write(source: string, name = 'program.js'): void {
    mkdirSync(join(this.folder, name, '..'), { recursive: true });
    writeFileSync(join(this.folder, name), source);
  }

  /** Loads the program in a process of its own, which then keeps what it compiled; returns what it printed. */
  start(...flags: string[]): string {
    const script = `
      import { createRequire } from 'node:module';
      import { keepCompileCache, useCompileCache } from '${pathToFileURL(MODULE).href}';
      useCompileCache(${JSON.stringify(this.folder)}, ${JSON.stringify(this.cache)});
      createRequire(import.meta.url)(${JSON.stringify(join(this.folder, 'program.js'))});
      await keepCompileCache();`;
    const args = [...flags, '--input-type=module', '--eval', script];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return status === 0 ? stdout : stderr;
  }

  /** Files with byte code, by what they are of. */
  kept(): Record<string, string> {
    if (!existsSync(this.cache)) return {};
    const files = readdirSync(this.cache, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => [name, join(parentPath, name)]);
    return Object.fromEntries(files) as Record<string, string>;
  }
}

void t.test('the next start runs what was kept', (t) => {
  const program = new Program(t);
  t.equal(program.start(), 'program.js one\n');
  const file = program.kept()['program.js']!;
  const { mtimeMs } = statSync(file);
  t.equal(program.start(), 'program.js one\n');
  t.equal(statSync(file).mtimeMs, mtimeMs, 'nothing was compiled');

  // Byte code of one source under the name of the other shows whose is run.
  const content = readFileSync(file);
  program.write(TWO);
  content.writeUInt32LE(crc32(TWO), 0);
  writeFileSync(file, content);
  t.equal(program.start(), 'program.js one\n');
  t.end();
});

void t.test('byte code of another source is not run', (t) => {
  const program = new Program(t);
  program.start();
  program.write(TWO);
  t.equal(program.start(), 'program.js two\n');
  t.equal(program.start(), 'program.js two\n');
  t.end();
});

void t.test('damaged byte code is not run, and is replaced', (t) => {
  const program = new Program(t);
  program.start();
  const file = program.kept()['program.js']!;
  const good = readFileSync(file);
  const flipped = Buffer.from(good);
  flipped[good.length >> 1]! ^= 1;
  for (const damaged of [flipped, good.subarray(0, 100), good.subarray(0, 5), Buffer.alloc(0)]) {
    writeFileSync(file, damaged);
    t.equal(program.start(), 'program.js one\n', `${damaged.length} bytes`);
    t.ok(crc32(readFileSync(file).subarray(8)) === readFileSync(file).readUInt32LE(4), 'replaced');
  }
  t.end();
});

void t.test('other flags of V8 have a folder of their own', (t) => {
  const program = new Program(t);
  program.start();
  t.equal(program.start('--no-opt'), 'program.js one\n');
  t.equal(readdirSync(program.cache).length, 2);
  t.end();
});

void t.test('modules of dependencies are kept, and other files load as ever', (t) => {
  const program = new Program(t);
  program.write(`require('dependency'); require('./other/file.js');`);
  program.write(`console.log('dependency');`, 'node_modules/dependency/index.js');
  program.write(`console.log('other file');`, 'other/file.js');
  const said = 'dependency\nother file\n';
  t.equal(program.start(), said);
  t.same(Object.keys(program.kept()).sort(), ['node_modules+dependency+index.js', 'program.js']);
  t.equal(program.start(), said);
  t.end();
});

void t.test('a module that imports others late loads as ever', (t) => {
  const program = new Program(t);
  program.write(`require('dependency');`);
  program.write(
    `import('node:path').then(({ sep }) => console.log('dependency', sep));`,
    'node_modules/dependency/index.js',
  );
  for (const start of ['first', 'second']) t.equal(program.start(), 'dependency /\n', start);
  t.end();
});

void t.test('a fault of the source is told by Node', (t) => {
  const program = new Program(t);
  program.write('const = 1;');
  t.match(program.start(), /program\.js:1\nconst = 1;\n.*\n\nSyntaxError: /s);
  t.same(program.kept(), {});
  t.end();
});

void t.test('where nothing can be written the program starts', (t) => {
  const program = new Program(t);
  writeFileSync(program.cache, 'a file in the place of the folder');
  t.equal(program.start(), 'program.js one\n');
  t.end();
});

void t.test('with source maps nothing is kept: Node reads those of its own loader alone', (t) => {
  const program = new Program(t);
  t.equal(program.start('--enable-source-maps'), 'program.js one\n');
  t.same(program.kept(), {});
  t.end();
});
