import type { SchemaVersionsDocument } from '../../../schemas/store/schema-versions-document.js';
import type { Journal } from '../../journal/journal.js';
import type { Document, Store, Write, DocumentKey } from '../../store/port.js';

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
type Versions = Readonly<Record<string, number>>;

/** Where the versions are kept. */
export const VERSIONS_KEY: DocumentKey = { collection: 'schema_versions', id: 'schema_versions' };

/** The versions that this software writes. */
export function currentVersions(migrations: readonly Migration[] = MIGRATIONS): Versions {
  return Object.fromEntries(migrations.map(({ collection, to }) => [collection, to]));
}

/** The write that notes versions, and how far a step has come. */
function recordVersions(document: SchemaVersionsDocument): Write {
  return { op: 'set', key: VERSIONS_KEY, document: document as unknown as Document };
}

/** Documents per entry: bounds its size, and what a kill loses of the work. */
const BATCH = 256;

/** What a run needs of others. */
interface MigrationParts {
  readonly store: Store;
  readonly journal: Journal;
  /** Told when a step begins. */
  readonly begun: (migration: Migration) => void;
}

/**
 * Brings the documents of every collection to the versions of this software, before they are loaded. Each
 * entry holds some documents and how far the step has come, so that one killed half way goes on there and
 * no document is migrated twice.
 * @throws ApiError 503 when the store fails; a later run goes on
 */
export async function migrate(
  parts: MigrationParts,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  if (migrations.length === 0) return;
  const [found] = await parts.store.getMany([VERSIONS_KEY]);
  // Nothing has been stored yet: what comes will have the current versions.
  if (!found && (await parts.store.lastEntry()) === null) return;
  let state = (found ?? { versions: {} }) as unknown as SchemaVersionsDocument;
  for (const migration of migrations) {
    if (migration.to <= versionOf(state.versions, migration.collection)) continue;
    parts.begun(migration);
    await step(parts, migration, state);
    state = { versions: { ...state.versions, [migration.collection]: migration.to } };
    await commit(parts.journal, [recordVersions(state)]);
  }
}

/** Version of a collection's documents. */
export function versionOf(versions: Versions, collection: string): number {
  return versions[collection] ?? 1;
}

async function step(
  { store, journal }: MigrationParts,
  { collection, to, migrate: change }: Migration,
  { versions, under_way }: SchemaVersionsDocument,
): Promise<void> {
  const isBegun = under_way?.collection === collection && under_way.to === to;
  const from = isBegun ? { after: under_way.after } : {};
  for await (const batch of store.scan(collection, { ...from, batch: BATCH })) {
    const writes: Write[] = [];
    for (const { id, document } of batch) {
      const next = change(document, id);
      if (next !== document) writes.push(writeOf(collection, id, next));
    }
    const after = batch.at(-1)!.id;
    writes.push(recordVersions({ versions, under_way: { collection, to, after } }));
    await commit(journal, writes);
  }
}

function writeOf(collection: string, id: string, document: Document | null): Write {
  const key = { collection, id };
  return document === null ? { op: 'delete', key } : { op: 'set', key, document };
}

async function commit(journal: Journal, writes: readonly Write[]): Promise<void> {
  journal.assertWritable();
  journal.append({ writes, events: [], due: [] });
  await journal.barrier();
}
