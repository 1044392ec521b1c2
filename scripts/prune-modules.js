/*
 * Removes from node_modules what this system does not need: the binaries of uWebSockets.js for other systems,
 * processors and releases of Node, all but 7 of its 257 MB, and those of lmdb for other releases and C libraries; and some
 * 10 MB that nothing reads when a server runs: source maps, tests and type declarations of packages, pages and pictures of
 * uWebSockets.js, sources of what lmdb is compiled of. Licences stay. For images and archives of an installed server; `npm ci` brings everything back.
 *
 *     node scripts/prune-modules.js [--dry-run] [NODE_MODULES]
 *
 * Without a folder it is the node_modules that this file is in, or else that of its repository.
 * NODE_MODULE_VERSION, PLATFORM and ARCH choose another system than the present one.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const args = process.argv.slice(2);
const isDry = args.includes('--dry-run');
const modules = args.find((one) => !one.startsWith('--')) ?? ownModules();
const { NODE_MODULE_VERSION: abi = process.versions.modules } = process.env;
const { PLATFORM: platform = process.platform, ARCH: arch = process.arch } = process.env;

/** Where this file lies in an installed package, the node_modules around it. */
function ownModules() {
  const marker = `${sep}node_modules${sep}`;
  const at = import.meta.dirname.lastIndexOf(marker);
  return at < 0
    ? join(import.meta.dirname, '../node_modules')
    : import.meta.dirname.slice(0, at + marker.length - 1);
}

const folder = join(modules, 'uWebSockets.js');
const own = `uws_${platform}_${arch}_${abi}.node`;
if (!existsSync(join(folder, own))) {
  process.stderr.write(`Nothing is removed: ${folder} has no ${own} for this system\n`);
  process.exit(1);
}
/** Files of a folder that match, with their sizes. */
function filesIn(name, isUnneeded) {
  const path = join(modules, name);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter(isUnneeded)
    .map((file) => join(path, file))
    .map((file) => ({ path: file, size: statSync(file).size }));
}

/** Of lmdb's builds all but that of this release of Node, or else the one for all releases. */
function unneededOfLmdb(name) {
  const builds = filesIn(name, (file) => /^node\..*\.node$/.test(file));
  const names = [`node.abi${abi}.glibc.node`, 'node.napi.glibc.node'];
  const kept = names.find((one) => builds.some(({ path }) => path.endsWith(`/${one}`)));
  return kept === undefined ? [] : builds.filter(({ path }) => !path.endsWith(`/${kept}`));
}

/** Files of a folder and of those below it. */
function filesBelow(name, isUnneeded) {
  const path = join(modules, name);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isUnneeded(entry.name))
    .map(({ parentPath, name: file }) => join(parentPath, file))
    .map((file) => ({ path: file, size: statSync(file).size }));
}

/** Folders of tests that lie beside a package.json. */
function testFolders() {
  const isPackage = ({ name, parentPath }) =>
    name === 'test' && existsSync(join(parentPath, 'package.json'));
  return readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isPackage(entry))
    .map(({ parentPath, name }) => relative(modules, join(parentPath, name)));
}

const isLicence = (file) => /^(licen[cs]e|copyright|copying|notice)/i.test(file);
const isMap = (file) => file.endsWith('.map');
const isDeclaration = (file) => /\.d\.[cm]?ts$/.test(file);

const unneeded = [
  ...filesIn('uWebSockets.js', (file) => /^uws_.*\.node$/.test(file) && file !== own),
  ...unneededOfLmdb(`@lmdb/lmdb-${platform}-${arch}`),
  ...['uWebSockets.js/docs', 'uWebSockets.js/misc', 'lmdb/dependencies', ...testFolders()].flatMap(
    (name) => filesBelow(name, (file) => !isLicence(file) && !isMap(file) && !isDeclaration(file)),
  ),
  ...filesBelow('.', isMap),
  // Those of Parley itself are for who tests against it.
  ...filesBelow('.', isDeclaration).filter(({ path }) => !path.includes('@parley-chat')),
];
if (!isDry) for (const { path } of unneeded) rmSync(path);
const bytes = unneeded.reduce((sum, { size }) => sum + size, 0);
process.stdout.write(
  `${isDry ? 'Would remove' : 'Removed'} ${unneeded.length} files, ${(bytes / 1e6).toFixed(0)} MB; ${own} stays\n`,
);
