import type { SchemaVersionsDocument } from '../../../schemas/store/schema-versions-document.js';
import { scheduledToSnapshot } from './scheduled/scheduled-migration.js';
import { queueToSnapshot, queueWithoutDeadline } from './queue-documents.js';
import type { Journal } from '../../journal/journal.js';
import type { Document, Store, Write, DocumentKey } from '../../store/port.js';
import { scanApart } from '../../store/scan-apart.js';

/**
 * One step from a version of a collection's documents to the next. Steps run at the start, before anything
 * is loaded, as journal entries. Earlier entries keep the documents of their events as they were: event
 * renderers must continue to understand those.
 */
export interface Migration {
  readonly collection: string;
  /** Version of the documents afterwards, one more than before; the first version is 1. */
  readonly to: number;
  /** Converts a document: the same object where nothing changes, null to delete it. */
  readonly migrate: (document: Document, id: string) => Document | null;
}

/** All steps in their order; none is ever removed. */
export const MIGRATIONS: readonly Migration[] = [
  { collection: 'scheduled_message', to: 2, migrate: scheduledToSnapshot },
  { collection: 'reminder', to: 2, migrate: scheduledToSnapshot },
  { collection: 'queue', to: 2, migrate: queueToSnapshot },
  { collection: 'queue', to: 3, migrate: queueWithoutDeadline },
  // The documents stay: the term itself says from where event ids count, and the version keeps older software away, whose
  // ids are others.
  { collection: 'history', to: 2, migrate: (document) => document },
];

/** Versions by collection; a collection that is not named has version 1. */
type Versions = Readonly<Record<string, number>>;

/** Key of the document with the versions. */
export const VERSIONS_KEY: DocumentKey = { collection: 'schema_versions', id: 'schema_versions' };

/** The versions that this software writes. */
export function currentVersions(migrations: readonly Migration[] = MIGRATIONS): Versions {
  return Object.fromEntries(migrations.map(({ collection, to }) => [collection, to]));
}

/** The write of the versions and of the progress of a step. */
function recordVersions(document: SchemaVersionsDocument): Write {
  return { op: 'set', key: VERSIONS_KEY, document };
}

/** Documents per entry: bounds its size and the work that a crash loses. */
const BATCH = 256;

/** Dependencies of a migration run. */
interface MigrationParts {
  readonly store: Store;
  readonly journal: Journal;
  /** Called when a step begins. */
  readonly begun: (migration: Migration) => void;
}

/**
 * Migrates the documents of every collection to the versions of this software, before they are loaded. Each
 * entry has some documents and the progress of the step, so that an interrupted step continues there and no
 * document is migrated twice.
 * @throws ApiError 503 when the store fails; a later run continues
 */
export async function migrate(
  parts: MigrationParts,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  if (migrations.length === 0) return;
  const [found] = await parts.store.getMany([VERSIONS_KEY]);
  // An empty store: its documents will have the current versions.
  if (!found && (await parts.store.lastEntry()) === null) return;
  let state = (found ?? { versions: {} }) as SchemaVersionsDocument;
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
  // What is damaged stays as it is: whoever loads it refuses it, or sets it aside.
  const damaged = (): void => undefined;
  for await (const batch of scanApart(store, collection, damaged, { ...from, batch: BATCH })) {
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
