import t from 'tap';
import {
  migrate,
  MIGRATIONS,
  VERSIONS_KEY,
} from '../../../../src/organization/state/migrations.js';
import { storedFault } from '../../../../src/organization/state/stored-fault.js';
import { queueWithoutDeadline } from '../../../../src/organization/state/queue-documents.js';
import { assertNotNewer } from '../../../../src/organization/state/software.js';
import { DamagedError, type Document } from '../../../../src/store/port.js';
import { CoreNode, PLAIN_FILTER } from '../../../fixtures/core-node.js';
import { storeWith } from '../../../fixtures/gated-store.js';

/** A queue of each version of its document that there was. */
const CONTEXT = { queue_id: 'q', user_id: 1, since: 5, idle_timeout_ms: 600_000 };
const TRAITS = { traits: PLAIN_FILTER };
const VERSIONS: readonly Document[] = [
  { ...CONTEXT, ...TRAITS, actor: { context: { deadline: 9 } } },
  {
    ...{ machine: 'event-queue', version: 3, value: 'live' },
    context: { ...CONTEXT, ...TRAITS, deadline: 9 },
  },
  { machine: 'event-queue', version: 4, value: 'live', context: { ...CONTEXT, ...TRAITS } },
] as unknown as Document[];

/** A node on whose store an older version left queues. */
async function older(documents: Readonly<Record<string, string>>, version: number) {
  const node = await CoreNode.start();
  const { collections } = node.memory;
  await node.found();
  collections.set('queue', new Map(Object.entries(documents)));
  const versions = { versions: { scheduled_message: 2, reminder: 2, queue: version } };
  collections.set('schema_versions', new Map([['schema_versions', JSON.stringify(versions)]]));
  return node;
}

for (const [place, document] of VERSIONS.entries()) {
  void t.test(`a queue of version ${place + 1} goes on, and is stored as it is now`, async (t) => {
    t.equal(storedFault('queue', 'q', document), null, 'verify calls it no damage');
    const node = await older({ q: JSON.stringify(document) }, place + 1);
    const { store } = node.gate;
    await migrate({ store, journal: node.journal, begun: () => undefined });
    t.strictSame((await store.getMany([{ collection: 'queue', id: 'q' }]))[0], VERSIONS[2]);
    const [versions] = await store.getMany([VERSIONS_KEY]);
    t.match(versions, { versions: { queue: 3 } });
    const next = await node.restart();
    t.match(next.queues.find('q', 1), { hasEnded: false, since: 5, idleTimeoutMs: 600_000 });
  });
}

void t.test('older software refuses what this one has migrated', async (t) => {
  const node = await older({}, 3);
  const former = MIGRATIONS.filter(({ migrate: step }) => step !== queueWithoutDeadline);
  await t.rejects(assertNotNewer(node.gate.store, former), {
    name: 'NewerStoreError',
    message: /documents of queue have version 3, this one knows 2/,
  });
});

void t.test('a damaged queue of an older store keeps no start away', async (t) => {
  const sound = JSON.stringify(VERSIONS[1]);
  const named = (id: string): string => sound.replace('"q"', `"${id}"`);
  const texts = { a: named('a'), b: named('b'), c: '{"version":3,"context":7}', q: sound };
  const node = await older(texts, 2);
  const { store } = node.gate;
  const damaged = storeWith(store, {
    async *scan(collection, options) {
      for await (const batch of store.scan(collection, options)) {
        if (batch.some(({ id }) => id === 'a')) {
          throw new DamagedError('memory', 'queue:a', 'its checksum differs');
        }
        yield batch;
      }
    },
  });
  await migrate({ store: damaged, journal: node.journal, begun: () => undefined });
  const next = await node.restart();
  t.same([...next.queues.all()].map(({ queueId }) => queueId).sort(), ['b', 'q']);
  t.equal(next.org.setAside.size, 2, 'they are set aside');
});
