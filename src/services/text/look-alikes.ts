import unhomoglyph from 'unhomoglyph';
import { nameKey } from './stored-text.js';

/** Stands for a capital L, which has no look-alike among the letters that case makes equal; no name has it. */
const CAPITAL_L = '\ue000';

/** Before the keys of names in small letters, so that none is that of a name as it is written; no name has it. */
const SMALL = '\ue001';

/**
 * What two names share, one of two, that look the same in most fonts, such as one with Cyrillic letters in the place of
 * Latin ones: the skeletons of Unicode's security mechanisms (UTS #39, section 4) of the name as it is written, and of the name
 * in small letters. A skeleton has a small l in the place of a capital i, so that a capital L is not made small where the
 * name is as written: `Ian` looks like `lan`, and not like `Lan`; `LENA` with a Cyrillic E looks like `Lena`.
 */
export function lookKeys(name: string): readonly [string, string] {
  return [
    nameKey(skeletonOf(name).replaceAll('L', CAPITAL_L)),
    SMALL + nameKey(skeletonOf(nameKey(name))),
  ];
}

function skeletonOf(name: string): string {
  return unhomoglyph(name.normalize('NFD')).normalize('NFD');
}
