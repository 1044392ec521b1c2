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
  const { length } = bytes;
  let place = -1;
  for (let i = 0; i < length;) {
    let byte = bytes[i++]!;
    let value = byte & 0x7f;
    // Nearly all distances take one byte.
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[i++]!;
      value |= (byte & 0x7f) << shift;
    }
    if (value === 0) place = -1;
    else found.add((place += value));
  }
}
