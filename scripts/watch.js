/*
 * Compiles what changes and runs the test that one is at, again and again: npm run watch [NAME ...]
 *
 * NAME is a part of a test's path or title, as for `npm run test:only`. Without one the test runs that was saved last, or
 * that mirrors the source that was: test/src/journal/journal.test.ts for src/journal/journal.ts.
 */
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.js';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['schemas', 'actors', 'src', 'test'];
/** Editors write a file in several steps. */
const PAUSE_MS = 30;
const say = (line) => process.stderr.write(`${line}\n`);

const names = process.argv.slice(2);
let own = [];
let timer;
let running;
let isBuilding = false;
let isStale = false;

/** The test of a changed file: itself, or the one that mirrors it. */
function testOf(file) {
  if (file.endsWith('.test.ts')) return file.slice('test/'.length);
  const mirror = `${file.replace(/^test\//, '').replace(/\.ts$/, '')}.test.ts`;
  return existsSync(join(ROOT, 'test', mirror)) ? mirror : null;
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
    const chosen = names.length > 0 ? names : own;
    if (chosen.length === 0) say('Save a test, or a source that one mirrors');
    else run(chosen);
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
    const test = testOf(`${folder}/${name}`);
    if (test !== null) own = [test];
    clearTimeout(timer);
    timer = setTimeout(() => void changed(), PAUSE_MS);
  });
}
if (names.length > 0) void changed();
else say('Waiting for a change');
