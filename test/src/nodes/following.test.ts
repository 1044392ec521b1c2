import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Witness } from '../../../src/nodes/history/witness.js';
import { Following } from '../../../src/nodes/following.js';
import type { OrganizationService } from '../../../src/nodes/service/organization-service.js';
import { IndexFile } from '../../../src/organization/state/message-index/index-file.js';
import { createMemoryStore, type Memory } from '../../../src/store/memory.js';
import { StoreUnavailableError, type Store } from '../../../src/store/port.js';
import { CoreNode } from '../../fixtures/core-node.js';
import { storeWith } from '../../fixtures/gated-store.js';
import { testFolder } from '../../fixtures/test-folder.js';

type Contents = Pick<Memory, 'collections' | 'journal'>;

/** Puts other contents in the place of what a memory has. */
function replace(memory: Memory, { collections, journal }: Contents): void {
  memory.collections.clear();
  for (const [name, documents] of collections) memory.collections.set(name, new Map(documents));
  memory.journal.clear();
  for (const [seq, text] of journal) memory.journal.set(seq, text);
}

/** A store of which the leader has changed a name and then others, and which a replica without the first takes over. */
async function lagging() {
  const leader = await CoreNode.start();
  await leader.found();
  const user = leader.addUser('hal@example.com');
  await leader.journal.barrier();
  const { memory } = leader;
  const replica = structuredClone({ collections: memory.collections, journal: memory.journal });
  leader.runtime.transact((tx) => tx.org.users.update(user.user_id, { full_name: 'Lost' }));
  await leader.journal.barrier();
  let servers = 1;
  const failOver = (): void => {
    // Somebody leads there, who has never heard of the change: the journal comes as far again.
    const seq = [...memory.journal.keys()].at(-1)!;
    replace(memory, replica);
    memory.journal.set(seq, JSON.stringify({ at: 0, changes: [], events: [] }));
    servers++;
  };
  const inner = createMemoryStore(memory);
  const lineage: Store['lineage'] = async () => `server ${servers}`;
  return { inner, lineage, user, failOver };
}

/** A node that loads what a store has. */
async function loader(t: Test, store: Store) {
  const { org, queues, runtime } = await CoreNode.start();
  const path = join(testFolder(t), 'witness');
  const witness = await Witness.load(path, (error) => t.fail(String(error)));
  const indexFile = new IndexFile(null, store, () => undefined);
  const served = { org, queues, runtime } as Partial<OrganizationService> as OrganizationService;
  const following = new Following(
    { store, indexFile, besideStore: false, witness },
    served,
    () => undefined,
  );
  t.teardown(() => following.stop());
  return { org, load: () => following.load(() => undefined) };
}

void t.test('a load that a failover falls into is no state of any store', async (t) => {
  const { inner, lineage, user, failOver } = await lagging();
  let hasFailed = false;
  const store = storeWith(inner, {
    lineage,
    scan: async function* (collection, options) {
      yield* inner.scan(collection, options);
      if (collection === 'user' && !hasFailed) {
        hasFailed = true;
        failOver();
      }
    },
  });
  const first = await loader(t, store);
  await t.rejects(first.load(), StoreUnavailableError);
  t.equal(first.org.users.get(user.user_id)!.full_name, 'Lost', 'it would have what nobody has');
  const second = await loader(t, store);
  await second.load();
  t.equal(second.org.users.get(user.user_id)!.full_name, 'hal');
});
