/* What a run of mutants says: a line for each, a table by room, and the page (docs/mutants.md). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { roomOf } from './draw.js';

/** Survivors that somebody has judged: not a defect, and why. */
export const REVIEWED = 'test/mutants-reviewed.json';
const PAGE = 'docs/mutants.md';
const TABLE = /(<!-- table -->\n)[^]*(<!-- end of the table -->)/;
/** Of a text that is replaced, a report shows so many letters. */
const SHOWN = 90;

/**
 * What tells a mutant from others as long as its line stays as it is, wherever that moves.
 * @returns {{ file: string, kind: string, line: string, replacement: string }}
 */
export function identity({ file, kind, line, replacement }) {
  const text = readFileSync(file, 'utf8').split('\n')[line - 1].trim();
  return { file, kind, line: text, replacement: oneLine(replacement) };
}

export function reviewedOnes() {
  return existsSync(REVIEWED) ? JSON.parse(readFileSync(REVIEWED, 'utf8')) : [];
}

/** The reason why a mutant changes nothing that anybody can see; null where nobody has found one. */
export function isReviewed(mutant) {
  const own = identity(mutant);
  const found = reviewedOnes().find((one) =>
    Object.keys(own).every((key) => one[key] === own[key]),
  );
  return found?.reason ?? null;
}

/** One mutant, in a line or three. */
export function report(finding) {
  const { id, file, line, kind, by, how, cpu, ran, left, reviewed } = finding;
  const place = `${file}:${line} ${kind}`;
  const change = `      ${shortened(finding.original)}\n   => ${shortened(finding.replacement)}`;
  if (by !== null) return `found ${id} ${place}: ${by}, ${how} (${cpu.toFixed(1)} s)`;
  const rest = left > 0 ? `, ${left} not run` : '';
  const word = reviewed === null ? 'SURVIVES' : 'equivalent';
  return `${word} ${id} ${place} (${ran} tests passed${rest}, ${cpu.toFixed(1)} s)\n${change}`;
}

/** How many of each room were found, and the survivors that nobody judged equivalent. */
export function tableByRoom(findings) {
  const rooms = new Map();
  for (const one of findings) {
    const room = rooms.get(roomOf(one.file)) ?? [];
    rooms.set(roomOf(one.file), [...room, one]);
  }
  const rows = [...rooms]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([room, ones]) => row(room, ones));
  const all = row('**all**', [...rooms.values()].flat());
  const head = [
    ...[
      'Room',
      'Drawn',
      'Equivalent',
      'Found',
      'Of the others',
      'Of those that survive, not all tests ran',
    ],
    ...['By modules', 'By system', 'CPU, s'],
  ];
  return [head, head.map(() => '---'), ...rows, all]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function row(room, ones) {
  const equivalent = ones.filter(({ by, reviewed }) => by === null && reviewed !== null).length;
  const found = ones.filter(({ by }) => by !== null);
  const bySystem = found.filter(({ by }) => by.startsWith('system') || by === 'simulation').length;
  const judged = ones.length - equivalent;
  const open = ones.filter(
    ({ by, left, reviewed }) => by === null && left > 0 && reviewed === null,
  ).length;
  const share = judged === 0 ? '' : `${Math.round((100 * found.length) / judged)} %`;
  const cpu = ones.reduce((sum, one) => sum + one.cpu, 0);
  const [modules, seconds] = [found.length - bySystem, Math.round(cpu)];
  return [room, ones.length, equivalent, found.length, share, open, modules, bySystem, seconds];
}

/** Writes the table of a run and its survivors into the page. */
export function writePage(findings, { count, seed, only }) {
  const survivors = findings.filter(({ by }) => by === null);
  const told = survivors.map((one) => {
    const place = `\`${one.file}:${one.line}\``;
    const change = `\`${cell(one.original)}\` → \`${cell(one.replacement)}\``;
    return `| ${place} | ${one.kind} | ${change} | ${one.reviewed ?? unjudged(one)} |`;
  });
  const command = `npm run mutants -- --count ${count} --seed ${seed} --only ${only} --write`;
  const head = '| Survivor | Kind | Change | Why |\n| --- | --- | --- | --- |';
  const text = `\`${command}\`\n\n${tableByRoom(findings)}\n\n${[head, ...told].join('\n')}\n`;
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(TABLE, (_all, start, end) => `${start}\n${text}\n${end}`),
  );
}

function unjudged({ left }) {
  return left > 0 ? 'not all tests ran' : 'no test notices it';
}

function cell(text) {
  return shortened(text).replaceAll('|', '\\|').replaceAll('`', "'");
}

function shortened(text) {
  const line = oneLine(text);
  return line.length > SHOWN ? `${line.slice(0, SHOWN)} …` : line;
}

function oneLine(text) {
  return text.replaceAll(/\s+/g, ' ').trim();
}
