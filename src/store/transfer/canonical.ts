import type { JsonValue } from '../port.js';

/**
 * JSON text that is the same for equal values: the fields of objects in the order of their names, by
 * UTF-16 units. Stores need not keep the order of fields, and two exports should compare byte by byte.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) {
    let text = '';
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  let text = '';
  for (const name of Object.keys(value).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(value[name]!)}`;
  }
  return `{${text}}`;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
