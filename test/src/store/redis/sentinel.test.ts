import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import t from 'tap';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { commitOf, entry, scanIds, seqs, set, TTL_MS } from '../contract/under-test.js';
import { NO_REDIS, startRedis, startSentinel } from '../fixtures/redis-server.js';

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test('the master dies, a replica takes over, and the writer goes on', async (t) => {
    const master = await startRedis(t);
    const replica = await startRedis(t, '--replicaof', `127.0.0.1 ${master.port}`);
    const sentinel = await startSentinel(t, 'chat', master.port);
    const target = parseRedisUrl(`redis+sentinel://127.0.0.1:${sentinel.port}/chat`);
    const store = await openRedisStore(target, { waitMs: 30_000 });
    t.teardown(() => store.close());
    await sentinel.knows(replica.port);
    await replica.says(/sync: Finished with success/);
    const replicated = replica.command(
      'XREAD',
      'BLOCK',
      '0',
      'STREAMS',
      'parley:{main}:@journal',
      '0',
    );
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const put = (seq: number): Promise<void> =>
      store.commit(
        lease,
        commitOf({ entries: [entry(seq)], writes: [set('users', String(seq), { seq })] }),
      );
    await put(1);
    // Both servers have it now.
    await replicated;
    const lineage = await store.lineage!();
    await master.kill();
    await Promise.all([put(2), put(3)]);
    t.match(await replica.command('ROLE'), ['master']);
    t.not(await store.lineage!(), lineage, 'what was read before may be lost');
    t.same(
      [await seqs(store), await scanIds(store, 'users')],
      [
        [1, 2, 3],
        ['1', '2', '3'],
      ],
    );
  });

  void t.test('the first Sentinel of the list says nothing: another is asked', async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    t.teardown(() => silent.close());
    await once(silent, 'listening');
    const master = await startRedis(t);
    const sentinel = await startSentinel(t, 'chat', master.port);
    const { port } = silent.address() as AddressInfo;
    const addresses = [port, sentinel.port].map((one) => `127.0.0.1:${one}`).join();
    const target = parseRedisUrl(`redis+sentinel://${addresses}/chat`);
    const store = await openRedisStore(target, { replyMs: 2000, waitMs: 2000 });
    t.teardown(() => store.close());
    t.ok(await store.acquireLease('writer', TTL_MS));
  });
}
