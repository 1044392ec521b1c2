import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { ApiClient } from '../harness/client.js';
import { sendPicture } from '../harness/permissions/picture.js';
import { QueueReader } from '../harness/queue-reader.js';
import { OWNER_EMAIL, OWNER_PASSWORD, storeFolder } from '../harness/server.js';

const run = promisify(execFile);

// An install takes long where others are busy too.
t.setTimeout(300_000);

/** How npm says that it got no answer. */
const NO_REGISTRY =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;
/** Environment of a machine without compilers, and where install scripts are blocked. */
const BARE = { CC: '/bin/false', CXX: '/bin/false', PYTHON: '/bin/false', MAKE: '/bin/false' };

/** Packs the server as compiled here. @returns the archive */
async function pack(folder: string): Promise<string> {
  await run(process.execPath, ['scripts/package.js', folder]);
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
  );
}

/**
 * Installs an archive as a user does, from the archives that `npm ci` left in npm's cache where they are still there.
 * @returns why it could not, when the registry was needed and gave no answer
 * @throws Error when the install fails for another reason
 */
async function install(folder: string, archive: string): Promise<string | null> {
  const args = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', archive];
  const env = { ...process.env, ...BARE, NODE_OPTIONS: '', npm_config_fetch_retries: '0' };
  try {
    await run('npm', args, { cwd: folder, env, timeout: 200_000 });
    return null;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (NO_REGISTRY.test(stderr))
      return 'the registry gives no answer, and the cache of npm is empty';
    throw new Error(`npm install: ${stderr}`, { cause: error });
  }
}

/** Starts the server that was installed. @returns its base URL */
async function serve(t: Test, folder: string): Promise<string> {
  const args = ['serve', '--port', '0', '--rate-limit', 'off', '--log', 'warn'];
  const env = {
    PATH: process.env.PATH,
    ...BARE,
    PARLEY_OWNER_EMAIL: OWNER_EMAIL,
    PARLEY_OWNER_PASSWORD: OWNER_PASSWORD,
  };
  const child = spawn(process.execPath, [join(folder, 'node_modules/.bin/parley'), ...args], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  for (;;) {
    const url = /^Parley is listening on (\S+)$/m.exec(output)?.[1];
    if (url) return url;
    if (child.exitCode !== null) throw new Error(`the server ended: ${output}`);
    await Promise.race([
      once(child.stdout, 'data'),
      once(child.stderr, 'data'),
      once(child, 'exit'),
    ]);
  }
}

void t.test(
  'an archive installs in an empty folder, and runs there without compiler',
  async (t) => {
    const archive = await pack(storeFolder(t));
    const folder = storeFolder(t);
    const missing = await install(folder, archive);
    if (missing !== null) {
      t.pass('no server is installed', { skip: missing });
      return;
    }
    const modules = join(folder, 'node_modules');
    t.notOk(existsSync(join(modules, 'esbuild')), 'no development dependency');
    t.notOk(existsSync(join(modules, 'swagger-ui-dist')), 'nothing that the bundle has');
    const notices = join(modules, '@parley-chat/server/THIRD-PARTY-NOTICES.txt');
    t.match(readFileSync(notices, 'utf8'), /^preact [\d.]+ \(MIT\)\n\nThe MIT License/m);
    t.match(
      readFileSync(notices, 'utf8'),
      /^make-plural [\d.]+ \(/m,
      'what messages are compiled to',
    );
    t.match(readFileSync(notices, 'utf8'), /^swagger-ui-dist [\d.]+ \(Apache-2\.0\)$/m);
    const files = readdirSync(modules, { recursive: true, encoding: 'utf8' });
    t.notOk(
      files.some((path) => /(^|\/)build\/Release\//.test(path)),
      'nothing was compiled',
    );
    t.same(
      versionsOf(join(modules, '.package-lock.json'), NAMED),
      versionsOf('package-lock.json', NAMED),
      'the versions are those of the lock file',
    );

    const { stdout: version } = await run(
      'npx',
      ['--no-install', '@parley-chat/server', '--version'],
      {
        cwd: folder,
      },
    );
    t.match(version, /^parley \d+\.\d+\.\d+/);
    const { stdout: dry } = await run(process.execPath, [
      join(modules, '@parley-chat/server/scripts/prune-modules.js'),
      '--dry-run',
    ]);
    const { stdout: pruned } = await run(process.execPath, [
      join(modules, '@parley-chat/server/scripts/prune-modules.js'),
    ]);
    t.equal(dry.replace('Would remove', 'Removed'), pruned);
    t.match(pruned, /^Removed \d+ files, 2\d\d MB; /);
    t.same(
      readdirSync(join(modules, 'uWebSockets.js')).filter((name) => name.startsWith('uws_')),
      [`uws_${process.platform}_${process.arch}_${process.versions.modules}.node`],
    );

    const url = await serve(t, folder);
    // The password is checked by argon2, the event comes through uWebSockets.js and lmdb.
    const owner = await ApiClient.login(url, OWNER_EMAIL, OWNER_PASSWORD);
    const reader = await QueueReader.open(owner, { event_types: ['message'] });
    const id = await owner.say('from what was installed');
    t.match(await reader.until(({ message }) => (message as { id: number }).id === id), [
      { type: 'message', message: { id, content: 'from what was installed' } },
    ]);
    // And sharp reads and draws a picture.
    const { avatar_url } = await sendPicture(owner, '/users/me/avatar');
    const { pathname } = new URL(String(avatar_url), url);
    const shown = await fetch(new URL(pathname, url));
    t.equal(shown.status, 200);
    t.equal(shown.headers.get('content-type'), 'image/png');
    const viewer = await fetch(new URL('/docs/swagger-ui-bundle.js', url));
    t.equal(viewer.status, 200);
    t.match(await viewer.text(), 'SwaggerUIBundle');
  },
);

/** Installed by name and version: what the bundle leaves out, what that needs, and a version that is overridden. */
const NAMED = ['lmdb', 'pino', 'sharp', 'uWebSockets.js', 'msgpackr', 'msgpackr-extract'];

/** The versions that a lock file has of some packages. */
function versionsOf(lock: string, names: readonly string[]): (string | undefined)[] {
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as {
    packages: Readonly<Record<string, { version: string }>>;
  };
  return names.map((name) => packages[`node_modules/${name}`]?.version);
}

void t.test('npm pack of the sources has the program, and neither sources nor tests', async (t) => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json']);
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string; mode: number }[] }];
  const program = files.find(({ path }) => path === 'dist/server/main.js');
  t.equal((program?.mode ?? 0) & 0o111, 0o111, 'the program may be executed');
  t.match(readFileSync('dist/server/main.js', 'utf8'), /^#!\/usr\/bin\/env node\n/);
  t.notOk(files.some(({ path }) => /^(src|test|bench|schemas)\//.test(path)));
});

void t.test('pruning for a system without a binary removes nothing and fails', async (t) => {
  const args = ['scripts/prune-modules.js', '--dry-run'];
  const env = { ...process.env, PLATFORM: 'plan9' };
  await t.rejects(run(process.execPath, args, { env }), {
    code: 1,
    stderr: /^Nothing is removed: .* has no uws_plan9_\w+\.node for this system\n$/,
  });
});
