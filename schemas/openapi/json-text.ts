import type { Json } from './json-schema.js';

/** Objects within objects that are encoded member by member: down to each operation, and each shared schema. */
const DEPTH = 3;

/** `JSON.stringify` of a large object, for a server that has other work meanwhile: it may stop where this yields. */
export function* jsonInParts(object: Json, depth = DEPTH): Generator<void, string> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const text =
      depth > 1 && isObject(value) ? yield* jsonInParts(value, depth - 1) : JSON.stringify(value);
    members.push(`${JSON.stringify(name)}:${text}`);
    yield;
  }
  return `{${members.join(',')}}`;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
