import type { Document, Write } from '../../store/port.js';

/** A write of a whole document. */
export function set(collection: string, id: string, document: object): Write {
  return { op: 'set', key: { collection, id }, document: document as Document };
}
