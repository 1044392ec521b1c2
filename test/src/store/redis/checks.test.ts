import { inspect } from 'node:util';
import t from 'tap';
import { openStore } from '../../../../src/store/open.js';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { freePort } from '../../../../bench/harness/processes/free-port.js';
import {
  freshUrl,
  NO_REDIS,
  startPlainRedis,
  startRedis,
  type RedisServer,
} from '../fixtures/redis-server.js';

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test('names the settings that put data at risk', async (t) => {
    const server = await startRedis(t);
    const warnings = async (): Promise<string[]> => {
      const store = await openStore(freshUrl(server.port));
      await store.close();
      return (store.warnings ?? []).map((warning) => warning.slice(0, warning.indexOf(':')));
    };
    t.same(await warnings(), ['appendonly is no']);
    await server.command('CONFIG', 'SET', 'appendonly', 'yes');
    t.same(await warnings(), ['appendfsync is everysec']);
    await server.command('CONFIG', 'SET', 'appendfsync', 'always');
    t.same(await warnings(), []);
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    t.same(await warnings(), ['maxmemory-policy is allkeys-lru']);
  });

  void t.test('says what it opened, without the password', async (t) => {
    const server = await startRedis(t, '--requirepass', 'sesame');
    const url = (password: string): string =>
      `redis://default:${password}@127.0.0.1:${server.port}/2?organization=acme`;
    const store = await openStore(url('sesame'));
    const place = `redis://127.0.0.1:${server.port}/2?organization=acme`;
    t.equal(store.description.slice(0, place.length), place);
    t.match(store.description, /\((redis|valkey) \d+\.\d+\.\d+, documents as (text|json)\)$/);
    await store.close();
    const refused = await openStore(url('barley')).then(
      () => 'opened',
      (error: unknown) => inspect(error),
    );
    t.match(refused, /Cannot open the store redis:.*WRONGPASS/);
    t.notMatch(refused, /barley|sesame/, 'nor in the causes');
  });

  void t.test('keeps or refuses a store in another format', async (t) => {
    const begun = async (server: RedisServer, format: string): Promise<string> => {
      const url = freshUrl(server.port);
      const { organization } = parseRedisUrl(url);
      await server.command('SET', `parley:{${organization}}:@format`, format);
      return url;
    };
    for (const server of [await startRedis(t), await startPlainRedis(t)]) {
      if (await server.hasJson()) {
        const store = await openStore(await begun(server, '{"format":1,"documents":"text"}'));
        t.match(store.description, /documents as text/, 'kept as they were begun');
        t.match(store.warnings?.at(-1), /^Documents stay JSON text/);
        await store.close();
      } else {
        await t.rejects(openStore(await begun(server, '{"format":1,"documents":"json"}')), {
          message: /The store holds JSON values, and this server has no JSON commands/,
        });
      }
      await t.rejects(openStore(await begun(server, '{"format":3,"documents":"text"}')), {
        message: /The store has format 3, this version reads formats 1 and 2/,
      });
    }
  });

  void t.test('gives up where no server answers', async (t) => {
    const target = parseRedisUrl(`redis://127.0.0.1:${await freePort()}`);
    await t.rejects(openRedisStore(target, { waitMs: 20 }), {
      message: /^Cannot open the store redis:.*Redis is not available: .*ECONNREFUSED/,
    });
  });
}
