import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

/** What `package-lock.json` says of one installed package. */
interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Readonly<Record<string, LockedPackage>>;
};
/** Folders of what a server is installed with. */
const runtime = Object.keys(packages).filter(
  (path) => path !== '' && !packages[path]!.dev && !packages[path]!.devOptional,
);

/** SHA-256 by path, as recorded. */
const recorded = new Map(
  readFileSync('docs/native-binaries.sha256', 'utf8')
    .trim()
    .split('\n')
    .map((line) => [line.slice(66), line.slice(0, 64)] as const),
);

/** Compiled files of one package, without those of packages inside it. */
function compiledFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(node|so)(\.[\d.]+)?$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(folder, file));
}

/** uWebSockets.js also brings builds for releases of Node that Parley does not run on. */
function isForOtherNode(path: string): boolean {
  const [, modules = ''] = /\/uws_\w+_(\d+)\.node$/.exec(path) ?? [];
  return modules !== '' && (!['115', '127', '137'].includes(modules) || path.includes('_arm_'));
}

void t.test('each recorded file that is installed is unaltered', async (t) => {
  const installed = [...recorded.keys()].filter((path) => existsSync(path));
  t.ok(
    installed.some((path) => path.includes('uWebSockets.js/uws_')),
    'uWebSockets.js is among them',
  );
  for (const path of installed) {
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
    t.equal(hash, recorded.get(path), path);
  }
});

void t.test('each compiled file of a runtime dependency is recorded', async (t) => {
  const installed = runtime.flatMap(compiledFiles).filter((path) => !isForOtherNode(path));
  t.ok(installed.length >= 5, 'uWebSockets.js, lmdb, argon2 and sharp');
  const skip =
    process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
      ? false
      : 'the files of this system are not recorded';
  t.same(
    installed.filter((path) => !recorded.has(path)),
    [],
    { skip },
  );
});

void t.test('install scripts do not run, and what has one is known to do without', async (t) => {
  t.match(readFileSync('.npmrc', 'utf8'), /^ignore-scripts=true$/m);
  // Both compile only where they bring no binary.
  t.same(runtime.filter((path) => packages[path]!.hasInstallScript).sort(), [
    'node_modules/lmdb',
    'node_modules/msgpackr-extract',
  ]);
});
