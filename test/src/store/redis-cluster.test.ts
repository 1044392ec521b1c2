import t from 'tap';
import { storeContract } from './contract.js';
import { openUnderTest } from './fixtures/redis-store.js';
import { freshUrl, NO_REDIS, startCluster } from './fixtures/redis-server.js';

// A node of a Cluster refuses commands and scripts whose keys are not all in one slot.
if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const server = await startCluster(t);
  storeContract(
    t,
    'redis cluster',
    openUnderTest(() => freshUrl(server.port, 'redis+cluster')),
  );
}
