/*
 * Which file may import which (architecture.md#floors): the floors, lowest last for layers and first for
 * areas, what is wrong with an import, and the circles. Read by test/import-directions.test.ts, which keeps the
 * sources to it, and by scripts/structure.js, which counts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import ts from 'typescript';

/** A layer may import itself, what stands to its right, and the leaves; the composition may import everything. */
const LAYERS = ['http', 'resources', 'organization', 'journal', 'store'];
/** Areas of `src/organization`, lowest first: each may import itself and what stands before it. */
const AREAS = [
  'state',
  'access',
  'topics',
  'views',
  'uploads',
  'mail',
  'reasons',
  'messages',
  'personal',
  'presence',
  'notifications',
  'channels',
  'groups',
  'accounts',
  'invitations',
  'users',
  'realm',
  'scheduling',
  'hooks',
  'incoming-mail',
];
/** Rooms that every layer may import, lowest first: each may import itself and what stands before it. */
const GROUND = ['languages', 'platform', 'errors', 'turns'];
/** Rooms of the composition, with those that each may import beside itself and everything below them. */
const ROOMS = {
  host: [],
  transfer: ['host'],
  nodes: ['host'],
  operator: ['host', 'nodes'],
  app: ['host', 'nodes', 'operator'],
};
/** All that the host knows of an organization: the version of its software. */
const KNOWN_TO_HOST = 'src/organization/state/software.ts';
/** Packages that one folder, or one file, keeps to itself. */
const OWNED = {
  'uWebSockets.js': 'src/http/native.ts',
  lmdb: 'src/store/',
  '@node-rs/argon2': 'src/services/',
  redis: 'src/store/',
  '@redis/client': 'src/store/',
  '@redis/json': 'src/store/',
  xstate: 'actors/',
  aws4fetch: 'src/services/',
  'openid-client': 'src/services/',
  tweetnacl: 'src/services/',
  yauzl: 'src/transfer/',
  'iconv-lite': 'src/services/text/decode.ts',
  'postal-mime': 'src/services/',
  'smtp-server': 'src/services/',
  turndown: 'src/services/',
};

/** Every source of the server, from the root of the repository. */
export function sourceFiles() {
  return ['src', 'actors', 'schemas'].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative('.', join(entry.parentPath, entry.name)))
      .sort(),
  );
}

/** What a file imports, as it is written there; types and `import()` included. */
export function specifiersOf(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  return importedFiles.map((imported) => imported.fileName);
}

/** What `importsOf` has found: to follow imports from many files asks for most of them many times. */
const found = new Map();

/** The files of the repository that a file imports, as it was when this was first asked. */
export function importsOf(file) {
  if (!found.has(file)) {
    const own = specifiersOf(file).filter((specifier) => specifier.startsWith('.'));
    found.set(
      file,
      own.map((specifier) => targetOf(file, specifier)),
    );
  }
  return found.get(file);
}

function targetOf(file, specifier) {
  const path = normalize(join(dirname(file), specifier)).replace(/\.js$/, '');
  if (path.endsWith('.json')) return path;
  return path.startsWith('src/web/') && existsSync(`${path}.tsx`) ? `${path}.tsx` : `${path}.ts`;
}

function layerOf(file) {
  return LAYERS.indexOf(file.split('/')[1] ?? '');
}

/** Height of the area of `src/organization` a file is in; -1 for one that is in none. */
export function areaOf(file) {
  return AREAS.indexOf(file.split('/')[2] ?? '');
}

/** The room of the composition that a file is in. */
function roomOf(file) {
  const room = file.split('/')[1] ?? '';
  return file.startsWith('src/') && Object.hasOwn(ROOMS, room) ? room : null;
}

/** The composition: the rooms it is divided into, and what starts it. */
function isRoot(file) {
  return file === 'src/main.ts' || file === 'src/cli/program.ts' || roomOf(file) !== null;
}

/** Why a file may not import one of the composition, or null. */
function rootObjection(file, target) {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === null) return 'nobody imports the composition';
  return from === to || ROOMS[from].includes(to) ? null : `src/${from} must not import ${target}`;
}

/** The server for tests of others, on top of everything: it composes a process, and has a client of it. */
function isForTests(file) {
  return file.startsWith('src/testing/');
}

/** What the operator asks for and sets; of the sources only the composition knows it. */
function isOfOperator(file) {
  return /^src\/(cli|config)\//.test(file);
}

/** Why a file may not import what the operator asks for or sets, or what this may not import; null where it may. */
function operatorObjection(file, target) {
  const [from, to] = [file, target].map((path) => path.split('/')[1]);
  if (from === to) return null;
  if (from === 'cli') return to === 'config' ? null : 'src/cli asks for configurations alone';
  if (from === 'config')
    return to === 'services' || groundOf(target) >= 0 ? null : `src/config is below ${target}`;
  return to === 'config' && (isRoot(file) || isForTests(file))
    ? null
    : `only the composition imports src/${to}`;
}

/** The package of a module that may be a file of it. */
function packageOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The client package, and what runs in browsers: projects of their own. */
function isForBrowsers(file) {
  return /^src\/(client|web)\//.test(file);
}

function browserObjection(file, target) {
  const folder = (path) => path.split('/').slice(0, 2).join('/');
  if (folder(file) === folder(target)) return null;
  if (!isForBrowsers(file)) return `the server does without ${folder(target)}`;
  if (file.startsWith('src/client/')) return 'the client package stands alone';
  // Types, which no bundle has, and the few lines that say a message.
  return /^(src\/client|src\/languages|schemas)\//.test(target)
    ? null
    : `src/web must not import ${target}`;
}

/** Height of the room below all layers that a file is in; -1 for one that is in none. */
function groundOf(file) {
  return GROUND.indexOf(file.split('/')[1]?.replace(/\.ts$/, '') ?? '');
}

/** Why an import is forbidden, or null. */
export function objection(file, specifier) {
  if (!specifier.startsWith('.')) {
    const owner = OWNED[packageOf(specifier)];
    return owner && !file.startsWith(owner) ? `only ${owner} may import ${specifier}` : null;
  }
  const target = targetOf(file, specifier);
  if (isForTests(target)) return isForTests(file) ? null : 'nobody imports the server for tests';
  if (isForTests(file) && target.startsWith('src/client/')) return null;
  if (isForBrowsers(file) || isForBrowsers(target)) return browserObjection(file, target);
  if (/^(test|bench)\//.test(target)) return 'tests and benches are imported by nobody';
  if (!file.startsWith('src/')) {
    return target.startsWith('src/') ||
      (file.startsWith('schemas/') && !target.startsWith('schemas/'))
      ? `${file.split('/')[0]} stands alone`
      : null;
  }
  if (!target.startsWith('src/')) return null;
  if (file === 'src/main.ts' || file === 'src/cli/program.ts') return null;
  if (isForTests(file) && !isOfOperator(target)) return null;
  if (isRoot(target)) return rootObjection(file, target);
  if (isOfOperator(file) || isOfOperator(target)) return operatorObjection(file, target);
  if (roomOf(file) === 'host' && /^src\/(organization|resources)\//.test(target)) {
    return target === KNOWN_TO_HOST ? null : 'the host knows nothing of an organization';
  }
  if (isRoot(file)) return null;
  const [ground, below] = [groundOf(file), groundOf(target)];
  if (ground >= 0) {
    return below >= 0 && below <= ground ? null : `${target} is above src/${GROUND[ground]}`;
  }
  if (below >= 0) return null;
  if (file.startsWith('src/services/')) {
    return target.startsWith('src/services/') ? null : 'services are below everything';
  }
  if (target.startsWith('src/services/')) return layerOf(file) <= 2 ? null : 'too low for services';
  const [from, to] = [layerOf(file), layerOf(target)];
  if (from < 0 || to < from) return `${LAYERS[from] ?? file} must not import ${target}`;
  if (!file.startsWith('src/organization/') || to > from) return null;
  return areaOf(target) <= areaOf(file) ? null : `${target} is in an area above`;
}

/** Every import that points the wrong way, a sentence each. */
export function objections(files) {
  return files.flatMap((file) =>
    specifiersOf(file).flatMap((specifier) => {
      const why = objection(file, specifier);
      return why ? [`${file} imports ${specifier}: ${why}`] : [];
    }),
  );
}

/**
 * Files that import one another in a circle, types included: Tarjan's strongly connected components.
 * @param imports the files that each file imports
 */
export function circles(imports) {
  const order = new Map();
  const lowest = new Map();
  const path = [];
  const found = [];
  const visit = (file) => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    path.push(file);
    for (const target of imports.get(file)) {
      if (!imports.has(target)) continue;
      if (!order.has(target)) visit(target);
      else if (!path.includes(target)) continue;
      lowest.set(file, Math.min(lowest.get(file), lowest.get(target)));
    }
    if (lowest.get(file) === number) {
      const circle = path.splice(path.indexOf(file));
      if (circle.length > 1) found.push(circle);
    }
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}
