/** The characters of Unicode emoji; small enough for threads that need no names. */

const PICTOGRAPH = String.raw`\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]{0,2}[\u{e0020}-\u{e007f}]{0,8}`;

/** Source of a regular expression with flag `u` or `v`: a run of characters that is shown as one emoji, if it is one. */
export const EMOJI_CHARACTERS = String.raw`(?:\p{Regional_Indicator}{2}|[0-9#*]\ufe0f?\u20e3|${PICTOGRAPH}(?:\u200d${PICTOGRAPH}){0,8})`;

const LAST_CODE_POINT = 0x10ffff;

/** The characters of an emoji code, `1f1e9-1f1ea`; none for what is no code. */
export function charactersOfCode(code: string): string {
  const points = code.split('-').map((digits) => parseInt(digits, 16));
  return points.every((point) => point <= LAST_CODE_POINT) ? String.fromCodePoint(...points) : '';
}
