import unhomoglyph from 'unhomoglyph';
import { nameKey } from './stored-text.js';

/** Stands for a capital L, which has no look-alike among the letters that case makes equal; no name has it. */
const CAPITAL_L = '\ue000';

/**
 * What two names share that look the same in most fonts, such as one with Cyrillic letters in the place of Latin ones:
 * the skeleton of Unicode's security mechanisms (UTS #39, section 4), without case. A skeleton has a small l in the place
 * of a capital i, so that a capital L is not made small: `Ian` looks like `lan`, and not like `Lan`.
 */
export function lookKey(name: string): string {
  const skeleton = unhomoglyph(name.normalize('NFD')).normalize('NFD');
  return nameKey(skeleton.replaceAll('L', CAPITAL_L));
}
