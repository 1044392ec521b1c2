/*
 * Carries out the Dockerfile where no container engine is: each stage in a Debian system of debootstrap, by the
 * instructions as they stand there. Then it runs the result as its account, until its HEALTHCHECK is content, sends a
 * first message, makes a first backup, and stops it.
 *
 *     node scripts/image-root.js [FOLDER]     as root; the folder is kept where it is named
 *
 * Needs npm and network (debian-root.sh). Ends with 1 where a step fails or the image is larger than 260 MB.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  copySources,
  DEBIAN_ROOT,
  innerOf,
  inside,
  prepare,
  run,
  say,
  shell,
  start,
} from './bare-system.js';

const ROOT = join(import.meta.dirname, '..');
const work = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'parley-image-'));
/** Largest image, in bytes of its files: what it has is 249 MB, of which updates of Debian and Node take some. */
const LIMIT = 260e6;
const PASSWORD = 'iris-lamp-harbor-92';
prepare(work);

/** The Dockerfile as stages with their instructions, in order. */
function stages() {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll(/^#.*\n/gm, '');
  const instructions = text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => /^(\w+)\s+(.*)$/s.exec(line).slice(1));
  const list = [];
  for (const [keyword, rest] of instructions) {
    if (keyword === 'FROM') {
      const [image, , name = String(list.length)] = rest.split(/\s+/);
      list.push({ image, name, steps: [] });
    } else list.at(-1).steps.push([keyword, rest]);
  }
  return list;
}

/** The system that an image begins with: `debian:SUITE-slim`, or `node:MAJOR-SUITE-slim`. */
function begin(image, root) {
  const [, major, suite] = /^(?:debian|node):(?:(\d+)-)?(\w+)-slim$/.exec(image) ?? [];
  if (suite === undefined) throw new Error(`no image ${image} is known here`);
  run(DEBIAN_ROOT, 'make', suite, root);
  // What Debian's own slim images leave out.
  shell(
    'cd "$1" && rm -rf usr/share/doc/* usr/share/man/* usr/share/info/* usr/share/locale/* var/cache/apt/*.bin var/cache/apt/archives/*.deb var/lib/apt/lists/* var/log/*',
    root,
  );
  if (major !== undefined) run(DEBIAN_ROOT, 'node', major, root);
}

/** The sources, without what .dockerignore names. */
function context() {
  const folder = join(work, 'context');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  copySources(ROOT, folder);
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  for (const name of ignored.filter((line) => line !== '' && !line.startsWith('#'))) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
  return folder;
}

/** As `inside`, among the processes of one that runs so: as `docker exec` does. */
function beside(server, state, command) {
  return inside(state, command, `--beside=${innerOf(server)}`);
}

/** Carries out a stage. @returns what its configuration comes to */
function build({ image, steps }, roots) {
  const root = join(work, `stage-${roots.size}`);
  rmSync(root, { recursive: true, force: true });
  begin(image, root);
  const state = { root, user: '0:0', folder: '/', env: {}, command: [], entry: [], health: [] };
  for (const [keyword, rest] of steps) {
    const began = Date.now();
    step(state, keyword, rest, roots);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    say(`  ${keyword} ${rest.replace(/\s+/g, ' ').slice(0, 90)}  (${seconds} s)`);
  }
  return state;
}

function step(state, keyword, rest, roots) {
  switch (keyword) {
    case 'RUN': {
      const args = inside(state, ['sh', '-c', rest]);
      execFileSync(DEBIAN_ROOT, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      return;
    }
    case 'COPY':
      copy(state, rest.split(/\s+/), roots);
      return;
    case 'WORKDIR':
      state.folder = rest;
      mkdirSync(join(state.root, rest), { recursive: true });
      return;
    case 'USER':
      state.user = rest;
      return;
    case 'ENV':
      for (const [, name, value] of rest.matchAll(/(\w+)=(\S+)/g)) state.env[name] = value;
      return;
    case 'ENTRYPOINT':
      state.entry = JSON.parse(rest);
      return;
    case 'CMD':
      state.command = JSON.parse(rest);
      return;
    case 'HEALTHCHECK':
      state.health = JSON.parse(/CMD (\[.*\])$/.exec(rest)[1]);
      return;
    case 'LABEL':
    case 'VOLUME':
    case 'EXPOSE':
    case 'STOPSIGNAL':
      return;
    default:
      throw new Error(`the instruction ${keyword} is not known here`);
  }
}

function copy({ root, folder }, words, roots) {
  const from = /^--from=(.*)$/.exec(words[0])?.[1];
  const source = from === undefined ? context() : roots.get(from).root;
  const paths = words.slice(from === undefined ? 0 : 1);
  const target = join(root, resolve(folder, paths.pop()));
  for (const path of paths) {
    const isWhole = path === '.';
    const name = isWhole || paths.length > 1 || existsSync(target) ? target : dirname(target);
    mkdirSync(name, { recursive: true });
    run(
      'cp',
      '-a',
      `${join(source, path)}${isWhole ? '/.' : ''}`,
      isWhole ? name : placeOf(target, path, paths),
    );
  }
}

/** A file or folder goes to the name of the target, several go into it. */
function placeOf(target, path, paths) {
  return paths.length > 1 || existsSync(target) ? join(target, basename(path)) : target;
}

/** Runs the image. @throws Error where it does not do what it should */
async function trial(state) {
  const began = Date.now();
  const since = () => ((Date.now() - began) / 1000).toFixed(1);
  const served = {
    ...state,
    env: { ...state.env, PARLEY_OWNER_PASSWORD: PASSWORD, PARLEY_PORT: '19991' },
  };
  const server = start(
    served,
    [...state.entry, ...state.command],
    ['ignore', 'inherit', 'inherit'],
  );
  try {
    for (;;) {
      if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
      try {
        execFileSync(DEBIAN_ROOT, beside(server, served, state.health), { stdio: 'ignore' });
        break;
      } catch {
        if (Date.now() - began > 60_000) throw new Error('not healthy within a minute');
        await sleep(200);
      }
    }
    say(`healthy after ${since()} s`);
    run(
      process.execPath,
      join(import.meta.dirname, 'first-event.js'),
      'http://127.0.0.1:19991',
      PASSWORD,
    );
    say(`first event after ${since()} s`);
    const backup = beside(server, state, [...state.entry, 'export', '/data/first.jsonl']);
    execFileSync(DEBIAN_ROOT, backup, { stdio: ['ignore', 'ignore', 'inherit'] });
    say(`first backup after ${since()} s`);
    const owner = shell('stat --format %u:%g:%a "$1"', join(state.root, 'data/data.mdb')).trim();
    const [uid] = /^10001:10001:6[04]0$/.exec(owner) ?? [];
    if (uid === undefined) throw new Error(`the data has ${owner}`);
    const ended = once(server, 'exit');
    process.kill(innerOf(server), 'SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`stopped by SIGTERM, the server ended with ${code}`);
    say(`stopped after ${since()} s`);
  } finally {
    if (server.exitCode === null) process.kill(innerOf(server), 'SIGKILL');
  }
}

const roots = new Map();
try {
  let last;
  for (const stage of stages()) {
    say(`FROM ${stage.image} AS ${stage.name}`);
    last = build(stage, roots);
    roots.set(stage.name, last);
  }
  const size = (path) =>
    Number(run('du', '--summarize', '--bytes', '--one-file-system', path).split('\t')[0]);
  const bytes = size(last.root);
  const parts = ['usr/local/bin/node', 'app'].map((name) => [name, size(join(last.root, name))]);
  const base = bytes - parts.reduce((sum, [, one]) => sum + one, 0);
  const mb = (count) => `${(count / 1e6).toFixed(0)} MB`;
  say(
    `${mb(bytes)}: Debian ${mb(base)}, ${parts.map(([name, one]) => `${name} ${mb(one)}`).join(', ')}`,
  );
  await trial(last);
  if (bytes > LIMIT) throw new Error(`the image is larger than ${mb(LIMIT)}`);
} catch (error) {
  say(`FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  if (process.argv[2] === undefined) rmSync(work, { recursive: true, force: true });
}
