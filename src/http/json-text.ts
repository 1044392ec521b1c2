/** Nesting beyond this is refused: no parameter of the contract comes near, and walks may recurse. */
const MAX_DEPTH = 32;

/** Longest JSON parameter in characters: a list of 100,000 ids fits, a parse stays in milliseconds. */
export const MAX_JSON_LENGTH = 4 * 1024 * 1024;

/**
 * Parses JSON text of a client, bounded in depth.
 * @returns the value in a box, or undefined where the text is not JSON or is nested too deeply
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (text.length > 2 * MAX_DEPTH && nestsTooDeeply(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Counts brackets outside of strings; on text that is not JSON the answer does not matter. */
function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) {
      quoted = true;
    } else if (code === 91 || code === 123) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === 93 || code === 125) {
      depth--;
    }
  }
  return false;
}
