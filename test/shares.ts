import { execFileSync } from 'node:child_process';

/*
 * What is too dear for every platform of every landing is divided among the platforms: each takes another third, and
 * together they take all of it. Which one takes which is drawn from the commit, so that it changes from landing to
 * landing, and who looks into a failure gets the same again.
 *
 * `PARLEY_TEST_SHARE` is the number that decides, as a run of all tests sets it for its processes. Without it, as where
 * a file is named, and with `all`, as every night, all is taken.
 */

/** Into so many shares: one for each platform of a landing (scripts/platforms.json). */
export const SHARES = 3;
const MAJOR = Number.parseInt(process.versions.node);

/** Whether this process takes the case with this number, of so many shares. */
export function isDrawn(
  number: number,
  share = process.env['PARLEY_TEST_SHARE'],
  major = MAJOR,
  shares = SHARES,
): boolean {
  if (!share || share === 'all') return true;
  // Releases have even numbers: the next one takes the next third.
  return (number + Number(share) + major / 2) % shares === 0;
}

/** The cases of a list that this process takes. */
export function shareOf<T>(cases: readonly T[], share?: string): T[] {
  return cases.filter((_one, i) => isDrawn(i, share));
}

/** One of the cases, another with each draw, for what all of a share would be too dear for; all of them where all is taken. */
export function oneInTurn<T>(
  cases: readonly T[],
  share = process.env['PARLEY_TEST_SHARE'],
): readonly T[] {
  if (!share || share === 'all') return cases;
  // The rest of the division by the number of shares says which platform takes it.
  return [cases[Math.floor(Number(share) / SHARES) % cases.length]!];
}

/** The number for a run of all tests: what is asked for, or the first digits of what git calls the state of the sources. */
export function drawnShare(): string {
  const asked = process.env['PARLEY_TEST_SHARE'];
  if (asked) return asked;
  try {
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return String(Number.parseInt(tree.slice(0, 7), 16));
  } catch {
    // An archive of the sources, whose state has no name.
    return '0';
  }
}
