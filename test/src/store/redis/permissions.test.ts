/** Users of Redis that may not run all commands. */
import t, { type Test } from 'tap';
import { StoreUnavailableError } from '../../../../src/store/port.js';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { commitOf, entry, one, scanIds, seqs, set, TTL_MS } from '../contract/under-test.js';
import { freshUrl, NO_REDIS, startRedis, type RedisServer } from '../fixtures/redis-server.js';

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const open = async (t: Test, server: RedisServer, ...rules: string[]) => {
    await server.command('ACL', 'SETUSER', 'app', 'on', '>sesame', '~parley:*', '+@all', ...rules);
    const url = freshUrl(server.port).replace('//', '//app:sesame@');
    const store = await openRedisStore(parseRedisUrl(url), { waitMs: 2000 });
    t.teardown(() => store.close());
    return store;
  };
  const commit = (seq: number) =>
    commitOf({ entries: [entry(seq)], writes: [set('users', String(seq), { seq })] });

  void t.test(
    'a user without `client` and without commands for administrators is enough',
    async (t) => {
      const server = await startRedis(t);
      const store = await open(t, server, '-@admin', '-@dangerous', '-client', '+info');
      const lease = (await store.acquireLease('a', TTL_MS))!;
      await store.commit(lease, commit(1));
      t.same(await seqs(store), [1]);
      t.match(store.warnings, [/^appendonly is no/]);
    },
  );

  void t.test('a command that is no longer allowed is named, and missed until it is', async (t) => {
    const server = await startRedis(t);
    const store = await open(t, server);
    const lease = (await store.acquireLease('a', TTL_MS))!;
    await store.commit(lease, commit(1));
    const followed: number[] = [];
    const end = new AbortController();
    const following = (async () => {
      for await (const entries of store.follow(0, end.signal)) {
        for (const { seq } of entries) followed.push(seq);
        if (followed.includes(2)) return;
      }
    })();
    const read = store.documents === 'json' ? 'json.mget' : 'mget';
    const names = ['xrange', 'xread', 'xrevrange', 'zrangebyscore', read];
    await server.command('ACL', 'SETUSER', 'app', ...names.map((name) => `-${name}`));
    const refused = async (read: Promise<unknown>, name: string): Promise<void> => {
      const error = await read.then(
        () => null,
        (cause: unknown) => cause,
      );
      t.ok(error instanceof StoreUnavailableError, `${name}: 503`);
      t.match(error, { message: new RegExp(`NOPERM .*'${name}' command`, 'i') });
    };
    await refused(store.readJournal(1, 1, 1), 'xrange');
    await refused(store.lastEntry(), 'xrevrange');
    await refused(store.getMany([{ collection: 'users', id: '1' }]), read);
    await refused(scanIds(store, 'users'), 'zrangebyscore');
    await server.command('ACL', 'SETUSER', 'app', '-hmget');
    await t.rejects(store.renewLease(lease, TTL_MS), StoreUnavailableError, 'within a script');
    await server.command('ACL', 'SETUSER', 'app', '+@all');
    await store.commit(lease, commit(2));
    t.same(await seqs(store), [1, 2]);
    await following;
    t.same(followed, [1, 2], 'a follower goes on, too');
    end.abort();
  });

  void t.test('a commit is refused whole where one of its commands is not allowed', async (t) => {
    const server = await startRedis(t);
    const store = await open(t, server);
    const lease = (await store.acquireLease('a', TTL_MS))!;
    const change = (seq: number) => {
      const writes = [
        set('users', 'all', { seq }),
        set('users', String(seq), { seq }),
        { op: 'delete', key: { collection: 'users', id: String(seq - 1) } } as const,
      ];
      return commitOf({ entries: [entry(seq)], writes });
    };
    await store.commit(lease, change(1));
    const documents = store.documents === 'json' ? 'json.set' : 'mset';
    const needed = ['xadd', documents, 'unlink', 'zadd', 'zrem', 'zcard', 'hexists', 'hincrby'];
    let last = 1;
    for (const name of [...needed, 'hset']) {
      await server.command('ACL', 'SETUSER', 'app', `-${name}`);
      await t.rejects(store.commit(lease, change(last + 1)), {
        message: `Redis refused the commit: NOPERM this user has no permissions to run the '${name}' command`,
      });
      await server.command('ACL', 'SETUSER', 'app', '+@all');
      t.equal((await store.lastEntry())?.seq, last, `without ${name}: no entry`);
      t.same(await scanIds(store, 'users'), [String(last), 'all'], 'no document');
      t.same(await one(store, 'users', 'all'), { seq: last });
      last += 1;
      await store.commit(lease, change(last));
    }
    t.same(await seqs(store), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'and goes on when it is');
  });

  void t.test('a first start under a user that may do nothing says so', async (t) => {
    const server = await startRedis(t);
    const error = await open(t, server, '-@all').catch((cause: Error) => cause);
    t.match(error, { message: /^Cannot open the store redis:.*NOPERM .*'info' command/ });
    t.notOk((error as Error).cause instanceof StoreUnavailableError, 'it need not wait');
  });
}
