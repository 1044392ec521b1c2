import { randomUUID } from 'node:crypto';
import t from 'tap';
import { openRedisStore } from '../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../src/store/redis/url.js';
import { storeContract } from './contract.js';
import { openUnderTest } from './fixtures/redis-store.js';
import { freshUrl, NO_REDIS, startRedis } from './fixtures/redis-server.js';

/** A server with JSON commands; the tests leave keys of organizations with random names there. */
const jsonUrl = process.env['PARLEY_TEST_REDIS_JSON_URL'] ?? '';

if (NO_REDIS !== null) {
  t.pass('on a server of our own', { skip: NO_REDIS });
} else {
  const server = await startRedis(t);
  storeContract(
    t,
    (await server.hasJson()) ? 'redis of our own, JSON values' : 'redis, documents as text',
    openUnderTest(() => freshUrl(server.port)),
  );
}

if (jsonUrl === '') {
  t.pass('on a server with JSON commands', { skip: 'PARLEY_TEST_REDIS_JSON_URL is not set' });
} else {
  const freshJsonUrl = (): string => {
    const join = jsonUrl.includes('?') ? '&' : '?';
    return `${jsonUrl}${join}organization=test-${randomUUID()}`;
  };
  void t.test('the server has JSON commands', async (t) => {
    const store = await openRedisStore(parseRedisUrl(freshJsonUrl()));
    t.equal(store.documents, 'json');
    await store.close();
  });
  storeContract(t, 'redis, documents as JSON values', openUnderTest(freshJsonUrl));
}
