import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import t from 'tap';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { commitOf, one, set, TTL_MS } from '../contract/under-test.js';
import { NO_REDIS, startRedis } from '../fixtures/redis-server.js';

/** A server with JSON commands; the tests leave keys of organizations with random names there. */
const url = process.env['PARLEY_TEST_REDIS_JSON_URL'] || (await ownServer());

/** Also a server that the tests start may have them. */
async function ownServer(): Promise<string> {
  if (NO_REDIS !== null) return '';
  const server = await startRedis(t);
  return (await server.hasJson()) ? `redis://127.0.0.1:${server.port}` : '';
}

if (url === '') {
  t.pass('documents are JSON values', { skip: 'no server with JSON commands' });
} else {
  void t.test('documents are JSON values, partly updated in place', async (t) => {
    const organization = `test-${randomUUID()}`;
    const option = `${url.includes('?') ? '&' : '?'}organization=${organization}`;
    const target = parseRedisUrl(url + option);
    const store = await openRedisStore(target);
    const operator = createClient({ url });
    await operator.connect();
    t.teardown(async () => {
      operator.destroy();
      await store.close();
    });
    t.equal(store.documents, 'json');
    const key = { collection: 'users', id: '4' };
    const name = `parley:{${organization}}:users:4`;
    const pad = 'x'.repeat(80);
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const put = (...writes: Parameters<typeof commitOf>[0]['writes'] & object): Promise<void> =>
      store.commit(lease, commitOf({ writes }));

    const shown = async (): Promise<unknown> => {
      const { _checksum, ...rest } = (await operator.json.get(name)) as Record<string, unknown>;
      t.match(_checksum, /^[0-9a-f]{8}$/);
      return rest;
    };

    await put({ op: 'merge', key, fields: { n: 1 }, document: { n: 1, pad } });
    t.same(await shown(), { n: 1, pad }, 'a merge into nothing writes the whole');
    await put({
      op: 'merge',
      key,
      fields: { n: null, list: [1] },
      document: { n: null, pad, list: [1] },
    });
    t.same(await shown(), { n: null, pad, list: [1] }, 'null is a value');
    t.same(await one(store, 'users', '4'), { n: null, pad, list: [1] }, 'the checksum fits');
    await operator.json.set(name, '$.seen', 'by an operator');
    const n = 'half \ud800';
    await put({ op: 'merge', key, fields: { n }, document: { n, pad, list: [1] } });
    t.match(await shown(), { seen: 'by an operator' }, 'a merge touches its fields only');
    await t.rejects(one(store, 'users', '4'), { name: 'DamagedError', subject: 'users:4' });
    await put(set('users', '4', { n }));
    t.same(await one(store, 'users', '4'), { n });
    await put(set('users', '4', { n: 2 }));
    t.same(await shown(), { n: 2 });
    // RedisJSON 8.0.8 reads 0.42633530310615275 as 0.4263353031061527, for one.
    const numbers = [0.42633530310615275, 2 ** 63, 1e22, 5e-324, 4.35, 1e-6, 2 ** 53 - 1, -1, 0];
    await put(set('users', '4', { numbers }));
    t.same(await one(store, 'users', '4'), { numbers }, 'read back as they were');
    await put({ op: 'merge', key, fields: { n: 1 / 3 }, document: { n: 1 / 3, numbers } });
    t.same(await one(store, 'users', '4'), { n: 1 / 3, numbers });
    await put(set('users', '4', { n: 2 }));
    await operator.set(`parley:{${organization}}:users:5`, 'in the way');
    await t.rejects(put(set('users', '4', { n: 3 }), set('users', '5', {})), {
      message: `Redis refused the commit: TYPE parley:{${organization}}:users:5`,
    });
    t.same(await one(store, 'users', '4'), { n: 2 }, 'refused before the first write');
  });
}
