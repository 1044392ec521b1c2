/** A Cluster of two nodes: the slot of an organization moves from one to the other while it is used. */
import t from 'tap';
import { StoreUnavailableError } from '../../../../src/store/port.js';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { commitOf, entry, scanIds, seqs, set, TTL_MS } from '../contract/under-test.js';
import { freshUrl, NO_REDIS, startRedis, type RedisServer } from '../fixtures/redis-server.js';

const LAST_SLOT = 16383;
/** Commits before, during and after each move. */
const SOME = 20;

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const cluster = ['--cluster-enabled', 'yes'];
  const first = await startRedis(t, ...cluster);
  const second = await startRedis(t, ...cluster);
  const half = LAST_SLOT >> 1;
  await first.command('CLUSTER', 'ADDSLOTSRANGE', '0', String(half));
  await second.command('CLUSTER', 'ADDSLOTSRANGE', String(half + 1), String(LAST_SLOT));
  // Two nodes that call themselves alike would not agree on who has what.
  await second.command('CLUSTER', 'SET-CONFIG-EPOCH', '2');
  await first.command('CLUSTER', 'MEET', '127.0.0.1', String(second.port));
  await Promise.all([first, second].map((node) => node.says(/Cluster state changed: ok/)));

  const idOf = async (node: RedisServer): Promise<string> =>
    String(await node.command('CLUSTER', 'MYID'));

  const openWriter = async (waitMs: number) => {
    const target = parseRedisUrl(freshUrl(first.port, 'redis+cluster'));
    const store = await openRedisStore(target, { waitMs });
    t.teardown(() => store.close());
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    const slot = await first.command('CLUSTER', 'KEYSLOT', `parley:{${target.organization}}:x`);
    const [from, to] = Number(slot) <= half ? [first, second] : [second, first];
    const put = (seq: number): Promise<void> => {
      const writes = [set(seq % 2 ? 'odd' : 'even', String(seq), { seq })];
      return store.commit(lease, commitOf({ entries: [entry(seq)], writes }));
    };
    const begin = async (): Promise<void> => {
      await to.command('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', await idOf(from));
      await from.command('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', await idOf(to));
    };
    /** Moves as many keys, and tells whether there were any. */
    const move = async (count: number): Promise<boolean> => {
      const command = ['CLUSTER', 'GETKEYSINSLOT', String(slot), String(count)];
      const keys = (await from.command(...command)) as string[];
      const place = ['127.0.0.1', String(to.port), '', '0', '5000'];
      if (keys.length > 0) await from.command('MIGRATE', ...place, 'KEYS', ...keys);
      return keys.length > 0;
    };
    const end = async (): Promise<void> => {
      while (await move(100));
      for (const node of [to, from]) {
        await node.command('CLUSTER', 'SETSLOT', String(slot), 'NODE', await idOf(to));
      }
    };
    return { store, put, begin, move, end };
  };
  const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

  void t.test('a slot that moves while commits are made: none is lost or repeated', async (t) => {
    const { store, put, begin, move, end } = await openWriter(10_000);
    for (const seq of upTo(SOME)) await put(seq);
    const writing = (async () => {
      for (let seq = SOME + 1; seq <= 3 * SOME; seq++) await put(seq);
    })();
    await begin();
    while (await move(5));
    await end();
    await writing;
    const all = upTo(3 * SOME);
    t.same(await seqs(store), all);
    const ids = async (name: string) => (await scanIds(store, name)).map(Number);
    t.same(
      await ids('odd'),
      all.filter((seq) => seq % 2 === 1),
    );
    t.same(
      await ids('even'),
      all.filter((seq) => seq % 2 === 0),
    );
  });

  void t.test('a move that takes long: refused within the bound, and never half', async (t) => {
    const { store, put, begin, move, end } = await openWriter(100);
    for (const seq of upTo(SOME)) await put(seq);
    await begin();
    await move(SOME);
    await t.rejects(put(SOME + 1), StoreUnavailableError);
    await t.rejects(
      store.collections(),
      StoreUnavailableError,
      'a list without what has moved would make a backup without it',
    );
    await t.rejects(scanIds(store, 'odd'), StoreUnavailableError);
    await end();
    t.same(await store.collections(), ['even', 'odd']);
    await put(SOME + 1);
    t.same(await seqs(store), upTo(SOME + 1));
  });
}
