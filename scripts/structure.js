/*
 * Counts what the structure of the sources is judged by: node scripts/structure.js [--trace] [--json | --before FILE]
 *
 *     the rooms at the top and the imports between them, files per folder, imports that point upward, circles,
 *     short files, files with one importer, lines of tests and scripts
 *     --trace        also the files and functions that one POST /messages passes until another user's poll has it
 *     --json         everything as JSON
 *     --before FILE  only the figures, beside those of FILE, which --json wrote at another commit
 *
 * How many files an addition touches, test/registration.test.ts counts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { circles, importsOf, objections, sourceFiles } from './import-rules.js';

/** No folder has more files than this: a reader sees them at once. */
const MOST_FILES = 25;
/** A file of more lines is looked at: it may be two concepts. */
const LONG_LINES = 350;
/** A file of at most so many lines is mostly one function cut off. */
const SHORT_LINES = 30;
/** The part that most files are in. */
const ORGANIZATION = 'src/organization/';

/**
 * Counts over a set of files.
 * @param files for each its number of lines and the files it imports
 */
export function countsOf(files) {
  const folders = new Map();
  const importers = new Map([...files.keys()].map((file) => [file, 0]));
  for (const [file, { imports }] of files) {
    folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
    for (const target of new Set(imports)) {
      if (importers.has(target)) importers.set(target, importers.get(target) + 1);
    }
  }
  return {
    names: [...files.keys()],
    lines: [...files.values()].reduce((sum, { lines }) => sum + lines, 0),
    ...topOf(files),
    folders: [...folders].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
    long: [...files].filter(([, { lines }]) => lines > LONG_LINES).map(([file]) => file),
    short: [...files].filter(([, { lines }]) => lines <= SHORT_LINES).map(([file]) => file),
    oneImporter: [...importers].filter(([, count]) => count === 1).map(([file]) => file),
    circles: circles(new Map([...files].map(([file, { imports }]) => [file, imports]))),
  };
}

/** What stands at the top of the sources, folders and loose files of `src`, and which imports which. */
function topOf(files) {
  const rooms = new Set();
  const arrows = new Set();
  for (const [file, { imports }] of files) {
    rooms.add(roomOf(file));
    for (const target of imports) {
      if (!files.has(target) || roomOf(target) === roomOf(file)) continue;
      arrows.add(`${roomOf(file)} imports ${roomOf(target)}`);
    }
  }
  return { rooms: [...rooms].sort(), arrows: [...arrows].sort() };
}

/** `src/http` for a file below it, `src/main.ts` for itself, `actors` and `schemas`. */
function roomOf(file) {
  return file.startsWith('src/') ? file.split('/', 2).join('/') : file.split('/')[0];
}

/** Lines of the files of a folder that somebody wrote, recorded replies and the like left out. */
function linesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => /\.([jt]s|tsx|sh|c)$/.test(file))
    .reduce((sum, file) => sum + linesOf(readFileSync(join(folder, file), 'utf8')), 0);
}

/** Lines of a text whose last line may end without a line break. */
export function linesOf(text) {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function structure() {
  const names = sourceFiles();
  const files = new Map(
    names.map((file) => [
      file,
      { lines: linesOf(readFileSync(file, 'utf8')), imports: importsOf(file) },
    ]),
  );
  const further = {
    sources: linesBelow('src') + linesBelow('schemas'),
    tests: linesBelow('test'),
    scripts: linesBelow('scripts'),
  };
  return { ...countsOf(files), further, upward: objections(names) };
}

function print(counts) {
  const say = (line = '') => process.stdout.write(`${line}\n`);
  const list = (title, lines) => {
    say(`${title}: ${lines.length}`);
    for (const line of lines) say(`    ${line}`);
  };
  const { further, rooms, arrows } = counts;
  say(`lines: ${counts.lines}, of tests ${further.tests}, of scripts ${further.scripts}`);
  const loose = rooms.filter((room) => room.endsWith('.ts'));
  say(`rooms at the top: ${rooms.length}, of them loose files: ${loose.length}`);
  list('imports between rooms', arrows);
  const [largest, size] = counts.folders[0];
  say(`largest folder: ${largest}, ${size} files`);
  for (const [folder, count] of counts.folders) say(`    ${String(count).padStart(3)}  ${folder}`);
  list('imports that point upward', counts.upward);
  list(
    'circles of imports',
    counts.circles.map((circle) => circle.join(' ')),
  );
  const inOrganization = (files) => files.filter((file) => file.startsWith(ORGANIZATION)).length;
  for (const [title, files] of [
    ['files', [...counts.names]],
    [`files of at most ${SHORT_LINES} lines`, counts.short],
    ['files with one importer', counts.oneImporter],
  ]) {
    say(`${title}: ${files.length}, of them in ${ORGANIZATION}: ${inOrganization(files)}`);
  }
  const { trace } = counts;
  if (!trace) return;
  const functions = trace.reduce((sum, file) => sum + file.functions.length, 0);
  say(`one POST /messages passes ${trace.length} files and ${functions} functions:`);
  for (const [folder, count] of byRoom(trace)) say(`    ${String(count).padStart(4)}  ${folder}`);
  say('   lines  functions  file (* has one importer)');
  const single = new Set(counts.oneImporter);
  for (const { file, lines, functions } of trace) {
    const figures = `${String(lines).padStart(4)}  ${String(functions.length).padStart(9)}`;
    say(`    ${figures}  ${file}${single.has(file) ? ' *' : ''}`);
  }
}

/**
 * The figures of two counts side by side.
 * @returns rows of title, figure before and figure now; an empty text for one that was not counted
 */
export function figuresOf(before, now) {
  const figures = {
    files: ({ names }) => names.length,
    'files of schemas': ({ names }) => names.filter((file) => file.startsWith('schemas/')).length,
    lines: ({ lines }) => lines,
    'lines of src and schemas': ({ further }) => further?.sources,
    'lines of tests': ({ further }) => further?.tests,
    'lines of scripts': ({ further }) => further?.scripts,
    'loose files of src': ({ rooms }) => rooms.filter((room) => room.endsWith('.ts')).length,
    'rooms at the top': ({ rooms }) => rooms.length,
    'imports between rooms': ({ arrows }) => arrows.length,
    'files in the largest folder': ({ folders }) => folders[0][1],
    [`folders of more than ${MOST_FILES} files`]: ({ folders }) =>
      folders.filter(([, count]) => count > MOST_FILES).length,
    'imports that point upward': ({ upward }) => upward.length,
    'circles of imports': (counts) => counts.circles.length,
    [`files of more than ${LONG_LINES} lines`]: ({ long }) => long?.length,
    [`files of at most ${SHORT_LINES} lines`]: ({ short }) => short.length,
    'files with one importer': ({ oneImporter }) => oneImporter.length,
    'files that POST /messages passes': ({ trace }) => trace?.length,
    'their lines': ({ trace }) => trace?.reduce((sum, { lines }) => sum + lines, 0),
    'functions that it passes': ({ trace }) =>
      trace?.reduce((sum, { functions }) => sum + functions.length, 0),
  };
  return Object.entries(figures).map(([title, of]) => [title, of(before) ?? '', of(now) ?? '']);
}

function printFigures(before, now) {
  const line = (title, former, present) =>
    `${title.padEnd(36)}${String(former).padStart(8)}${String(present).padStart(8)}\n`;
  process.stdout.write(line('', 'before', 'now'));
  for (const row of figuresOf(before, now)) process.stdout.write(line(...row));
}

/** How many files of a trace are in each room, most first. */
function byRoom(trace) {
  const counts = new Map();
  for (const { file } of trace) counts.set(roomOf(file), (counts.get(roomOf(file)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

async function main(flags) {
  process.chdir(join(import.meta.dirname, '..'));
  const counts = structure();
  if (flags.includes('--trace')) {
    const { traceMessage } = await import('./trace-message.js');
    counts.trace = (await traceMessage())
      .map((passed) => ({ ...passed, lines: linesOf(readFileSync(passed.file, 'utf8')) }))
      .sort((a, b) => a.lines - b.lines);
  }
  const former = flags.indexOf('--before');
  if (former >= 0) printFigures(JSON.parse(readFileSync(flags[former + 1], 'utf8')), counts);
  else if (flags.includes('--json')) process.stdout.write(`${JSON.stringify(counts, null, 2)}\n`);
  else print(counts);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(process.argv.slice(2));
}
