import { MAX_WIDGET_TEXT_LENGTH } from '../../../../schemas/limits.js';
import { badRequest } from '../../../errors/index.js';
import { invalidCharacterAt } from '../../../services/text/stored-text.js';

/* Checks of what clients send about widgets. They throw ApiError, in the words that clients of the protocol know. */

/** Reads one field. @throws ApiError that names it */
export type Read<T> = (name: string, value: unknown) => T;

type Fields = Readonly<Record<string, Read<unknown>>>;
type Values<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };

/** An object. */
export function anObject(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`${name} is not a dict`);
  }
  return value as Record<string, unknown>;
}

/** An object with these fields and no others; those of `optional` may be missing. */
export function exactly<F extends Fields, O extends Fields = Readonly<Record<never, never>>>(
  fields: F,
  optional?: O,
): Read<Values<F> & Partial<Values<O>>> {
  const all: Fields = { ...fields, ...optional };
  return (name, value) => {
    const given = anObject(name, value);
    const read: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(all)) {
      if (Object.hasOwn(given, key)) read[key] = field(`${name}["${key}"]`, given[key]);
      else if (Object.hasOwn(fields, key)) throw badRequest(`${key} key is missing from ${name}`);
    }
    const strange = Object.keys(given).filter((key) => !Object.hasOwn(all, key));
    if (strange.length > 0) {
      throw badRequest(`Unexpected arguments: ${strange.join(', ').slice(0, 200)}`);
    }
    return read as Values<F> & Partial<Values<O>>;
  };
}

export function aString(name: string, value: unknown): string {
  if (typeof value !== 'string') throw badRequest(`${name} is not a string`);
  return value;
}

/**
 * Text that people read and decide by: it has no invisible characters, and none that change the direction of
 * neighbouring text, such as the names of voters.
 */
export function aText(name: string, value: unknown): string {
  const text = aString(name, value);
  const position = invalidCharacterAt(text, true);
  if (position !== null) throw badRequest(`Invalid character in ${name}, at position ${position}!`);
  if ([...text].length > MAX_WIDGET_TEXT_LENGTH) {
    throw badRequest(`${name} is too long (limit: ${MAX_WIDGET_TEXT_LENGTH} characters)`);
  }
  return text;
}

/** Text with something in it. */
export function aName(name: string, value: unknown): string {
  const text = aText(name, value);
  if (text.trim() === '') throw badRequest(`${name} cannot be blank.`);
  return text;
}

export function aBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw badRequest(`${name} is not a boolean`);
  return value;
}

export function anInteger(name: string, value: unknown): number {
  if (!Number.isInteger(value)) throw badRequest(`${name} is not an integer`);
  return value as number;
}

/** An integer between bounds, which belong to it. */
export function between(low: number, high: number): Read<number> {
  return (name, value) => {
    const number = anInteger(name, value);
    if (number < low || number > high) throw badRequest(`Invalid ${name}`);
    return number;
  };
}

export function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (name, value) => {
    if (!Array.isArray(value)) throw badRequest(`${name} is not a list`);
    return value.map((one, i) => read(`${name}[${i}]`, one));
  };
}
