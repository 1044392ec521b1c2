import t, { type Test } from 'tap';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import {
  FencedError,
  StoreUnavailableError,
  TrimmedError,
  type Lease,
  type Store,
  type StoredEntry,
} from '../../../../src/store/port.js';
import { commitOf, entry, one, seqs, set, TTL_MS } from '../contract/under-test.js';
import { freshUrl, NO_REDIS, startRedis } from '../fixtures/redis-server.js';
import { startProxy } from '../fixtures/tcp-proxy.js';

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const server = await startRedis(t);

  const openTwo = async (t: Test): Promise<readonly [Store, Store, (name: string) => string]> => {
    const target = parseRedisUrl(freshUrl(server.port));
    const stores = [await openRedisStore(target), await openRedisStore(target)] as const;
    t.teardown(() => Promise.all(stores.map((store) => store.close())));
    return [...stores, (name) => `parley:{${target.organization}}:${name}`];
  };

  void t.test('a lease that runs out can be taken, and its holder is refused', async (t) => {
    const [first, second] = await openTwo(t);
    const old = (await first.acquireLease('first', 20))!;
    await first.commit(old, commitOf({ entries: [entry(1)] }));
    let newer = await second.acquireLease('second', TTL_MS);
    // The server's clock decides; every turn is a round trip.
    while (newer === null) newer = await second.acquireLease('second', TTL_MS);
    t.ok(newer.token > old.token);
    await second.commit(newer, commitOf({ entries: [entry(2, '"second"')] }));
    const late = commitOf({ entries: [entry(2)], writes: [set('users', '1', { late: true })] });
    await t.rejects(first.commit(old, late), FencedError);
    await t.rejects(first.commit(old, late), FencedError, 'and known to be, without asking');
    t.same(await second.readJournal(0, 9, 9), [entry(1), entry(2, '"second"')]);
    t.equal(await one(second, 'users', '1'), undefined);
  });

  void t.test('each step of a deposed writer is refused', async (t) => {
    const steps = [
      (store: Store) => store.trimJournal(2),
      (store: Store) => store.renewLease({ token: 1 }, TTL_MS),
      (store: Store) => store.commit({ token: 1 }, commitOf({ entries: [entry(4)] })),
    ];
    for (const step of steps) {
      const [first, second, key] = await openTwo(t);
      const old = (await first.acquireLease('first', TTL_MS))!;
      t.equal(old.token, 1);
      await first.commit(old, commitOf({ entries: [entry(1), entry(2)] }));
      await server.command('DEL', key('@lease'));
      t.ok(await second.acquireLease('second', TTL_MS));
      await t.rejects(step(first), FencedError);
      await first.close();
      t.equal(await first.acquireLease('first', TTL_MS).catch(() => null), null);
      t.same(await seqs(second), [1, 2]);
      t.ok(await server.command('GET', key('@lease')), 'closing the deposed leaves the lease');
    }
  });

  void t.test(
    'a lease lasts as long as it is renewed, and begins again if it ran out',
    async (t) => {
      const [first, second, key] = await openTwo(t);
      const lease = (await first.acquireLease('first', 1000))!;
      await first.renewLease(lease, TTL_MS);
      t.ok(Number(await server.command('PTTL', key('@lease'))) > 1000);
      await server.command('DEL', key('@lease'));
      await first.renewLease(lease, TTL_MS);
      t.equal(await second.acquireLease('second', TTL_MS), null);
      t.equal(await server.command('HGET', key('@writer'), 'holder'), 'first');
    },
  );

  void t.test('a writer that takes the role back goes on after the others', async (t) => {
    const [first, second] = await openTwo(t);
    const lease = (await first.acquireLease('first', TTL_MS))!;
    await first.commit(lease, commitOf({ entries: [entry(1)] }));
    await first.releaseLease(lease);
    const other = (await second.acquireLease('second', TTL_MS))!;
    await second.commit(other, commitOf({ entries: [entry(5)] }));
    await second.releaseLease(other);
    const again = (await first.acquireLease('first', TTL_MS))!;
    await t.rejects(first.commit(again, commitOf({ entries: [entry(5)] })), RangeError);
    await first.commit(again, commitOf({ entries: [entry(6)] }));
    t.same(await seqs(second), [1, 5, 6]);
  });

  void t.test('a lease given without an answer belongs to who asked for it', async (t) => {
    const proxy = await startProxy(t, server.port);
    const target = parseRedisUrl(freshUrl(server.port));
    const there = { ...target, addresses: [{ host: '127.0.0.1', port: proxy.port }] };
    const store = await openRedisStore(there, { waitMs: 30 });
    const other = await openRedisStore(target);
    t.teardown(() => Promise.all([store.close(), other.close()]));
    // The server has the script now.
    await store.releaseLease((await store.acquireLease('asker', TTL_MS))!);
    proxy.cutAfter('down', 1, 'refuse');
    await t.rejects(store.acquireLease('asker', TTL_MS), StoreUnavailableError);
    t.equal(await other.acquireLease('other', TTL_MS), null, 'it was given');
    proxy.admit();
    const lease = await store.acquireLease('asker', TTL_MS);
    t.ok(lease, 'nobody waits for the end of a lease that nobody has');
    await store.commit(lease!, commitOf({ entries: [entry(1)] }));
    t.same(await seqs(other), [1]);
  });

  void t.test(
    'a request for the role that arrives late gives it to nobody who had it',
    async (t) => {
      const target = parseRedisUrl(freshUrl(server.port));
      const asOne = { newSession: () => 'of the first' };
      const first = await openRedisStore(target, asOne);
      const second = await openRedisStore(target);
      t.teardown(() => Promise.all([first.close(), second.close()]));
      // What the first has asked before, over a connection that it has given up.
      const askLate = async (): Promise<Lease> => {
        const store = await openRedisStore(target, asOne);
        t.teardown(() => store.close());
        return (await store.acquireLease('first', TTL_MS))!;
      };
      const old = (await first.acquireLease('first', TTL_MS))!;
      for (const hasCommitted of [false, true]) {
        if (hasCommitted) await first.commit(old, commitOf({ entries: [entry(1)] }));
        t.same(await askLate(), old);
        await first.renewLease(old, TTL_MS);
      }
      await server.command('DEL', `parley:{${target.organization}}:@lease`);
      const newer = (await second.acquireLease('second', TTL_MS))!;
      await second.commit(newer, commitOf({ entries: [entry(2)] }));
      await second.releaseLease(newer);
      t.equal((await askLate()).token, newer.token + 1);
      await t.rejects(first.renewLease(old, TTL_MS), { name: 'FencedError' });
      await t.rejects(first.trimJournal(2), FencedError);
      t.same(await seqs(second), [1, 2]);
    },
  );

  void t.test('a lease takes the place of one that runs, named by its token', async (t) => {
    const [first, second] = await openTwo(t);
    const old = (await first.acquireLease('first', TTL_MS))!;
    await first.commit(old, commitOf({ entries: [entry(1)] }));
    for (const other of [old.token - 1, old.token + 1]) {
      t.equal(await second.acquireLease('second', TTL_MS, other), null, 'another leads by now');
    }
    await first.renewLease(old, TTL_MS);
    const newer = (await second.acquireLease('second', TTL_MS, old.token))!;
    t.equal(newer.token, old.token + 1);
    await t.rejects(first.commit(old, commitOf({ entries: [entry(2)] })), FencedError);
    await t.rejects(first.renewLease(old, TTL_MS), FencedError);
    await second.commit(newer, commitOf({ entries: [entry(2, '"second"')] }));
    t.same(await second.readJournal(0, 9, 9), [entry(1), entry(2, '"second"')]);
  });

  void t.test('a follower goes on only behind the entry that it has', async (t) => {
    const [first, second] = await openTwo(t);
    const lease = (await first.acquireLease('first', TTL_MS))!;
    await first.commit(lease, commitOf({ entries: [entry(1), entry(2)] }));
    const end = new AbortController();
    const behind = (last: StoredEntry) =>
      second.follow(last.seq, end.signal, last)[Symbol.asyncIterator]().next();
    const next = behind(entry(2));
    await t.rejects(behind(entry(2, '"other"')), TrimmedError, 'another in its place');
    await t.rejects(behind(entry(3)), TrimmedError, 'none in its place, nor behind it');
    await first.commit(lease, commitOf({ entries: [entry(5)] }));
    t.same((await next).value, [entry(5)]);
    await t.rejects(behind(entry(3)), TrimmedError, 'none in its place');
    const unread: StoredEntry = { seq: 3, text: '', damaged: true };
    t.same((await behind(unread)).value, [entry(5)], 'whose content it does not know');
    end.abort();
  });

  void t.test('a follower sees what another store writes', async (t) => {
    const [first, second] = await openTwo(t);
    const lease = (await first.acquireLease('first', TTL_MS))!;
    const end = new AbortController();
    const follower = second.follow(0, end.signal)[Symbol.asyncIterator]();
    const next = follower.next();
    await first.commit(lease, commitOf({ entries: [entry(7)] }));
    t.same((await next).value, [entry(7)]);
    end.abort();
  });
}
