/** Deepest nesting accepted: no parameter of the contract comes near it, and traversals may recurse. */
const MAX_DEPTH = 32;

/**
 * Most lists, objects and members of one parameter: the longest list of the contract has 10,000 objects of
 * three members. They cost some 20 times as much as text or numbers of the same length.
 */
export const MAX_JSON_NODES = 50_000;

/** Shorter texts cannot contain as many. */
const FEW_NODES_LENGTH = 2 * MAX_JSON_NODES;

/**
 * Parses JSON text of a client, bounded in depth and number of nodes.
 * @returns the value in a box, or undefined where the text is not JSON or is nested too deeply
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (text.length > 2 * MAX_DEPTH && nodesIn(text) === Infinity) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/** Whether a text has more lists, objects and members than any parameter may have. */
export function hasTooManyNodes(text: string): boolean {
  if (text.length <= FEW_NODES_LENGTH) return false;
  const nodes = nodesIn(text);
  return nodes > MAX_JSON_NODES && nodes !== Infinity;
}

/**
 * Counts lists, objects and members by the characters outside of strings; infinity where the nesting is too
 * deep. For text that is not JSON the result does not matter.
 */
function nodesIn(text: string): number {
  let nodes = 0;
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
      nodes++;
      if (++depth > MAX_DEPTH) return Infinity;
    } else if (code === 93 || code === 125) {
      depth--;
    } else if (code === COLON) {
      nodes++;
    }
  }
  return nodes;
}
