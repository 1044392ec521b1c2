/*
 * Compiles what changes and runs the test that one is at, again and again: npm run watch [NAME ...]
 *
 * NAME is a part of a test's path or title, as for `npm run test:only`. Without one the test runs that was saved last, or
 * that mirrors the source that was, or is stated for it (test/mirror-rules.ts): test/src/journal/journal.test.ts for
 * src/journal/journal.ts. It ends with the process that started it.
 */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.js';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['schemas', 'actors', 'src', 'test'];
/** Editors write a file in several steps. */
const PAUSE_MS = 30;
/** How often it looks whether its parent is still there. */
const PARENT_MS = 1000;
const PARENT = process.ppid;
const say = (line) => process.stderr.write(`${line}\n`);

const names = process.argv.slice(2);
let own = [];
let saved = [];
let timer;
let running;
let isBuilding = false;
let isStale = false;

/** The tests of what was saved, by the rules as they are now; those of before where nothing has one. */
async function findTests() {
  const rules = pathToFileURL(join(ROOT, 'dist/test/mirror-rules.js')).href;
  const { testOf } = await import(`${rules}?${Date.now()}`);
  const files = [...new Set(saved)];
  saved = [];
  const tests = files.map(testOf).filter((test) => test !== null);
  if (tests.length > 0) own = [...new Set(tests)];
  else for (const file of files) say(`No test mirrors ${file}; npm run watch -- NAME`);
}

async function changed() {
  isStale = true;
  if (isBuilding) return;
  isBuilding = true;
  while (isStale) {
    isStale = false;
    running?.kill('SIGKILL');
    try {
      await build('tests', () => undefined);
    } catch (error) {
      say(error.message);
      continue;
    }
    if (names.length === 0) await findTests();
    const chosen = names.length > 0 ? names : own;
    if (chosen.length > 0) run(chosen);
  }
  isBuilding = false;
}

function run(chosen) {
  const began = performance.now();
  const args = [join(ROOT, 'dist/test/run.js'), ...chosen];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  running = child;
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += String(chunk)));
  child.on('close', (code) => {
    if (running !== child) return;
    running = undefined;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    if (code !== 0) say(printed);
    say(`${code === 0 ? 'passed' : 'FAILED'}: ${chosen.join(', ')} (${seconds} s)`);
  });
}

for (const folder of FOLDERS) {
  watch(join(ROOT, folder), { recursive: true }, (_event, name) => {
    if (name === null || !/\.(ts|lua)$/.test(name)) return;
    saved.push(`${folder}/${name}`);
    clearTimeout(timer);
    timer = setTimeout(() => void changed(), PAUSE_MS);
  });
}
// Whoever ends a terminal, or the process that started this one, does not leave it behind.
setInterval(() => {
  if (process.ppid === PARENT) return;
  running?.kill('SIGKILL');
  process.exit();
}, PARENT_MS);
if (names.length > 0) void changed();
else say('Waiting for a change');
