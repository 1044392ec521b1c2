import type { Test } from 'tap';
import { FencedError, type Lease, type Store } from '../../../../src/store/port.js';
import { commitOf, entry, one, seqs, set, TTL_MS, writer, type OpenStore } from './under-test.js';

/** Asks for the lease until it is given. */
async function taken(store: Store): Promise<Lease> {
  for (;;) {
    const lease = await store.acquireLease('other', TTL_MS);
    if (lease !== null) return lease;
    await store.leaseFreed(5, new AbortController().signal);
  }
}

/** The writer role, fencing, closing. */
export function leaseTests(t: Test, open: OpenStore): void {
  void t.test('one holder at a time, with a growing token', async (t) => {
    const { store, lease, reopen, second } = await writer(open, t);
    const other = await second();
    t.equal(await other.acquireLease('other', TTL_MS), null);
    await store.renewLease(lease, TTL_MS);
    await store.releaseLease(lease);
    const next = await other.acquireLease('other', TTL_MS);
    t.ok(next !== null && next.token > lease.token);
    t.equal(await store.acquireLease('writer', TTL_MS), null);
    await other.close();
    const again = await (await reopen()).acquireLease('writer', TTL_MS);
    t.ok(again !== null && again.token > next!.token, 'closing releases; tokens outlive the store');
  });

  void t.test(
    'who waits for the role hears of its release, and waits no longer than it likes',
    async (t) => {
      const { store, lease, second } = await writer(open, t);
      const other = await second();
      const never = new AbortController();
      // Nobody releases it: it comes back because the time is over, or never.
      await other.leaseFreed(50, never.signal);
      const freed = other.leaseFreed(60_000, never.signal);
      // The wait is under way when a later question of the same store is answered.
      t.equal(await other.acquireLease('other', TTL_MS), null);
      await store.releaseLease(lease);
      await freed;
      t.ok(await other.acquireLease('other', TTL_MS), 'and it is free');
      const left = new AbortController();
      const waiting = store.leaseFreed(60_000, left.signal);
      left.abort();
      await waiting;
    },
  );

  void t.test('of several that ask at once, one gets the lease', async (t) => {
    const { store, second } = await open(t);
    const stores = [store, await second(), await second()];
    const asked = await Promise.all(stores.map((each, i) => each.acquireLease(`n${i}`, TTL_MS)));
    t.equal(asked.filter((lease) => lease !== null).length, 1);
  });

  void t.test('a deposed writer is refused and has written nothing', async (t) => {
    const { store, lease, put, second } = await writer(open, t);
    await put({ entries: [entry(1)] });
    await store.releaseLease(lease);
    const other = await second();
    const newer = (await other.acquireLease('other', TTL_MS)) as Lease;
    await t.rejects(put({ entries: [entry(2)], writes: [set('users', '1', {})] }), FencedError);
    await t.rejects(store.renewLease(lease, TTL_MS), FencedError);
    await t.rejects(store.trimJournal(1), FencedError);
    await store.releaseLease(lease);
    await other.commit(newer, commitOf({ entries: [entry(2, '"other"')] }));
    t.same(await other.readJournal(0, 9, 9), [entry(1), entry(2, '"other"')]);
    t.equal(await one(other, 'users', '1'), undefined);
  });

  void t.test('a lease that is not renewed runs out, where leases do', async (t) => {
    const { store, second } = await open(t);
    if (!store.leasesExpire) return;
    const other = await second();
    const older = (await store.acquireLease('writer', 50)) as Lease;
    await store.commit(older, commitOf({ entries: [entry(1)] }));
    const newer = await taken(other);
    t.ok(newer.token > older.token);
    const late = commitOf({ entries: [entry(2)], writes: [set('users', '1', { late: true })] });
    await t.rejects(store.commit(older, late), FencedError);
    await t.rejects(store.renewLease(older, TTL_MS), FencedError);
    await store.releaseLease(older);
    t.equal(await store.acquireLease('writer', TTL_MS), null, 'the newer lease is not affected');
    await other.commit(newer, commitOf({ entries: [entry(2, '"other"')] }));
    t.same(await store.readJournal(0, 9, 9), [entry(1), entry(2, '"other"')]);
    t.equal(await one(store, 'users', '1'), undefined);
  });

  void t.test('a lease that is renewed goes on, also after it ran out', async (t) => {
    const { store, second } = await open(t);
    const other = await second();
    const lease = (await store.acquireLease('writer', 1)) as Lease;
    const after = performance.now() + 20;
    while (performance.now() < after) await store.lastEntry();
    await store.renewLease(lease, TTL_MS);
    t.equal(await other.acquireLease('other', TTL_MS), null);
    await store.commit(lease, commitOf({ entries: [entry(1)] }));
  });

  void t.test('closing waits for commits, refuses new ones, and may be repeated', async (t) => {
    const { store, put, reopen } = await writer(open, t);
    const commits = Promise.all([put({ entries: [entry(1)] }), put({ entries: [entry(2)] })]);
    const closed = store.close();
    const late = t.rejects(put({ entries: [entry(3)] }));
    await Promise.all([commits, closed, late, store.close()]);
    await store.close();
    await t.rejects(store.lastEntry());
    await t.rejects(store.getMany([]));
    t.same(await seqs(await reopen()), [1, 2]);
  });
}
