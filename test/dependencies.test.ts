/** What is installed is what was looked at (docs/dependencies.md). */
import { readFileSync } from 'node:fs';
import t from 'tap';

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Readonly<Record<string, LockedPackage>>;
};
const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};
const direct = { ...dependencies, ...devDependencies };

void t.test('the lock file has the hash of every package, and no address', async (t) => {
  const locked = Object.entries(packages).filter(([path]) => path !== '');
  t.ok(locked.length > 700);
  for (const [path, { integrity, resolved }] of locked) {
    // SHA-512 is 64 bytes, 88 characters of Base64.
    t.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, path);
    t.equal(resolved, undefined, path);
  }
});

void t.test('each version is exact, and the one that is locked', async (t) => {
  for (const [name, wanted] of Object.entries(direct)) {
    const version = wanted.replace(/^npm:.+@/, '');
    t.match(version, /^\d+\.\d+\.\d+$/, name);
    t.equal(packages[`node_modules/${name}`]!.version, version, name);
  }
});

void t.test('the page of what is held back names the versions that are', async (t) => {
  const page = readFileSync('docs/dependencies.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([^`]+)` +\| (\S+) +\|/gm)];
  t.ok(rows.length >= 10);
  for (const [, name, version] of rows) {
    t.equal(direct[name!]?.replace(/^npm:.+@/, ''), version, name!);
  }
  const parsers = Object.keys(packages).filter(
    (path) => path.endsWith('/htmlparser2') && packages[path]!.dev !== true,
  );
  t.strictSame(parsers, ['node_modules/htmlparser2'], 'one parser of HTML');
});
