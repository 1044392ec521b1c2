import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';
import t from 'tap';

/*
 * Dependencies point one way (architecture.md section 2). A layer may import itself, what stands to
 * its right, and the leaves; composition roots may import everything.
 */
const LAYERS = ['http', 'resources', 'organization', 'journal', 'store'];
const LEAVES = new Set([
  'src/errors.ts',
  'src/config.ts',
  'src/config-network.ts',
  'src/config-options.ts',
  'src/option-values.ts',
  'src/runtime-support.ts',
  'src/event-loop-yield.ts',
  'src/durable-files.ts',
]);
const ROOTS = new Set(['src/app.ts', 'src/main.ts']);
/** Packages that one folder keeps to itself. */
const OWNED: Readonly<Record<string, string>> = {
  'uWebSockets.js': 'src/http/',
  lmdb: 'src/store/',
  '@node-rs/argon2': 'src/services/',
  redis: 'src/store/',
  '@redis/json': 'src/store/',
  xstate: 'actors/',
};

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  return importedFiles.map((imported) => imported.fileName);
}

function targetOf(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');
}

function layerOf(file: string): number {
  return LAYERS.indexOf(file.split('/')[1] ?? '');
}

/** The composition: `app.ts` with what it is divided into, and the command line. */
function isRoot(file: string): boolean {
  return ROOTS.has(file) || file.startsWith('src/app/');
}

/** Why an import is forbidden, or null. */
function objection(file: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) {
    const owner = OWNED[specifier];
    return owner && !file.startsWith(owner) ? `only ${owner} may import ${specifier}` : null;
  }
  const target = targetOf(file, specifier);
  if (/^(test|bench)\//.test(target)) return 'tests and benches are imported by nobody';
  if (!file.startsWith('src/')) {
    return target.startsWith('src/') ||
      (file.startsWith('schemas/') && !target.startsWith('schemas/'))
      ? `${file.split('/')[0]} stands alone`
      : null;
  }
  if (isRoot(file)) return null;
  if (isRoot(target)) return 'nobody imports the composition root';
  if (!target.startsWith('src/') || LEAVES.has(target)) return null;
  if (LEAVES.has(file)) return 'leaves import nothing of src';
  if (file.startsWith('src/services/')) {
    return target.startsWith('src/services/') ? null : 'services are below everything';
  }
  if (target.startsWith('src/services/')) return layerOf(file) <= 2 ? null : 'too low for services';
  const [from, to] = [layerOf(file), layerOf(target)];
  return from >= 0 && to >= from ? null : `${LAYERS[from] ?? file} must not import ${target}`;
}

void t.test('imports point one way', async (t) => {
  const files = ['src', 'actors', 'schemas'].flatMap(filesBelow).map((file) => relative('.', file));
  t.ok(files.length > 50, 'the sources were found');
  const objections: string[] = [];
  for (const file of files) {
    for (const specifier of importsOf(file)) {
      const why = objection(file, specifier);
      if (why) objections.push(`${file} imports ${specifier}: ${why}`);
    }
  }
  t.strictSame(objections, []);
});

void t.test('the rule itself refuses what it should', async (t) => {
  t.ok(objection('src/journal/journal.ts', '../organization/organization.js'));
  t.ok(objection('src/store/port.ts', '../journal/entry.js'));
  t.ok(objection('actors/host.ts', '../src/errors.js'));
  t.ok(objection('schemas/endpoint.ts', '../actors/host.js'));
  t.ok(objection('src/resources/users.ts', 'uWebSockets.js'));
  t.ok(objection('src/services/passwords.ts', '../organization/users.js'));
  t.equal(objection('src/http/server.ts', '../resources/route.js'), null);
});
