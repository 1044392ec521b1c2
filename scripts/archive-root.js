/*
 * Installs the archive of `npm run package` as installation and upgrading say (docs/operations), in a bare Debian system
 * with the recommended Node: TLS, a first event, a first backup by the clock of the server, the next release in its
 * place, and the older one again, which must refuse the store and restore the backup.
 *
 *     node scripts/archive-root.js [FOLDER]     as root; the folder is kept where it is named
 *
 * The next release is this one with a later version and a migration of stored documents. Needs npm and network
 * (debian-root.sh). Ends with 1 where a step fails.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  copySources,
  DEBIAN_ROOT,
  innerOf,
  inside,
  prepare,
  run,
  say,
  start,
} from './bare-system.js';
import { prepare as prepareRelease } from './release.js';

const ROOT = join(import.meta.dirname, '..');
const work = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'parley-archive-'));
const root = join(work, 'system');
prepare(work);

const PORT = 19991;
const CERTIFICATE = join(ROOT, 'test/fixtures/tls/first.pem');
const PARLEY = '/opt/parley/node_modules/.bin/parley';
const CONFIG = '/etc/parley/parley.yaml';
const BACKUPS = '/var/lib/parley/backups';
/** Patience with a backup, which takes half a second, on a loaded machine. Milliseconds. */
const BACKUP_MS = 60_000;
const { suite, node } = JSON.parse(readFileSync(join(ROOT, 'scripts/platforms.json'), 'utf8')).find(
  ({ recommended }) => recommended,
);
const began = Date.now();
const told = (what) => say(`${what} after ${((Date.now() - began) / 1000).toFixed(1)} s`);

/** The archive of the sources in a folder, in the system. @returns its name there */
function packed(sources) {
  const { name, version } = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8'));
  const pack = join(sources, 'scripts/package.js');
  execFileSync(process.execPath, [pack, join(root, 'tmp')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return `/tmp/${name.slice(1).replace('/', '-')}-${version}.tgz`;
}

/** Sources of the release that follows this one. */
function nextRelease() {
  const folder = join(work, 'next');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  copySources(ROOT, folder);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [major, minor] = version.split('.').map(Number);
  prepareRelease(folder, `${major}.${minor + 1}.0`, '2030-01-01');
  const path = join(folder, 'src/organization/state/migrations.ts');
  const list = 'export const MIGRATIONS: readonly Migration[] = [';
  const text = readFileSync(path, 'utf8');
  if (!text.includes(list)) throw new Error(`${path} has no list of migrations`);
  const step = "{ collection: 'realm', to: 2, migrate: (document) => document },";
  writeFileSync(path, text.replace(list, `${list}\n  ${step}`));
  return folder;
}

/** What a command of the system prints. @throws Error where its status is another one */
function inSystem(command, status = 0) {
  try {
    const args = inside({ root }, command);
    return execFileSync(DEBIAN_ROOT, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if (error.status === status) return error.stderr;
    throw error;
  }
}

const parley = (...args) => JSON.parse(inSystem([PARLEY, ...args, '--json']));

function install(archive) {
  const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  inSystem(['npm', 'install', '--prefix', '/opt/parley', ...flags, archive]);
}

/**
 * Serves until `stop`.
 * @param isSaid whether the server has said enough @returns what it said in its lines of JSON
 */
async function serve(isSaid) {
  const server = start(
    { root },
    [PARLEY, 'serve', '--config', CONFIG, '--json'],
    ['ignore', 'pipe', 'inherit'],
  );
  const stop = async () => {
    const ended = once(server, 'exit');
    process.kill(innerOf(server), 'SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`stopped by SIGTERM, the server ended with ${code}`);
  };
  const said = {};
  for await (const line of createInterface(server.stdout)) {
    Object.assign(said, JSON.parse(line));
    if (isSaid(said)) {
      server.stdout.resume();
      return { ...said, stop };
    }
  }
  throw new Error(`the server ended with ${server.exitCode}: ${JSON.stringify(said)}`);
}

/** A request over HTTPS that knows the certificate. @returns the body as JSON */
async function ask(path, { method = 'GET', auth, form } = {}) {
  const headers = form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {};
  const ca = readFileSync(CERTIFICATE);
  const sent = request({ host: 'localhost', port: PORT, path, method, ca, auth, headers });
  sent.end(form ? new URLSearchParams(form).toString() : undefined);
  const [reply] = await once(sent, 'response');
  const parts = [];
  for await (const part of reply) parts.push(part);
  const body = Buffer.concat(parts).toString();
  if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode} ${body}`);
  return JSON.parse(body);
}

/** The texts of all messages, as the owner reads them. */
async function messages(username, password) {
  const form = { username, password };
  const { api_key } = await ask('/api/v1/fetch_api_key', { method: 'POST', form });
  const page = 'anchor=newest&num_before=100&num_after=0&apply_markdown=false';
  const auth = `${username}:${api_key}`;
  const { messages: all } = await ask(`/api/v1/messages?${page}`, { auth });
  return all.map(({ content }) => content);
}

function expect(what, isTrue) {
  if (!isTrue) throw new Error(`not so: ${what}`);
}

async function trial() {
  const archive = packed(ROOT);
  install(archive);
  told('installed');
  mkdirSync(join(root, 'etc/parley'));
  mkdirSync(join(root, 'var/lib/parley'));
  for (const name of ['first.pem', 'first.key']) {
    cpSync(join(ROOT, 'test/fixtures/tls', name), join(root, 'etc/parley', name));
  }
  writeFileSync(
    join(root, CONFIG),
    [
      `port: ${PORT}`,
      `url: https://localhost:${PORT}`,
      'store: embedded:/var/lib/parley',
      'tls-cert: /etc/parley/first.pem',
      'tls-key: /etc/parley/first.key',
      `backup-to: ${BACKUPS}`,
      'log: warn',
    ].join('\n'),
  );
  expect('the configuration is valid', parley('config', 'check', '--config', CONFIG).valid);

  const first = await serve(({ owner }) => owner !== undefined);
  const { email, password } = first.owner;
  execFileSync(
    process.execPath,
    [
      join(import.meta.dirname, 'first-event.js'),
      first.url.replace('127.0.0.1', 'localhost'),
      password,
    ],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: CERTIFICATE }, stdio: 'inherit' },
  );
  told('first event over HTTPS');
  const backups = () => {
    const folder = join(root, BACKUPS);
    return existsSync(folder) ? readdirSync(folder).filter((one) => one.endsWith('.jsonl')) : [];
  };
  for (const until = Date.now() + BACKUP_MS; backups().length === 0; await sleep(100)) {
    expect('the server makes a backup by itself', Date.now() < until);
  }
  told('first backup');
  const before = await messages(email, password);
  expect('there is a message', before.includes('Hello, **world**'));
  await first.stop();

  install(packed(nextRelease()));
  expect('the new version takes the options', parley('config', 'check', '--config', CONFIG).valid);
  const second = await serve(({ state }) => state === 'leads');
  expect(
    'the data are whole',
    JSON.stringify(await messages(email, password)) === JSON.stringify(before),
  );
  await second.stop();
  const { faults } = parley('verify', '--store', 'embedded:/var/lib/parley');
  expect('nothing is damaged', faults.length === 0);
  told('upgraded');

  install(archive);
  const refused = inSystem([PARLEY, 'serve', '--config', CONFIG, '--json'], 1);
  const { error = '' } = JSON.parse(refused.trim().split('\n').at(-1));
  expect(
    `the reason is said: ${refused}`,
    / was last served by newer software: Parley /.test(error),
  );
  say(error);
  const restored = parley('restore', BACKUPS, '--store', 'embedded:/var/lib/older');
  expect('the older version restores the backup', restored.imported.documents.realm === 1);
  told('rolled back');
}

try {
  rmSync(root, { recursive: true, force: true });
  run(DEBIAN_ROOT, 'make', suite, root);
  run(DEBIAN_ROOT, 'node', String(parseInt(node)), root);
  told(`${suite} with Node ${parseInt(node)}`);
  await trial();
} catch (error) {
  say(`FAILED: ${error.message}${error.stderr ? `\n${error.stderr}` : ''}`);
  process.exitCode = 1;
} finally {
  if (process.argv[2] === undefined) rmSync(work, { recursive: true, force: true });
}
