import { FEATURE_LEVEL, ZULIP_VERSION } from '../../../schemas/limits.js';
import type { SchemaVersionsDocument } from '../../../schemas/store/schema-versions-document.js';
import type { Store } from '../../store/port.js';
import {
  currentVersions,
  MIGRATIONS,
  VERSIONS_KEY,
  type Migration,
  versionOf,
} from './migrations.js';
import type { ServerDocument } from '../../../schemas/store/server-document.js';
import type { Transaction } from './transaction.js';

/** Version of Parley itself; raised with every release. */
export const SOFTWARE_VERSION = '0.1.0';

const CURRENT: ServerDocument = {
  zulip_version: ZULIP_VERSION,
  zulip_feature_level: FEATURE_LEVEL,
  software_version: SOFTWARE_VERSION,
};

/**
 * Records the software that serves the organization. When it differs from before, every queue gets a
 * `restart` event (event-queues.md#restart); a restart of the same software emits nothing.
 * @returns whether it is another one than before
 */
export function recordSoftware(tx: Transaction): boolean {
  const former = tx.org.server.get('server');
  if (former && isCurrent(former)) return false;
  tx.org.server.insert(CURRENT);
  if (!former) return false;
  tx.emit(
    'restart',
    { to: 'all' },
    {
      zulip_version: ZULIP_VERSION,
      zulip_merge_base: ZULIP_VERSION,
      zulip_feature_level: FEATURE_LEVEL,
      server_generation: tx.org.site.generation,
    },
  );
  return true;
}

/** Records the document versions in a store without them: a new one, or one from before versions. */
export function recordSchemaVersions(tx: Transaction): void {
  const { schemaVersions } = tx.org;
  if (schemaVersions.size === 0) schemaVersions.insert({ versions: currentVersions() });
}

/** The store was last used by newer software, whose documents this version may misread. */
export class NewerStoreError extends Error {
  constructor(store: string, difference: string) {
    super(
      `${store} was last served by newer software: ${difference}. Serve it with that, or a later ` +
        'version, or restore the backup from before the upgrade. --allow-newer-store on serves it all the same; ' +
        'what newer software added may be lost',
    );
    this.name = 'NewerStoreError';
  }
}

/** @throws NewerStoreError for a store that this software is too old for */
export async function assertNotNewer(
  store: Store,
  migrations: readonly Migration[] = MIGRATIONS,
  software = SOFTWARE_VERSION,
): Promise<void> {
  const keys = [{ collection: 'server', id: 'server' }, VERSIONS_KEY];
  const [server, schema] = await store.getMany(keys);
  const last = (server as ServerDocument | undefined)?.software_version;
  if (last !== undefined && isNewer(last, software)) {
    throw new NewerStoreError(store.description, `Parley ${last}, this is ${software}`);
  }
  const ours = currentVersions(migrations);
  const { versions = {} } = (schema ?? {}) as Partial<SchemaVersionsDocument>;
  for (const [collection, version] of Object.entries(versions)) {
    const known = versionOf(ours, collection);
    if (version <= known) continue;
    const text = `documents of ${collection} have version ${version}, this one knows ${known}`;
    throw new NewerStoreError(store.description, text);
  }
}

/**
 * Whether a follower can read the store: its documents have the versions that this software writes. Where
 * they are older, their leader runs older software, and this one migrates them when it leads.
 */
export async function canFollow(store: Store): Promise<boolean> {
  const [schema] = await store.getMany([VERSIONS_KEY]);
  const { versions, under_way } = (schema ?? {}) as Partial<SchemaVersionsDocument>;
  if (!versions || under_way) return false;
  const ours = currentVersions();
  const names = [...Object.keys(ours), ...Object.keys(versions)];
  return names.every((name) => versionOf(ours, name) === versionOf(versions, name));
}

/** Whether a version such as `0.2.0` comes after another. */
function isNewer(version: string, other: string): boolean {
  const [a, b] = [version, other].map((text) => text.split('.').map(Number));
  for (let i = 0; i < 3; i++) {
    const difference = (a![i] ?? 0) - (b![i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function isCurrent(former: ServerDocument): boolean {
  return (
    former.zulip_version === CURRENT.zulip_version &&
    former.zulip_feature_level === CURRENT.zulip_feature_level &&
    former.software_version === CURRENT.software_version
  );
}
