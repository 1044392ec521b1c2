/** A master that another has taken the place of, and that does not know yet: what it and its replicas say counts for nothing. */
import t, { type Test } from 'tap';
import { StoreUnavailableError, type Lease, type Store } from '../../../../src/store/port.js';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { UnconfirmedMasterError } from '../../../../src/store/too-few-replicas.js';
import { commitOf, entry, seqs, set, TTL_MS } from '../contract/under-test.js';
import { NO_REDIS, startRedis, startSentinel } from '../fixtures/redis-server.js';

const QUICK = { replyMs: 2000, waitMs: 300, replicas: 1 };

/** A master with two replicas, of which Sentinel promotes the first. */
async function machines(t: Test) {
  const settings = ['--repl-diskless-sync-delay', '0'];
  const master = await startRedis(t, ...settings);
  const follow = ['--replicaof', `127.0.0.1 ${master.port}`];
  const next = await startRedis(t, ...settings, ...follow, '--replica-priority', '50');
  const other = await startRedis(t, ...settings, ...follow);
  for (const replica of [next, other]) await replica.says(/sync: Finished with success/);
  // It gives no promotion up that takes long.
  const sentinel = await startSentinel(t, 'chat', master.port, null, 120_000);
  for (const { port } of [next, other]) await sentinel.knows(port);
  const store = await openRedisStore(
    parseRedisUrl(`redis+sentinel://127.0.0.1:${sentinel.port}/chat`),
    QUICK,
  );
  t.teardown(() => store.close());
  return { master, next, other, sentinel, store };
}

function putter(store: Store, lease: Lease): (seq: number) => Promise<void> {
  return (seq) =>
    store.commit(lease, commitOf({ entries: [entry(seq)], writes: [set('users', '1', { seq })] }));
}

/** Does something again and again, as long as the store does not say that it counts. */
async function inTheEnd(act: () => Promise<unknown>): Promise<void> {
  for (let isOver = false; !isOver;) {
    isOver = await act().then(
      () => true,
      (error: unknown) => {
        if (error instanceof StoreUnavailableError) return false;
        throw error;
      },
    );
  }
}

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test('a replica is promoted, and its former master has another on its side', async (t) => {
    const { master, next, sentinel, store } = await machines(t);
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const put = putter(store, lease);
    await put(1);
    // Sentinel refuses while it has not heard of the replicas for long.
    const order = () => sentinel.command('SENTINEL', 'FAILOVER', 'chat').catch(() => null);
    while ((await order()) === null);
    await next.says(/MASTER MODE enabled/);
    // Sentinel tells nobody before the new master says that it is one.
    next.process.kill('SIGSTOP');
    t.match(await master.command('ROLE'), ['master', Number, [Array]], 'one replica follows it on');
    const refused = await put(2).catch((error: unknown) => error);
    t.type(refused, UnconfirmedMasterError);
    t.match(refused, {
      message: 'Nobody who may replace the master of the store says that it still is one',
    });
    await t.rejects(store.confirmLease!(lease, TTL_MS), UnconfirmedMasterError);
    await t.rejects(store.surelyNewest!(), UnconfirmedMasterError);
    next.process.kill('SIGCONT');
    await inTheEnd(() => put(2));
    await put(3);
    t.same(await seqs(store), [1, 2, 3]);
    t.match(await next.command('ROLE'), ['master']);
    t.equal(await store.surelyNewest!(), 3);
  });

  void t.test('a Sentinel that knows no other speaks for no majority of several', async (t) => {
    const { sentinel, store } = await machines(t);
    await sentinel.command('SENTINEL', 'SET', 'chat', 'quorum', '2');
    const acquired = await store.acquireLease('writer', TTL_MS).catch((error: unknown) => error);
    t.match(acquired, {
      name: 'StoreReadOnlyError',
      message: /^The store can only be read: Nobody/,
    });
    await sentinel.command('SENTINEL', 'SET', 'chat', 'quorum', '1');
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    await putter(store, lease)(1);
    t.same(await seqs(store), [1]);
  });

  void t.test('a replica dies: Sentinel is asked, and the other is enough', async (t) => {
    const { next, other, sentinel, store } = await machines(t);
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const put = putter(store, lease);
    await put(1);
    await next.kill();
    await inTheEnd(() => put(2));
    t.same(store.replicas, { have: 1, wanted: 1 });
    await next.start();
    // It is waited for again when it is there again.
    while (store.replicas?.have !== 2) await inTheEnd(() => store.confirmLease!(lease, TTL_MS));
    await sentinel.kill();
    await put(3);
    await other.kill();
    await t.rejects(put(4), UnconfirmedMasterError);
    await other.start();
    await inTheEnd(() => put(4));
    t.same(await seqs(store), [1, 2, 3, 4], 'nobody need be asked where both have it');
  });
}
