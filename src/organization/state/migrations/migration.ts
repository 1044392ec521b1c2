import type { SchemaVersionsDocument } from '../../../../schemas/store/schema-versions-document.js';
import type { Document, DocumentKey, Write } from '../../../store/port.js';

/**
 * One step from a version of a collection's documents to the next. Steps are done at the start, before
 * anything is loaded, as journal entries. Entries that were written before keep the documents they show
 * as they were: the shapes of events must go on to understand those.
 */
export interface Migration {
  readonly collection: string;
  /** Version that the documents have afterwards, one more than before; the first version is 1. */
  readonly to: number;
  /** What becomes of a document: the same object where nothing does, null to remove it. */
  readonly migrate: (document: Document, id: string) => Document | null;
}

/** All steps, in the order in which they are done; none is ever removed. */
export const MIGRATIONS: readonly Migration[] = [];

/** Versions by collection; a collection that is not named has version 1. */
export type Versions = Readonly<Record<string, number>>;

/** Where the versions are kept. */
export const VERSIONS_KEY: DocumentKey = { collection: 'schema_versions', id: 'schema_versions' };

/** The versions that this software writes. */
export function currentVersions(migrations: readonly Migration[] = MIGRATIONS): Versions {
  return Object.fromEntries(migrations.map(({ collection, to }) => [collection, to]));
}

/** The write that notes versions, and how far a step has come. */
export function recordVersions(document: SchemaVersionsDocument): Write {
  return { op: 'set', key: VERSIONS_KEY, document: document as unknown as Document };
}
