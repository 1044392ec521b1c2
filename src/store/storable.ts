/**
 * What a document may hold: the same for all stores, decided by the strictest, RedisJSON. The transaction that makes a
 * document checks it before its entry is appended (`organization/state/collection.ts`), so that a document that cannot
 * be kept refuses its own request and nothing else; every adapter checks once more what comes to it on other ways, as
 * by an import.
 */
import { CHECKSUM_FIELD } from './checksum.js';
import type { Document, Write } from './port.js';

/**
 * Deepest nesting of a document: RedisJSON and Valkey's module refuse more than 128 levels, and a commit script may not
 * fail half way through.
 */
const MAX_DEPTH = 100;

/**
 * Most text of one commit, in UTF-16 units, and so of one document and one entry: Redis servers take a quarter of a
 * gigabyte and more in one command.
 */
export const MAX_COMMIT_TEXT = 64 * 1024 * 1024;

/** A document that no store keeps as it is. */
export class UnstorableError extends Error {
  /** @param fault what is wrong with the document, as a phrase after its name */
  constructor({ collection, id }: Write['key'], fault: string) {
    super(`The document ${collection}:${id.slice(0, 80)} ${fault}`);
    this.name = 'UnstorableError';
  }
}

/** Why a document cannot be kept, as a phrase after its name; null for one that can. */
export function storableFault(document: Document): string | null {
  if (CHECKSUM_FIELD in document) return `has a field named ${CHECKSUM_FIELD}`;
  return valueFault(document, MAX_DEPTH);
}

/**
 * The first write that brings something that cannot be kept. Of a partial update only the fields that it brings are
 * looked at, and once where many writes bring the same, as a change of many messages does.
 */
export function unstorable(writes: readonly Write[]): UnstorableError | null {
  let last: Document | undefined;
  for (const write of writes) {
    if (write.op === 'delete') continue;
    const brought = write.op === 'set' ? write.document : write.fields;
    if (brought === last) continue;
    last = brought;
    const fault = storableFault(brought) ?? (write.op === 'merge' ? absenceIn(brought) : null);
    if (fault !== null) return new UnstorableError(write.key, fault);
  }
  return null;
}

/** Why fields cannot be merged into a document: no entry and no store says that a field is to go. */
function absenceIn(fields: Document): string | null {
  for (const name in fields) {
    if (fields[name] === undefined) return `has no value for ${name}`;
  }
  return null;
}

/** @param depth how many levels of lists and objects there may be */
function valueFault(value: unknown, depth: number): string | null {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? null : `has the number ${value}`;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return `nests more than ${MAX_DEPTH} levels`;
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = typeof item === 'string' ? null : valueFault(item, depth - 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  for (const name in value) {
    const inner = (value as Readonly<Record<string, unknown>>)[name];
    const fault = typeof inner === 'string' ? null : valueFault(inner, depth - 1);
    if (fault !== null) return fault;
  }
  return null;
}
