/*
 * `npm run package`: compiles the server and packs it as parley-chat-server-VERSION.tgz, to install by npm where no source and
 * no compiler is:
 *
 *     npm install ./parley-chat-server-VERSION.tgz && npx @parley-chat/server serve
 *
 * The package has the module `@parley-chat/server/testing` with its types, and
 * the bundled server, so it depends only on what the bundle leaves out, and on what that needs in turn:
 * each in the one version of the lock file, since npm reads no lock file of a package that it installs from an archive.
 *
 *     node scripts/package.js [FOLDER]     where the archive goes; default: the present one
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from './build.js';
import { EXTERNAL } from './bundle.js';
import { noticesText } from './notices.js';

const ROOT = join(import.meta.dirname, '..');
/** The package as it will be unpacked. */
const STAGE = mkdtempSync(join(tmpdir(), 'parley-package-'));
/** Beside the bundle: what operators read, and the step that removes what other systems need. */
const FILES = [
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'docs',
  'deploy',
  'scripts/prune-modules.js',
];

function readJson(name) {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}

/** What npm reads of the package, without what only the sources need. */
function packageJson() {
  const { name, version, description, license, type, engines, bin, exports, dependencies } =
    readJson('package.json');
  const needed = Object.entries(dependencies).filter(([one]) => EXTERNAL.includes(one));
  const all = reached(needed.map(([one]) => one));
  const pick = (isOptional) =>
    Object.fromEntries(
      all
        .filter(([, row]) => (row.optional === true) === isOptional)
        // An alias keeps the name of what it stands for.
        .map(([one, row]) => [one, row.name ? `npm:${row.name}@${row.version}` : row.version]),
    );
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    // The bench stays in the checkout.
    bin: { parley: bin.parley },
    exports,
    dependencies: pick(false),
    optionalDependencies: pick(true),
  };
}

/** Names and rows of the lock file for what these packages need, and what that needs, in order. */
function reached(names) {
  const { packages } = readJson('package-lock.json');
  const rows = new Map();
  const visit = (name, isOptional) => {
    if (rows.has(name)) return;
    const row = packages[`node_modules/${name}`];
    // In two versions, one lies inside another package, which a list of dependencies cannot say: npm chooses.
    const inner = Object.keys(packages).filter((path) => path.endsWith(`/node_modules/${name}`));
    if (inner.some((path) => !packages[path].dev)) return;
    if (!row && isOptional) return;
    if (!row) throw new Error(`the lock file has no ${name}`);
    // What is for one system or processor, its package names by exact version.
    if (row.os ?? row.cpu) return;
    rows.set(name, row);
    const { dependencies = {}, optionalDependencies = {} } = row;
    for (const one of Object.keys(dependencies)) visit(one, one in optionalDependencies);
    for (const one of Object.keys(optionalDependencies)) visit(one, true);
  };
  for (const name of names) visit(name, false);
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

const target = resolve(process.argv[2] ?? '.');
const say = (line) => process.stderr.write(`${line}\n`);
await build('server', say);
process.on('exit', () => rmSync(STAGE, { recursive: true, force: true }));
writeFileSync(join(STAGE, 'package.json'), `${JSON.stringify(packageJson(), null, 2)}\n`);
writeFileSync(join(STAGE, 'THIRD-PARTY-NOTICES.txt'), noticesText(ROOT));
for (const name of FILES) cpSync(join(ROOT, name), join(STAGE, name), { recursive: true });
cpSync(join(ROOT, 'dist/server'), join(STAGE, 'dist/server'), {
  recursive: true,
  // Two thirds of the bundle, and read only by who debugs it, who has the sources.
  filter: (path) => !path.endsWith('.map'),
});
const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
const types = [
  compiler,
  ...['--project', join(ROOT, 'src/testing/tsconfig.json')],
  ...['--outDir', join(STAGE, 'dist/types')],
];
execFileSync(process.execPath, types, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', target, STAGE], {
  cwd: ROOT,
  encoding: 'utf8',
});
const [{ filename, size, unpackedSize }] = JSON.parse(packed);
const mib = (bytes) => (bytes / 1024 / 1024).toFixed(1);
say(`${join(target, filename)}: ${mib(size)} MiB, ${mib(unpackedSize)} MiB unpacked`);
