import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';

/*
 * Nothing in `src` and `actors` takes time, timers, randomness, files, processes, threads or the network from Node but
 * `src/platform` (architecture.md#platform). The linter forbids it; this test shows what its rules refuse. It has no
 * rule against `new Date()`, which reads the clock, and does not look into `import()`, so a test here does.
 */

const TIMERS = 'Timers come from src/platform/timers.ts';
const TIME = 'The time comes from src/platform/time.ts';
const RANDOMNESS = 'Randomness comes from src/platform/randomness.ts';
const FILES = 'Files come from src/platform/files.ts';
const NETWORK = 'The network comes from src/platform/network.ts';
const PROCESSES = 'Processes come from src/platform/processes.ts';
const FIGURES = 'Figures come from src/platform/figures.ts';
const THREADS = 'Threads come from src/platform/threads.ts';
const TEXT = 'Text of others is read by src/services/text/decode.ts';
const NODE = 'A module of Node has node: in its name';

/** Statements, and what the linter says of each; null where it says nothing. */
const STATEMENTS: readonly (readonly [statement: string, says: string | null])[] = [
  ['setTimeout(work, 1);', TIMERS],
  ['globalThis.setInterval(work, 1);', TIMERS],
  ['setImmediate(work);', TIMERS],
  ['queueMicrotask(work);', TIMERS],
  ['process.nextTick(work);', TIMERS],
  ['AbortSignal.timeout(1);', TIMERS],
  ["import { setTimeout as sleep } from 'node:timers/promises';", TIMERS],
  ["import { setImmediate as soon } from 'node:timers';", TIMERS],
  ['Date.now();', TIME],
  ['export const now = Date.now;', TIME],
  ['performance.now();', TIME],
  ['process.hrtime.bigint();', TIME],
  ["import { hrtime } from 'node:process';", 'come from src/platform'],
  ["import { performance as clock } from 'node:perf_hooks';", TIME],
  ['process.memoryUsage();', FIGURES],
  ['process.memoryUsage.rss();', FIGURES],
  ['process.cpuUsage();', FIGURES],
  ['process.resourceUsage();', FIGURES],
  ["import { totalmem } from 'node:os';", FIGURES],
  ["import { getHeapStatistics } from 'node:v8';", FIGURES],
  ['Math.random();', RANDOMNESS],
  ['export const { random } = Math;', RANDOMNESS],
  ['crypto.randomUUID();', RANDOMNESS],
  ["import { randomBytes } from 'node:crypto';", RANDOMNESS],
  ["import everything from 'node:crypto';", RANDOMNESS],
  ["import { readFileSync } from 'node:fs';", FILES],
  ["import * as fs from 'node:fs';", FILES],
  ["import { readFile } from 'node:fs/promises';", FILES],
  ["import plain from 'fs';", NODE],
  ["import { fork } from 'node:child_process';", PROCESSES],
  ["process.kill(1, 'SIGTERM');", PROCESSES],
  ['process.exit(1);', PROCESSES],
  ["import { Worker } from 'node:worker_threads';", THREADS],
  ["import { connect } from 'node:net';", NETWORK],
  ["import { request } from 'node:http';", NETWORK],
  ["import { get } from 'node:https';", NETWORK],
  ["import { connect as secure } from 'node:tls';", NETWORK],
  ["import { lookup } from 'node:dns/promises';", NETWORK],
  ["import { connect as streams } from 'node:http2';", NETWORK],
  ["export const agents = await import('undici');", NETWORK],
  ["void fetch('https://zulip.example/');", NETWORK],
  ["new TextDecoder('windows-1252');", TEXT],
  ["import { TextDecoder as Decoder } from 'node:util';", TEXT],
  ["import iconv from 'iconv-lite';", TEXT],
  // Types, and what only computes.
  ["import type { Socket } from 'node:net';", null],
  ["import type { Stats } from 'node:fs';", null],
  ["import { isIP, BlockList } from 'node:net';", null],
  ["import { constants } from 'node:fs';", null],
  ["import { hostname } from 'node:os';", null],
  ["import { createHash, timingSafeEqual } from 'node:crypto';", null],
  ["import { setTimeout } from './platform/timers.js';", null],
  ["work.timers.setTimeout('x');", null],
];

void t.test(
  'the linter names the module of the platform that has what a source takes from Node',
  async (t) => {
    const source = STATEMENTS.map(([statement]) => `${statement}\n`);
    // One that imports the name takes it from there.
    const own = source.findIndex((line) => line.includes('./platform/timers.js'));
    const text = source.with(own, '\n').join('');
    const said = await lint(t, {
      'src/a.ts': text,
      'src/b.ts': `${source[own]}setTimeout(work, 1);\n`,
      'src/platform/node-platform.ts': text,
      'src/web/a.ts': text,
      'actors/a.ts': 'setTimeout(work, 1);\n',
      'test/a.ts': text,
    });
    STATEMENTS.forEach(([statement, expected], index) => {
      const found = said.filter(({ file, line }) => file === 'src/a.ts' && line === index + 1);
      if (expected === null) t.strictSame(found, [], statement);
      else
        t.ok(
          found.some(({ text }) => text.includes(expected)),
          `${statement} ${expected}`,
        );
    });
    const others = said.filter(({ file }) => file !== 'src/a.ts').map(({ file }) => file);
    t.strictSame(others, ['actors/a.ts']);
  },
);

/** A date of now, and a module of Node that is loaded in the midst of work. */
const UNSEEN = /\bnew Date(?!\()\b|\bDate\(\)|\b(import|require)\(\s*['"`]node:/;

void t.test(
  'no source reads the clock by making a date, or loads a module of Node as it works',
  (t) => {
    const sources = ['src', 'actors'].flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => !/^src\/(client|web)\//.test(file)),
    );
    t.ok(sources.length > 500, `${sources.length} sources`);
    const found = sources.filter((file) => UNSEEN.test(readFileSync(file, 'utf8')));
    t.strictSame(found, [], 'new Date(wallTime()) and src/platform do the same');
    for (const form of ['new Date()', 'at = Date();', 'new Date;', "await import('node:fs')"]) {
      t.match(form, UNSEEN);
    }
    t.notMatch('new Date(ms)', UNSEEN);
    t.end();
  },
);

interface Said {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** What the rules about the machine say of sources, in a folder that Git does not ignore. */
function lint(t: Test, sources: Readonly<Record<string, string>>): Promise<Said[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-lint-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  // These rules need no types, for which there would have to be a project.
  const rules = readFileSync('.oxlintrc.json', 'utf8').replace('"typeAware": true, ', '');
  writeFileSync(join(folder, '.oxlintrc.json'), rules);
  const program = join(process.cwd(), 'node_modules/oxlint/bin/oxlint');
  return new Promise((resolve) => {
    // It exits with 1 where it found something.
    execFile(process.execPath, [program, '--format', 'json'], { cwd: folder }, (_error, stdout) => {
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
      resolve(
        diagnostics
          .filter(({ code }) => code.includes('(no-restricted-'))
          .map(({ filename, message, help, labels }) => ({
            file: filename,
            line: labels[0]!.span.line,
            text: `${message} ${help}`,
          })),
      );
    });
  });
}

interface Diagnostic {
  readonly message: string;
  readonly code: string;
  readonly help: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}
