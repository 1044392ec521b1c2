import { MAX_FIELDS } from '../../../schemas/limits.js';
import { badRequest, malformedPayload, tooManyFields } from '../../errors.js';

/** A parameter value that came as JSON. */
export class JsonField {
  /** Does not count as text: the JSON body has an equal bound of its own. */
  readonly length = 0;

  constructor(readonly value: unknown) {}
}

/** Raw parameter values by name, before they are decoded by type. */
export type RawParameters = Map<string, string | JsonField>;

/**
 * Decodes `a=b&c=d` text into `into`: `+` is a space, escapes are UTF-8, the last of several equal names
 * wins. Pairs without a name are skipped.
 * @throws ApiError 400 for a malformed escape, invalid UTF-8, or too many fields
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
 * The text of a parameter that every endpoint accepts.
 * @throws ApiError 400 where it came as JSON other than a string
 */
export function textField(fields: RawParameters | null, name: string): string | undefined {
  const raw = fields?.get(name);
  if (!(raw instanceof JsonField)) return raw;
  if (typeof raw.value === 'string') return raw.value;
  throw badRequest(`${name} is not a string`);
}

/** The parameters with all values as texts, as in a form. */
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
 * Merges the parameters of query and body, for every method (requests.md#reading): a name in the body wins.
 * @throws ApiError 400 as {@link readUrlEncoded}
 */
export function mergeParameters(query: string, body: RawParameters | null): RawParameters {
  if (query === '' && body) return body;
  const merged = readUrlEncoded(query);
  if (body) for (const [name, text] of body) merged.set(name, text);
  return merged;
}
