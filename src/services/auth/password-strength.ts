import { PASSWORD_MIN_GUESSES } from '../../../schemas/limits.js';
import { hasPasswordLength } from '../../../schemas/password.js';

/** What attackers try first. */
const COMMON = [
  'password',
  'passwort',
  'welcome',
  'letmein',
  'iloveyou',
  'sunshine',
  'princess',
  'football',
  'baseball',
  'superman',
  'dragon',
  'monkey',
  'shadow',
  'master',
  'admin',
  'login',
  'secret',
  'zulip',
  'parley',
  'qwertyuiop',
  'qwertz',
  'qwerty',
  'asdfghjkl',
  'asdfgh',
  'zxcvbnm',
  '1q2w3e4r',
  'abc123',
  'trustno1',
];

/** Guesses for a whole word of a list, and for one of the user's own names. */
const WORD_GUESSES = 100;
const OWN_WORD_GUESSES = 10;

/**
 * Whether a password may be used: 8 to 100 code points, and by a coarse estimate at least
 * `password_min_guesses` guesses away (register-realm.md#joining-and-accounts).
 *
 * @param own the user's name, address and the like, which make poor passwords
 */
export function isAcceptablePassword(password: string, own: readonly string[] = []): boolean {
  if (!hasPasswordLength(password)) return false;
  return estimateGuesses(password, own) >= PASSWORD_MIN_GUESSES;
}

/**
 * Guesses an informed attacker needs. A minimal estimate, documented so that it can be replaced: a
 * known word counts as one draw from a short list, a run of characters that repeat or count on
 * (`aaaa`, `4567`, `dcba`) as one character and its length, and every other character as one draw
 * from the character classes in use.
 */
export function estimateGuesses(password: string, own: readonly string[] = []): number {
  let guesses = 1;
  let rest = password.toLowerCase();
  for (const word of ownWords(own)) {
    if (!rest.includes(word)) continue;
    rest = rest.replaceAll(word, '\n');
    guesses *= OWN_WORD_GUESSES;
  }
  for (const word of COMMON) {
    if (!rest.includes(word)) continue;
    rest = rest.replaceAll(word, '\n');
    guesses *= WORD_GUESSES;
  }
  const characters = rest.replaceAll('\n', '');
  return guesses * characterGuesses(characters);
}

function ownWords(own: readonly string[]): string[] {
  const words = own.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  return words.filter((word) => word.length >= 3);
}

function characterGuesses(text: string): number {
  const alphabet = alphabetSize(text);
  let guesses = 1;
  let previous = Number.NaN;
  let run = 1;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    run = Math.abs(code - previous) <= 1 ? run + 1 : 1;
    // A run of n is n times as many guesses as its first character alone.
    guesses *= run === 1 ? alphabet : run / (run - 1);
    previous = code;
  }
  return guesses;
}

function alphabetSize(text: string): number {
  let size = 0;
  if (/[0-9]/.test(text)) size += 10;
  if (/[a-z]/.test(text)) size += 26;
  if (/[^0-9a-z]/.test(text)) size += 32;
  return size;
}
