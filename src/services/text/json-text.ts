/** Deepest nesting accepted: no parameter of the contract comes near it, and traversals may recurse. */
const MAX_DEPTH = 32;

/**
 * Most lists, objects and members of one parameter: the longest list of the contract has 10,000 objects of
 * three members. They cost some 20 times as much as text or numbers of the same length.
 */
export const MAX_JSON_NODES = 50_000;

/**
 * Most members of one object: an object of many names costs several times as much as many small ones, and no
 * parameter of the contract has more.
 */
export const MAX_JSON_MEMBERS = 10_000;

/** Shorter texts cannot contain as many. */
const FEW_NODES_LENGTH = 2 * MAX_JSON_NODES;

/** What every JSON text begins with. */
const MAY_BE_JSON = /^[ \t\r\n]*(?:[[{"\d-]|true|false|null)/;

const TRUE = { value: true };
const FALSE = { value: false };

/** What a JSON text says, in a box, or what it has too much of. */
export type Parsed =
  | { readonly value: unknown; readonly excess?: undefined }
  | { readonly excess: Excess };

/**
 * Parses JSON text of a client, bounded in depth and number of nodes.
 * @returns undefined where the text is not JSON or is nested too deeply
 */
export function parseBounded(text: string): Parsed | undefined {
  if (text.length <= FEW_NODES_LENGTH) return parseJson(text);
  const members = new Int32Array(MAX_DEPTH + 1);
  const nodes = nodesIn(text, members);
  if (nodes === Infinity) return undefined;
  if (nodes > MAX_JSON_NODES) return { excess: 'nodes' };
  if (members.some((most) => most > MAX_JSON_MEMBERS)) return { excess: 'members' };
  return parsed(text);
}

/**
 * Parses JSON text, bounded in depth.
 * @returns the value in a box, or undefined where the text is not JSON or is nested too deeply
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  // Most of what short parameters say.
  if (text === 'true') return TRUE;
  if (text === 'false') return FALSE;
  if (text.length > 2 * MAX_DEPTH && nodesIn(text) === Infinity) return undefined;
  return parsed(text);
}

function parsed(text: string): { readonly value: unknown } | undefined {
  // The name of a channel, or an address: an exception would cost more than all else of its request.
  if (!MAY_BE_JSON.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** A text or a number of JSON. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/** Stands for a float whose value is an integer: the smallest number there is, which nobody means to send. */
export const INTEGRAL_FLOAT = Number.MIN_VALUE;

/**
 * What a text says to a language that tells floats from integers: in the place of numbers such as `1.0` and `1e12`,
 * which are integers to JavaScript alone, it has {@link INTEGRAL_FLOAT}.
 * @param text that says `value`
 */
export function withFloats(text: string, value: unknown): unknown {
  if (!/\d[.eE]/.test(text)) return value;
  let found = false;
  const told = text.replace(TEXT_OR_NUMBER, (token) => {
    if (token.startsWith('"') || !/[.eE]/.test(token) || !Number.isInteger(Number(token)))
      return token;
    found = true;
    return String(INTEGRAL_FLOAT);
  });
  return found ? (JSON.parse(told) as unknown) : value;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/** What a text has more of than any parameter may have: nodes in all, or members in one object. */
export type Excess = 'nodes' | 'members';

/** What a refusal says that there are too many of. */
export function describeExcess(excess: Excess): string {
  return excess === 'members'
    ? `members in one object (limit: ${MAX_JSON_MEMBERS})`
    : `lists, objects and members (limit: ${MAX_JSON_NODES})`;
}

/**
 * Counts lists, objects and members by the characters outside of strings; infinity where the nesting is too
 * deep. For text that is not JSON the result does not matter.
 * @param members becomes, by depth, the members of an object that has too many, or of the last one
 */
function nodesIn(text: string, members?: Int32Array): number {
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
      if (members && members[depth]! <= MAX_JSON_MEMBERS) members[depth] = 0;
    } else if (code === 93 || code === 125) {
      depth--;
    } else if (code === COLON) {
      nodes++;
      if (members && depth > 0) members[depth]! += 1;
    }
  }
  return nodes;
}
