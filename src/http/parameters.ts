import { malformedPayload, tooManyFields } from '../errors.js';

/** More names than this in one source is refused (errors.md section 8). */
export const MAX_FIELDS = 1000;

/** Raw texts by name: what a request carries before anything is known about its parameters. */
export type RawParameters = Map<string, string>;

/**
 * Reads `a=b&c=d` text into `into`: `+` is a space, escapes are UTF-8, the last of several equal names
 * wins. Pairs without a name are skipped.
 * @throws ApiError 400 for a malformed escape, bytes that are not UTF-8, or too many fields
 */
export function readUrlEncoded(text: string, into: RawParameters = new Map()): RawParameters {
  let start = 0;
  let fields = 0;
  while (start < text.length) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      if (++fields > MAX_FIELDS) throw tooManyFields(MAX_FIELDS);
      readPair(text.slice(start, end), into);
    }
    start = end + 1;
  }
  return into;
}

function readPair(pair: string, into: RawParameters): void {
  const equals = pair.indexOf('=');
  const name = unescapeText(equals === -1 ? pair : pair.slice(0, equals));
  if (name === '') return;
  into.set(name, equals === -1 ? '' : unescapeText(pair.slice(equals + 1)));
}

function unescapeText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw malformedPayload();
  }
}

/**
 * The parameters of a request from all its sources, for every method (errors.md section 5.1): a name
 * in the body wins over the same name in the query.
 * @throws ApiError 400 as {@link readUrlEncoded}
 */
export function mergeParameters(query: string, body: RawParameters | null): RawParameters {
  const merged = readUrlEncoded(query);
  if (body) for (const [name, text] of body) merged.set(name, text);
  return merged;
}
