/*
 * Which files and functions of the server one POST /messages passes, from the request to the bytes of the poll
 * of another user and the reply of the sender. Runs the server as it was compiled file by file (not the
 * bundle) in this process, with an embedded store in a temporary folder, under the precise coverage of V8.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.js';

const OWNER = { username: 'owner@example.org', password: 'iris-lamp-harbor-92' };
const READER = { username: 'reader@example.org', password: 'willow-anchor-reader-47' };
/** Messages sent before any is counted: what runs once (first use, the first message of a topic) is left out. */
const WARM_UP = 3;
/** Messages counted: a function counts that ran for each, which timers that happen to run meanwhile do not. */
const ROUNDS = 5;

/**
 * What one message passes, warm: files of src, actors and schemas with the names of their functions that ran
 * (a name as often as different functions have it; '' is one without).
 * @returns {Promise<{file: string, functions: string[]}[]>}
 */
export async function traceMessage() {
  await build('bench', () => undefined);
  const folder = mkdtempSync(join(tmpdir(), 'parley-trace-'));
  try {
    const app = await startServer(folder);
    try {
      return await traced(app.url);
    } finally {
      await app.stop(5000);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startServer(folder) {
  const { readCommand } = await compiled('src/cli/command-line.js');
  const { createApp } = await compiled('src/app/app.js');
  const flags = ['serve', '--port', '0', '--store', `embedded:${folder}`];
  flags.push('--owner-email', OWNER.username, '--owner-password', OWNER.password);
  const nothing = () => undefined;
  const app = createApp(readCommand(flags, {}).config, {
    log: { info: nothing, warn: nothing, error: (context, text) => console.error(text, context) },
    announce: nothing,
    fatal: (error) => {
      throw error;
    },
  });
  await app.start();
  return app;
}

function compiled(file) {
  return import(pathToFileURL(join('dist', file)).href);
}

async function traced(url) {
  const owner = await login(url, OWNER);
  const account = { email: READER.username, full_name: 'Reader', password: READER.password };
  await call(url, owner, 'POST', '/users', account);
  const reader = await login(url, READER);
  const request = { event_types: JSON.stringify(['message']) };
  const queue = await call(url, reader, 'POST', '/register', request);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let last = queue.last_event_id;
  const rounds = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const place = `queue_id=${queue.queue_id}&last_event_id=${last}`;
    const waiting = call(url, reader, 'GET', `/events?${place}`);
    // The next reply on the same event loop says that the poll waits.
    await call(url, reader, 'GET', '/users/me');
    // Taking sets the counts back.
    await session.post('Profiler.takePreciseCoverage');
    const message = { type: 'channel', to: 'general', topic: 'trace', content: `Hello ${round}` };
    const [{ events }] = await Promise.all([
      waiting,
      call(url, owner, 'POST', '/messages', message),
    ]);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    if (events[0]?.type !== 'message') throw new Error('the poll had something else');
    last = events[0].id;
    if (round >= WARM_UP) rounds.push(ranIn(result));
  }
  session.disconnect();
  return filesOf(rounds);
}

/** Names of the functions that ran, by file and place: `src/a.ts:120` → `send`. */
function ranIn(scripts) {
  const ran = new Map();
  for (const { url, functions } of scripts) {
    if (!url.startsWith('file:')) continue;
    const file = relative('dist', fileURLToPath(url)).replace(/\.js$/, '.ts');
    if (!/^(src|actors|schemas)\//.test(file)) continue;
    for (const { functionName, ranges } of functions) {
      if (ranges[0].count > 0) ran.set(`${file}:${ranges[0].startOffset}`, functionName);
    }
  }
  return ran;
}

/** What ran in every round, by file. */
export function filesOf([first, ...others]) {
  const files = new Map();
  for (const [place, name] of first) {
    if (!others.every((round) => round.has(place))) continue;
    const file = place.slice(0, place.lastIndexOf(':'));
    files.set(file, [...(files.get(file) ?? []), name]);
  }
  return [...files].map(([file, functions]) => ({ file, functions }));
}

async function login(url, account) {
  const { email, api_key: key } = await call(url, null, 'POST', '/fetch_api_key', account);
  return `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
}

/** The body of a reply. @throws Error for a refusal */
async function call(url, authorization, method, path, parameters) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: authorization === null ? {} : { authorization },
    body: parameters && new URLSearchParams(parameters),
  });
  if (response.ok) return response.json();
  throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}
