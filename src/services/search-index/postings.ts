/** Lists of the messages that have a word: ascending places, each as its distance to the one before. */
import type { Bits } from './bits.js';
import type { ByteWriter } from './bytes.js';

/** Writes a list; a zero begins it. @param places ascending, some more than once, from `begin` to before `end` */
export function writePostings(
  into: ByteWriter,
  places: Uint16Array,
  begin: number,
  end: number,
): void {
  let before = -1;
  into.number(0);
  for (let i = begin; i < end; i++) {
    const place = places[i]!;
    if (place === before) continue;
    into.number(place - before);
    before = place;
  }
}

/** Adds the places of some lists. */
export function addPostings(bytes: Buffer, found: Bits): void {
  let place = -1;
  let value = 0;
  let shift = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte >= 0x80) continue;
    if (value === 0) place = -1;
    else found.add((place += value));
    value = 0;
    shift = 0;
  }
}
