import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { testOf } from './mirror-rules.js';
import { isDrawn, SHARES } from './shares.js';
import { ALL_TESTS, DIVIDED_TESTS, TEST_FOLDER } from './test-files.js';

/*
 * Which tests a platform of a landing runs (`.ci/run`). What a release of Node, its libraries or the system around it can
 * break runs on that of the machine and on one of the others, unless it is divided, and what that is follows from imports;
 * the rest of the modules on that of the machine alone.
 */

/** Rooms that stand on the machine: network, files, processes, threads, texts and their locales, compiled libraries. */
const ROOMS =
  /^src\/(platform|http|store|services|languages|turns|host|nodes|operator|transfer|app|config|cli)\//;
/** Of these, what only makes texts of the payloads of others. */
const PURE = /^src\/services\/hooks\//;
/** Modules of Node, and those of `src/platform` that are its files, network, processes and threads. */
const MACHINE =
  /^node:|^(?:\.\.?\/)+platform\/(?:compile-cache|durable-files|files|network|processes|threads)\.js$/;
const FROM = /^(?:import|export)\b[^'";]*?['"]([^'"]+)['"]/gm;
const COMPILED = join(TEST_FOLDER, '..');

/** What a compiled file imports, as it is written there; without types. */
function importsOf(file: string): string[] {
  const path = join(COMPILED, file);
  if (!existsSync(path)) return [];
  return [...readFileSync(path, 'utf8').matchAll(FROM)].map(([, specifier]) => specifier!);
}

/** Whether a compiled source, by its path from `src/` on, stands on the machine. */
function standsOnMachine(file: string): boolean {
  if (!/^(src|actors)\//.test(file)) return false;
  const inRoom = ROOMS.test(file) && !PURE.test(file);
  return inRoom || importsOf(file).some((specifier) => MACHINE.test(specifier));
}

/** Tests of sources that stand on the machine, as `mirror-rules.ts` tells them. */
const MIRRORING = new Set(
  readdirSync(join(COMPILED, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && standsOnMachine(`src/${file}`))
    .map((file) => testOf(`src/${file.replace(/\.js$/, '.ts')}`)?.replace(/\.ts$/, '.js')),
);

/** Of the suites that start the program, those of its compiled libraries, files and start. */
const NATIVE =
  /^system\/(api\/(errors|event-stream|queue-protocol|resumable-uploads|socket|texts|uploads)|faults\/largest-file|operation\/(data-modes|deployment|json-output|tls|untested-native))\.test\.js$/;

/** Whether a test, by its path in {@link TEST_FOLDER}, is of what stands on the machine: by its source, or by what it imports itself. */
export function isOfPlatform(test: string): boolean {
  if (test.startsWith('system/')) return NATIVE.test(test);
  if (MIRRORING.has(test)) return true;
  const file = `test/${test}`;
  const own = importsOf(file).filter((specifier) => specifier.startsWith('.'));
  return own.some((specifier) => {
    return standsOnMachine(relative(COMPILED, join(COMPILED, dirname(file), specifier)));
  });
}

/** Who runs tests. */
export interface Runner {
  /** Whether this is one of the other platforms of a landing, not that of its machine. */
  readonly ofPlatform: boolean;
  readonly share: string;
  readonly major?: number;
}

/** The platforms beside that of the machine. */
const OTHERS = SHARES - 1;
/** The other suites of the whole program run beside on one of the others in every third landing. */
const LANDINGS = 3;

/**
 * Whether a test is among all those of a run. What is divided is so once in a landing, whatever it is of. The others run on
 * the platform of the machine; those of compiled libraries, files and start on all of them, too, and what else stands on
 * the machine on one of the others.
 */
export function isTaken(test: string, { ofPlatform, share, major }: Runner): boolean {
  const place = DIVIDED_TESTS.indexOf(test);
  if (place >= 0) return isDrawn(place, share, major);
  if (!ofPlatform || share === 'all' || NATIVE.test(test)) return true;
  const number = ALL_TESTS.indexOf(test);
  if (isOfPlatform(test)) return isDrawn(number, share, major, OTHERS);
  return test.startsWith('system/') && isDrawn(number, share, major, OTHERS * LANDINGS);
}
