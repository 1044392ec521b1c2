import { fault, invalid, type ValidationFault } from './validation-faults.js';

/** The string keywords of parameter schemas; `nulAllowed` and `maxEntries` are extensions. */
export interface TextSchema {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly nulAllowed?: boolean;
  /** Most entries of a comma-separated list. */
  readonly maxEntries?: number;
}

const COMMA = 44;
const NEWLINE = 10;

const FORMATS: Readonly<Record<string, { test(text: string): boolean; complaint: string }>> = {
  date: { test: isDate, complaint: 'is not a date' },
  uri: { test: isWebLink, complaint: 'is not a URL' },
  'hex-color': {
    test: (text) => /^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
    complaint: 'is not a valid hex color code',
  },
  'time-zone': { test: isTimeZone, complaint: 'is not a recognized time zone' },
};

/**
 * Compiles the checks of a string. NUL is refused unless the schema says `nulAllowed: true`; unpaired
 * surrogates, which UTF-8 replies cannot represent, are always refused. Lengths count code points.
 * @throws Error for an unknown format
 */
export function textCheck(
  schema: TextSchema,
  where: string,
): (text: string) => ValidationFault | undefined {
  const { minLength = 0, maxLength = Infinity, maxEntries = Infinity, nulAllowed = false } = schema;
  const format = schema.format === undefined ? undefined : FORMATS[schema.format];
  if (schema.format !== undefined && !format) {
    throw new Error(`${where}: unknown string format ${schema.format}`);
  }
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, 'u');
  const lengths = lengthCheck(minLength, maxLength);
  return (text) => {
    const dirty = uncleanText(text, nulAllowed);
    if (dirty) return dirty;
    const wrong = lengths(text);
    if (wrong) return wrong;
    if (maxEntries < text.length && entriesIn(text) > maxEntries) {
      return fault(`is too long (limit: ${maxEntries} items)`);
    }
    if (format && !format.test(text)) return fault(format.complaint);
    if (pattern && !pattern.test(text)) return invalid();
    return undefined;
  };
}

/** The fault of a text that must not be stored: NUL or an unpaired surrogate. */
export function uncleanText(text: string, nulAllowed = false): ValidationFault | undefined {
  if (!nulAllowed && text.includes('\0')) return fault('must not contain null bytes');
  if (!text.isWellFormed()) return { at: '', say: () => 'Malformed payload' };
  return undefined;
}

/** Number of entries of a text that separates them by commas or newlines. */
export function entriesIn(text: string): number {
  let count = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === COMMA || code === NEWLINE) count += 1;
  }
  return count;
}

function lengthCheck(min: number, max: number): (text: string) => ValidationFault | undefined {
  return (text) => {
    // A code point takes one or two units: counting is needed only between the two bounds.
    if (text.length >= min * 2 && text.length <= max) return undefined;
    const length = codePoints(text);
    if (min === max && length !== min) {
      return fault(`has incorrect length ${length}; should be ${min}`);
    }
    if (length < min) return fault(min === 1 ? 'cannot be blank' : 'is too short.');
    if (length > max) return fault(`is too long (limit: ${max} characters)`);
    return undefined;
  };
}

function codePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0xdc00 || code > 0xdfff) count++;
  }
  return count;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isWebLink(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
