import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
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

/**
 * Installs what a server needs and nothing else, from the archives that `npm ci` left in npm's cache where they
 * are still there.
 * @returns why it could not, when the registry was needed and gave no answer
 * @throws Error when the install fails for another reason
 */
async function install(folder: string): Promise<string | null> {
  const args = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit'];
  const env = { ...process.env, ...BARE, NODE_OPTIONS: '', npm_config_fetch_retries: '0' };
  try {
    await run('npm', args, { cwd: folder, env, timeout: 200_000 });
    return null;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (NO_REGISTRY.test(stderr))
      return 'the registry gives no answer, and the cache of npm is empty';
    throw new Error(`npm ci: ${stderr}`, { cause: error });
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
  const child = spawn(process.execPath, [join(folder, 'dist/server/main.js'), ...args], {
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
  'a server runs on what is installed without compiler and install scripts',
  async (t) => {
    const folder = storeFolder(t);
    for (const name of ['package.json', 'package-lock.json', '.npmrc', ...compiled()]) {
      cpSync(name, join(folder, name), { recursive: true });
    }
    const missing = await install(folder);
    if (missing !== null) {
      t.pass('no server is installed', { skip: missing });
      return;
    }
    t.notOk(existsSync(join(folder, 'node_modules/typescript')), 'no development dependency');
    const compiledHere = readdirSync(join(folder, 'node_modules'), {
      recursive: true,
      encoding: 'utf8',
    });
    t.notOk(
      compiledHere.some((path) => /(^|\/)build\/Release\//.test(path)),
      'nothing was compiled',
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
  },
);

/** What was compiled of the server. */
function compiled(): string[] {
  return ['dist/server'];
}
