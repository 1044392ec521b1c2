import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';
import t from 'tap';

/*
 * Dependencies point one way (docs/architecture.md). A layer may import itself, what stands to its right, and
 * the leaves; composition roots may import everything.
 */
const LAYERS = ['http', 'resources', 'organization', 'journal', 'store'];
/** Areas of `src/organization`, lowest first: each may import itself and what stands before it. */
const AREAS = [
  'state',
  'access',
  'topics',
  'views',
  'uploads',
  'mail',
  'messages',
  'personal',
  'presence',
  'channels',
  'groups',
  'accounts',
  'invitations',
  'users',
  'realm',
  'scheduling',
  'snapshot-fragments',
];
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
/** Packages that one folder keeps to itself. */
const OWNED: Readonly<Record<string, string>> = {
  'uWebSockets.js': 'src/http/',
  lmdb: 'src/store/',
  '@node-rs/argon2': 'src/services/',
  redis: 'src/store/',
  '@redis/json': 'src/store/',
  xstate: 'actors/',
};
/** More files than this are not taken in at a glance. */
const MAX_FILES_OF_FOLDER = 25;

const FILES = ['src', 'actors', 'schemas'].flatMap(filesBelow).map((file) => relative('.', file));

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

/** Height of the area of `src/organization` a file is in; -1 for one that is in none. */
function areaOf(file: string): number {
  return AREAS.indexOf(file.split('/')[2] ?? '');
}

/** The composition: the application with what it is divided into, and the command line. */
function isRoot(file: string): boolean {
  return file === 'src/main.ts' || file.startsWith('src/app/');
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
  if (from < 0 || to < from) return `${LAYERS[from] ?? file} must not import ${target}`;
  if (!file.startsWith('src/organization/') || to > from) return null;
  return areaOf(target) <= areaOf(file) ? null : `${target} is in an area above`;
}

/** Files that import one another in a circle, types included. */
function circles(files: readonly string[]): string[][] {
  const imports = new Map(
    files.map((file) => [
      file,
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(file, specifier)),
    ]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const found: string[][] = [];
  // Tarjan's strongly connected components.
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    path.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      const reached = order.has(target)
        ? path.includes(target)
          ? order.get(target)!
          : number
        : visit(target);
      lowest.set(file, Math.min(lowest.get(file)!, reached));
    }
    if (lowest.get(file) === number) {
      const circle = path.splice(path.indexOf(file));
      if (circle.length > 1) found.push(circle);
    }
    return lowest.get(file)!;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found;
}

void t.test('imports point one way', async (t) => {
  t.ok(FILES.length > 50, 'the sources were found');
  const objections: string[] = [];
  for (const file of FILES) {
    for (const specifier of importsOf(file)) {
      const why = objection(file, specifier);
      if (why) objections.push(`${file} imports ${specifier}: ${why}`);
    }
  }
  t.strictSame(objections, []);
});

void t.test('no files import one another in a circle', async (t) => {
  t.strictSame(circles(FILES), []);
});

void t.test('every file of the organization is in an area', async (t) => {
  const files = FILES.filter((file) => file.startsWith('src/organization/'));
  t.strictSame(
    files.filter((file) => areaOf(file) === -1),
    [],
  );
});

void t.test('no folder holds more files than a reader takes in', async (t) => {
  const sizes = new Map<string, number>();
  for (const file of FILES) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  t.strictSame(
    [...sizes].filter(([, size]) => size > MAX_FILES_OF_FOLDER),
    [],
  );
});

void t.test('the rule itself refuses what it should', async (t) => {
  t.ok(objection('src/journal/journal.ts', '../organization/state/organization.js'));
  t.ok(objection('src/store/port.ts', '../journal/entry.js'));
  t.ok(objection('actors/host.ts', '../src/errors.js'));
  t.ok(objection('schemas/endpoint.ts', '../actors/host.js'));
  t.ok(objection('src/resources/users/users.ts', 'uWebSockets.js'));
  t.ok(objection('src/services/auth/passwords.ts', '../../organization/state/organization.js'));
  t.ok(objection('src/organization/state/load.ts', '../messages/flags.js'));
  t.ok(objection('src/organization/topics/topic-policy.ts', '../channels/archiving.js'));
  t.equal(objection('src/organization/channels/archiving.ts', '../topics/muting.js'), null);
  t.equal(objection('src/http/server.ts', '../resources/kernel/route.js'), null);
});
