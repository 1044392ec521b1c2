import { badRequest, malformedPayload, tooManyFields } from '../../errors.js';

/** More names than this in one source is refused (requests.md#bodies-sizes-faults). */
export const MAX_FIELDS = 1000;

/** A value that came as JSON, and need not be made of text. */
export class JsonField {
  /** Characters of text: its body has a bound of its own, which is the same. */
  readonly length = 0;

  constructor(readonly value: unknown) {}
}

/** Raw values by name: what a request carries before anything is known about its parameters. */
export type RawParameters = Map<string, string | JsonField>;

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

/**
 * The text of a field that every endpoint takes.
 * @throws ApiError 400 where it came as JSON and is no string
 */
export function textField(fields: RawParameters | null, name: string): string | undefined {
  const raw = fields?.get(name);
  if (!(raw instanceof JsonField)) return raw;
  if (typeof raw.value === 'string') return raw.value;
  throw badRequest(`${name} is not a string`);
}

/** The same with all values as texts, as a form would have had them. */
export function asTexts(fields: RawParameters): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [name, raw] of fields) {
    if (!(raw instanceof JsonField)) texts.set(name, raw);
    else texts.set(name, typeof raw.value === 'string' ? raw.value : JSON.stringify(raw.value));
  }
  return texts;
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
 * The parameters of a request from all its sources, for every method (requests.md#reading): a name
 * in the body wins over the same name in the query.
 * @throws ApiError 400 as {@link readUrlEncoded}
 */
export function mergeParameters(query: string, body: RawParameters | null): RawParameters {
  const merged = readUrlEncoded(query);
  if (body) for (const [name, text] of body) merged.set(name, text);
  return merged;
}
