import t from 'tap';
import { storeContract } from './contract.js';
import { freshUrl, NO_REDIS, startRedis } from './fixtures/redis-server.js';
import { openUnderTest } from './fixtures/redis-store.js';

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const master = await startRedis(t);
  const replica = await startRedis(t, '--replicaof', `127.0.0.1 ${master.port}`);
  await replica.says(/sync: Finished with success/);
  storeContract(
    t,
    'redis, with a replica that must have each commit',
    openUnderTest(() => freshUrl(master.port), { replicas: 1 }),
  );
}
