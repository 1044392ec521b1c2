/*
 * Draws mutants: each room of the sources by its share of the lines, a line of it by chance, and of what can be wrong on
 * that line first a kind, then one of this kind. Each fourth of a room is of the program's own kinds, each of which is on
 * few lines: the kind is drawn first. Contracts and tables have none. Everything by chance follows from the seed.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mutantsOf } from './instrument.js';
import { programMutators } from './program-mutators.js';

/** Folders with the sources of the product. */
const SOURCES = ['src', 'actors', 'schemas'];
/**
 * Not drawn from: pages run in browsers, which have no environment for the switch; the client's types are made by a
 * script; messages, samples of code and the history of the contract are data.
 */
const LEFT_OUT = new RegExp(
  '^src/(web|languages/values)/|^src/client/types\\.ts$|^schemas/openapi/(changes|code-samples)\\.ts$|\\.d\\.ts$',
);
/** Lines on which there is nothing to change. */
const EMPTY_LINE = /^\s*(\/\/.*|\/?\*.*|[\])};,]*|import .*)$/;
/** Lines that are tried for one mutant before the room counts as empty. */
const TRIES = 2000;
/** Of so many that a room has in the draw, one is of the program's own kinds. */
const OWN_EACH = 4;
/** Lines that are tried for one of the program's own kinds, before the next of them. */
const OWN_TRIES = 50;

/** The part of the sources that a file is in: `src/http`, `actors`. */
export function roomOf(file) {
  const [top, room] = file.split('/');
  return top === 'src' && !room.includes('.') ? `${top}/${room}` : top;
}

/**
 * A draw without an end.
 * @param {{ seed: number, folder?: string }} options `folder`: a path; only files below it
 * @yields {import('./instrument.js').Mutant} the first N of them are a sample of N, in which each room has its share
 */
export async function* draw({ seed, folder = '' }) {
  const files = sources().filter((file) => file.startsWith(folder));
  if (files.length === 0) throw new Error(`No source is below ${folder}`);
  const rooms = new Map();
  for (const file of files) {
    const lines = readFileSync(file, 'utf8').split('\n');
    const name = roomOf(file);
    const room = rooms.get(name) ?? { lines: [], drawn: 0, chance: chanceFrom(`${seed} ${name}`) };
    lines.forEach((text, i) => {
      if (!EMPTY_LINE.test(text)) room.lines.push({ file, line: i + 1, text });
    });
    rooms.set(name, room);
  }
  const taken = new Set();
  while (rooms.size > 0) {
    const [name, room] = nextRoom(rooms);
    const isOwn = room.drawn % OWN_EACH === OWN_EACH - 1;
    const own = isOwn ? await oneOfOwnKinds(room, taken) : null;
    const mutant = own ?? (await oneOf(room, taken, TRIES));
    if (mutant === null) rooms.delete(name);
    else {
      room.drawn++;
      yield mutant;
    }
  }
}

/** Lines of each room that can be drawn from, in all: what a table by room is weighed by. */
export function sources() {
  return SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter((file) => file.endsWith('.ts') && !LEFT_OUT.test(file)),
  ).sort();
}

/** The room that is farthest behind its share: after any number of draws each is less than one from it. */
function nextRoom(rooms) {
  const behind = ({ lines, drawn }) => (drawn + 0.5) / lines.length;
  return [...rooms].reduce((a, b) => (behind(b[1]) < behind(a[1]) ? b : a));
}

/** One of the program's own kinds, which of them by chance; null where the room has none. */
async function oneOfOwnKinds({ lines, chance }, taken) {
  const [first] = chance();
  for (const i of programMutators.keys()) {
    const { name, lines: hint } = programMutators[(first + i) % programMutators.length];
    const some = lines.filter(({ text }) => hint.test(text));
    const room = { lines: some, chance };
    const mutant =
      some.length > 0 && (await oneOf(room, taken, OWN_TRIES, (kind) => kind === name));
    if (mutant) return mutant;
  }
  return null;
}

/** A mutant on a line by chance that was not drawn yet; null where none is found. */
async function oneOf({ lines, chance }, taken, tries, isOfKind = () => true) {
  for (let i = 0; i < tries; i++) {
    const [byLine, byKind, byChange] = chance();
    const { file, line } = lines[byLine % lines.length];
    const here = (await known(file)).filter((mutant) => mutant.line === line);
    const kinds = [...new Set(here.map(({ kind }) => kind))].filter(isOfKind);
    if (kinds.length === 0) continue;
    const kind = kinds[byKind % kinds.length];
    const ofKind = here.filter((mutant) => mutant.kind === kind);
    const mutant = ofKind[byChange % ofKind.length];
    const name = `${file} ${mutant.key}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return mutant;
  }
  return null;
}

const found = new Map();

async function known(file) {
  if (!found.has(file)) found.set(file, await mutantsOf(file));
  return found.get(file);
}

/** Three numbers at each call, the same for the same seed, whatever was made of those before. */
function chanceFrom(seed) {
  let count = 0;
  return () => {
    const hash = createHash('sha256').update(`${seed} ${count++}`).digest();
    return [0, 8, 16].map((at) => hash.readUIntBE(at, 6));
  };
}
