import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { openRedisStore } from '../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../src/store/redis/url.js';
import { storeContract } from './contract.js';
import { FORMAT } from './fixtures/redis-process.js';
import { openUnderTest } from './fixtures/redis-store.js';
import { freshUrl, NO_REDIS, startPlainRedis, startRedis } from './fixtures/redis-server.js';

/** A server with JSON commands; the tests leave keys of organizations with random names there. */
const jsonUrl = process.env['PARLEY_TEST_REDIS_JSON_URL'] ?? '';

/** How documents are kept on a server. */
async function formatOn(url: string): Promise<string> {
  const store = await openRedisStore(parseRedisUrl(url));
  await store.close();
  return store.documents;
}

function onOneServer(t: Test, title: string, port: number): void {
  storeContract(
    t,
    title,
    openUnderTest(() => freshUrl(port)),
  );
}

if (NO_REDIS !== null) {
  t.pass('on servers of our own', { skip: NO_REDIS });
} else {
  const plain = await startPlainRedis(t);
  const format = await formatOn(freshUrl(plain.port));
  onOneServer(t, `redis, documents as ${format}`, plain.port);
  if (FORMAT === 'json' && format === 'text') {
    const { port } = await startRedis(t);
    void t.test('the server has JSON commands', async (t) => {
      t.equal(await formatOn(freshUrl(port)), 'json');
    });
    onOneServer(t, 'redis, documents as json', port);
  }
}

if (jsonUrl === '') {
  t.pass('on a running server', { skip: 'PARLEY_TEST_REDIS_JSON_URL is not set' });
} else {
  const freshJsonUrl = (): string => {
    const join = jsonUrl.includes('?') ? '&' : '?';
    return `${jsonUrl}${join}organization=test-${randomUUID()}`;
  };
  void t.test('the running server has JSON commands', async (t) => {
    t.equal(await formatOn(freshJsonUrl()), 'json');
  });
  storeContract(t, 'a running redis, documents as json', openUnderTest(freshJsonUrl));
}
