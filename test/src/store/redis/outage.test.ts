import { createClient } from 'redis';
import t, { type Test } from 'tap';
import { StoreUnavailableError, TrimmedError } from '../../../../src/store/port.js';
import { openRedisStore, type RedisStoreOptions } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { FencedError } from '../../../../src/store/port.js';
import { commitOf, entry, one, scanIds, seqs, set, TTL_MS } from '../contract/under-test.js';
import { freePort } from '../../../../bench/harness/processes/free-port.js';
import {
  freshUrl,
  NO_REDIS,
  startCluster,
  startRedis,
  type RedisServer,
} from '../fixtures/redis-server.js';

async function openWriter(t: Test, server: RedisServer, options: RedisStoreOptions = {}) {
  const target = parseRedisUrl(freshUrl(server.port));
  const store = await openRedisStore(target, options);
  t.teardown(() => store.close());
  const lease = (await store.acquireLease('writer', TTL_MS))!;
  const put = (seq: number): Promise<void> => {
    const writes = [set('users', String(seq), { seq })];
    return store.commit(lease, commitOf({ entries: [entry(seq)], writes }));
  };
  const key = (name: string): string => `parley:{${target.organization}}:${name}`;
  return { target, store, lease, put, key };
}

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test('a server that forgot the scripts is given them again', async (t) => {
    const server = await startRedis(t);
    const { put, store } = await openWriter(t, server);
    await put(1);
    await server.command('SCRIPT', 'FLUSH');
    await Promise.all([put(2), put(3)]);
    await server.command('SCRIPT', 'FLUSH');
    await store.trimJournal(2);
    t.same(await seqs(store), [2, 3]);
  });

  void t.test('a paused server is waited for, up to a bound', async (t) => {
    const server = await startRedis(t);
    const { put, store } = await openWriter(t, server, { replyMs: 400, waitMs: 1200 });
    await server.command('CLIENT', 'PAUSE', '60', 'ALL');
    await put(1);
    await server.command('CLIENT', 'PAUSE', '100000', 'WRITE');
    const results = await Promise.allSettled([put(2), put(3)]);
    t.same(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await server.command('CLIENT', 'UNPAUSE');
    await Promise.all([put(2), put(3)]);
    t.same(await seqs(store), [1, 2, 3]);
  });

  void t.test('out of memory: refused whole, and goes on when there is room', async (t) => {
    const server = await startRedis(t);
    const { put, store } = await openWriter(t, server);
    await put(1);
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    await t.rejects(put(2), { message: /Redis refused the commit: OOM/ });
    t.same([await seqs(store), await scanIds(store, 'users')], [[1], ['1']]);
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await put(2);
    t.same(
      [await seqs(store), await scanIds(store, 'users')],
      [
        [1, 2],
        ['1', '2'],
      ],
    );
  });

  void t.test('a password is changed: unavailable until it fits again', async (t) => {
    const server = await startRedis(t);
    const { put, store, lease } = await openWriter(t, server, { waitMs: 30 });
    await put(1);
    await server.command('ACL', 'SETUSER', 'test', 'on', '>test', '+@all', '~*');
    const administer = async (...command: string[]): Promise<void> => {
      const client = createClient({
        url: `redis://test:test@127.0.0.1:${server.port}`,
      });
      await client.connect();
      await client.sendCommand(command);
      client.destroy();
    };
    await administer('CONFIG', 'SET', 'requirepass', 'new');
    await administer('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await t.rejects(put(2));
    await t.rejects(store.lastEntry(), StoreUnavailableError, 'no fault of the server: 503');
    await t.rejects(store.renewLease(lease, TTL_MS), StoreUnavailableError);
    const target = parseRedisUrl(freshUrl(server.port));
    const refused = await openRedisStore(target).catch((error: Error) => error);
    t.match(refused, { message: /NOAUTH/ });
    t.notOk((refused as Error).cause instanceof StoreUnavailableError, 'a start need not wait');
    await administer('CONFIG', 'SET', 'requirepass', '');
    await put(2);
    t.same(await seqs(store), [1, 2]);
  });

  void t.test(
    'a store is not opened on a server that takes no writes, and may be later',
    async (t) => {
      const server = await startRedis(t);
      const target = parseRedisUrl(freshUrl(server.port));
      for (const [setting, on, off, reason] of [
        ['maxmemory', '1', '0', /OOM/],
        ['min-replicas-to-write', '1', '0', /NOREPLICAS/],
      ] as const) {
        await server.command('CONFIG', 'SET', setting, on);
        const error = await openRedisStore(target).catch((cause: Error) => cause);
        t.match(error, { message: reason });
        t.ok((error as Error).cause instanceof StoreUnavailableError, 'waiting may help');
        await server.command('CONFIG', 'SET', setting, off);
      }
      await (await openRedisStore(target)).close();
    },
  );

  void t.test('why none of several nodes would do is told', async (t) => {
    const server = await startRedis(t);
    for (const [scheme, path, reason] of [
      ['redis+cluster', '', /cluster support disabled/],
      ['redis+sentinel', '/chat', /unknown command '?`?SENTINEL/i],
    ] as const) {
      const target = parseRedisUrl(`${scheme}://127.0.0.1:${server.port}${path}`);
      const error = await openRedisStore(target).catch((cause: Error) => cause);
      t.match(error, { message: reason });
      t.notOk((error as Error).cause instanceof StoreUnavailableError, 'a start need not wait');
    }
    const port = await freePort();
    const target = parseRedisUrl(`redis+cluster://127.0.0.1:${port}`);
    const error = await openRedisStore(target, { waitMs: 30 }).catch((cause: Error) => cause);
    t.match(error, { message: /ECONNREFUSED/ });
    t.ok((error as Error).cause instanceof StoreUnavailableError);
  });

  void t.test('a read-only replica is waited for until it is promoted', async (t) => {
    const server = await startRedis(t);
    const { put, store } = await openWriter(t, server);
    await put(1);
    await server.command('REPLICAOF', '127.0.0.1', String(server.port));
    const waiting = put(2);
    await t.rejects(server.command('SET', 'x', '1'), { message: /READONLY/ });
    await server.command('REPLICAOF', 'NO', 'ONE');
    await waiting;
    t.same(await seqs(store), [1, 2]);
  });

  void t.test('a read-only replica is waited for no longer than the bound', async (t) => {
    const server = await startRedis(t);
    const { put } = await openWriter(t, server, { waitMs: 30 });
    await server.command('REPLICAOF', '127.0.0.1', String(server.port));
    await t.rejects(put(1), { name: 'StoreUnavailableError', message: /READONLY/ });
    await server.command('REPLICAOF', 'NO', 'ONE');
    await put(1);
  });

  void t.test('a key of another type: refused by its name, with nothing written', async (t) => {
    const server = await startRedis(t);
    const { put, store, key } = await openWriter(t, server);
    await put(1);
    await server.command('RENAME', key('@numbers:users'), 'aside');
    await server.command('SET', key('@numbers:users'), 'x');
    await t.rejects(put(2), { message: `Redis refused the commit: TYPE ${key('@numbers:users')}` });
    await server.command('RENAME', 'aside', key('@numbers:users'));
    t.same(await seqs(store), [1]);
    t.equal(await one(store, 'users', '2'), undefined);
    await put(2);
    t.same(await scanIds(store, 'users'), ['1', '2']);
  });

  void t.test('killed connections are replaced, also that of a follower', async (t) => {
    const server = await startRedis(t);
    const { put, store } = await openWriter(t, server);
    const end = new AbortController();
    const follower = store.follow(0, end.signal)[Symbol.asyncIterator]();
    await put(1);
    t.same((await follower.next()).value, [entry(1)]);
    const next = follower.next();
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await put(2);
    t.same((await next).value, [entry(2)]);
    end.abort();
  });

  void t.test('reads and leases wait for an absent server, up to a bound', async (t) => {
    const server = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const { put, store, lease } = await openWriter(t, server, { waitMs: 30 });
    await put(1);
    await server.kill();
    await t.rejects(store.lastEntry(), StoreUnavailableError);
    await t.rejects(store.getMany([{ collection: 'users', id: '1' }]), StoreUnavailableError);
    await t.rejects(store.renewLease(lease, TTL_MS), StoreUnavailableError);
    await t.rejects(put(2), StoreUnavailableError);
    await server.start();
    t.same(await store.lastEntry(), entry(1));
    await put(2);
    await store.renewLease(lease, TTL_MS);
  });

  void t.test('a follower does not go on in a journal that was begun anew', async (t) => {
    const server = await startRedis(t);
    const { put, store, target } = await openWriter(t, server);
    const end = new AbortController();
    const follower = store.follow(0, end.signal)[Symbol.asyncIterator]();
    await put(1);
    await put(2);
    t.same((await follower.next()).value, [entry(1), entry(2)]);
    await server.command('FLUSHALL');
    const other = await openRedisStore(target);
    t.teardown(() => other.close());
    const lease = (await other.acquireLease('other', TTL_MS))!;
    const others = [1, 2, 3].map((seq) => entry(seq, `"other ${seq}"`));
    await other.commit(lease, commitOf({ entries: others }));
    await t.rejects(follower.next(), TrimmedError);
    end.abort();
  });

  void t.test('a follower outlasts an absence of any length', async (t) => {
    const server = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const { put, store } = await openWriter(t, server, { waitMs: 30 });
    const end = new AbortController();
    const follower = store.follow(0, end.signal)[Symbol.asyncIterator]();
    await put(1);
    t.same((await follower.next()).value, [entry(1)]);
    const next = follower.next();
    await server.kill();
    await t.rejects(store.lastEntry(), StoreUnavailableError, 'the others have given up by now');
    await t.rejects(store.lastEntry(), StoreUnavailableError);
    await server.start();
    await put(2);
    t.same((await next).value, [entry(2)]);
    end.abort();
  });

  void t.test('a node of a Cluster that restarts is found again', async (t) => {
    const server = await startCluster(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const store = await openRedisStore(parseRedisUrl(freshUrl(server.port, 'redis+cluster')));
    t.teardown(() => store.close());
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    await store.commit(lease, commitOf({ entries: [entry(1)] }));
    await server.kill();
    const waiting = store.commit(lease, commitOf({ entries: [entry(2)] }));
    await server.start();
    await waiting;
    t.same(await seqs(store), [1, 2]);
  });

  void t.test('a server that went back to an earlier state deposes the writer', async (t) => {
    const server = await startRedis(t);
    const { put, store, key } = await openWriter(t, server);
    await put(1);
    await server.command('COPY', key('@writer'), 'earlier');
    await put(2);
    await server.command('RENAME', 'earlier', key('@writer'));
    await t.rejects(put(3), { name: 'LostWritesError' });
    await t.rejects(put(3), FencedError, 'for good');
    t.equal(await one(store, 'users', '3'), undefined);
  });

  void t.test('a server that came back empty deposes the writer', async (t) => {
    const server = await startRedis(t);
    const { target, put, store } = await openWriter(t, server);
    await put(1);
    const lineage = await store.lineage!();
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal');
    t.equal(await store.lineage!(), lineage, 'a connection that breaks is no other server');
    await server.kill();
    await server.start();
    await t.rejects(put(2), { name: 'LostWritesError' });
    t.not(await store.lineage!(), lineage, 'and readers are told, too');
    const next = await openRedisStore(target);
    t.teardown(() => next.close());
    t.equal(await next.lastEntry(), null);
  });
}
