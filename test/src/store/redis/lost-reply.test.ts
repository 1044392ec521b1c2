import t, { type Test } from 'tap';
import { UnknownOutcomeError } from '../../../../src/store/redis/errors.js';
import { openRedisStore, type RedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import type { Commit, Lease } from '../../../../src/store/port.js';
import { entry, scanIds, seqs, set, TTL_MS } from '../contract/under-test.js';
import { randomOfRun, scaled } from '../../../system/harness/scale.js';
import { freshUrl, NO_REDIS, startRedis, type RedisServer } from '../fixtures/redis-server.js';
import { startProxy, type Proxy } from '../fixtures/tcp-proxy.js';

/** Of so many neighbouring bytes one is cut after, chosen by chance; at full size each. */
const STRIDE = scaled(4, 1);

/** The first batch; far enough that all have the same length. */
const FIRST = 1000;

/** A commit of three entries; the documents say which batch they are of, so that a half would show. */
function batch(n: number): Commit {
  const user = { collection: 'users', id: 'all' };
  const seq = 3 * n;
  const gone = { collection: 'users', id: String(n - 2) };
  return {
    entries: [entry(seq + 1), entry(seq + 2), entry(seq + 3)],
    writes: [
      set('users', String(n), { n }),
      { op: 'delete', key: gone },
      { op: 'merge', key: user, fields: { n }, document: { n, pad: 'x'.repeat(40) } },
    ],
    due: [{ index: 'wake', id: 'only', at: n }],
  };
}

/** Which batch everything there is agrees to be the last. */
async function newestBatch(t: Test, store: RedisStore): Promise<number> {
  const last = (await store.lastEntry())?.seq ?? 0;
  const n = Math.floor((last - 1) / 3);
  t.equal(last, 3 * n + 3, 'a batch is whole');
  t.same(
    await scanIds(store, 'users'),
    [...[n - 1, n].filter((id) => id >= FIRST), 'all'].map(String),
  );
  const [all] = await store.getMany([{ collection: 'users', id: 'all' }]);
  t.equal(all?.['n'], n);
  t.same(await store.due('wake', Infinity, 9), [{ id: 'only', at: n }]);
  return n;
}

interface Setting {
  readonly proxy: Proxy;
  /** Writes through the proxy. */
  readonly store: RedisStore;
  readonly lease: Lease;
  /** Reads past it. */
  readonly witness: RedisStore;
  readonly put: (n: number) => Promise<unknown>;
}

async function setUp(t: Test, server: RedisServer, waitMs: number): Promise<Setting> {
  const proxy = await startProxy(t, server.port);
  const url = freshUrl(server.port);
  const witness = await openRedisStore(parseRedisUrl(url));
  const through = parseRedisUrl(url.replace(String(server.port), String(proxy.port)));
  const store = await openRedisStore(through, { waitMs, replyMs: 2000 });
  t.teardown(() => Promise.all([store.close(), witness.close()]));
  const lease = (await store.acquireLease('writer', TTL_MS))!;
  const put = (n: number): Promise<unknown> => store.commit(lease, batch(n));
  await put(FIRST);
  return { proxy, store, lease, witness, put };
}

/** Bytes one batch takes on the wire. */
async function measure({ proxy, put }: Setting, n: number): Promise<{ up: number; down: number }> {
  proxy.reset();
  await put(n);
  return { ...proxy.sent };
}

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const server = await startRedis(t);

  void t.test('a connection cut at any byte of a batch: it lands once and whole', async (t) => {
    const setting = await setUp(t, server, 8000);
    const { proxy, witness, put } = setting;
    let n = FIRST + 1;
    await measure(setting, n);
    const size = await measure(setting, ++n);
    t.ok(size.up > 300 && size.down > 5);
    const offset = Math.floor(randomOfRun(t)() * STRIDE);
    const cuts = [
      ...Array.from({ length: size.up + 1 }, (_, bytes) => ['up', bytes] as const).filter(
        ([, bytes]) => bytes % STRIDE === offset || bytes === 0 || bytes === size.up,
      ),
      ...Array.from({ length: size.down + 1 }, (_, bytes) => ['down', bytes] as const),
    ];
    for (const [direction, bytes] of cuts) {
      proxy.reset();
      proxy.cutAfter(direction, bytes);
      await put(++n);
      if ((await newestBatch(t, witness)) !== n) t.fail(`cut ${direction} after ${bytes}`);
    }
    t.equal((await seqs(witness)).length, 3 * (cuts.length + 3), 'nothing landed twice');
  });

  void t.test('a read cut at any byte: its documents are as old as its newest entry', async (t) => {
    const proxy = await startProxy(t, server.port);
    const url = freshUrl(server.port);
    const writer = await openRedisStore(parseRedisUrl(url));
    const through = url.replace(String(server.port), String(proxy.port));
    const reader = await openRedisStore(parseRedisUrl(through));
    t.teardown(() => Promise.all([reader.close(), writer.close()]));
    const lease = (await writer.acquireLease('writer', TTL_MS))!;
    const put = (n: number): Promise<void> =>
      writer.commit(lease, { entries: [entry(n)], writes: [set('users', '1', { n })], due: [] });
    const read = async (): Promise<readonly [unknown, number | undefined]> => {
      const { documents, last } = await reader.getManyWithLast([{ collection: 'users', id: '1' }]);
      return [documents[0]?.['n'], last?.seq];
    };
    let n = FIRST;
    await put(n);
    proxy.reset();
    await read();
    const { down } = proxy.sent;
    t.ok(down > 50);
    for (let bytes = 0; bytes <= down; bytes++) {
      proxy.reset();
      // Whoever connects again finds the store a commit further.
      const moved = new Promise<void>((done, failed) => {
        proxy.onCut = () =>
          void put(++n)
            .then(() => proxy.admit())
            .then(done, failed);
      });
      proxy.cutAfter('down', bytes, 'refuse');
      const [document, last] = await read();
      if (document !== last) t.fail(`cut after ${bytes}: ${String(document)} of ${String(last)}`);
      await moved;
    }
  });

  void t.test('a server that stays away after the cut: told so, then found out', async (t) => {
    const setting = await setUp(t, server, 20);
    const { proxy, store, witness, put } = setting;
    let n = FIRST + 1;
    await measure(setting, n);
    const size = await measure(setting, ++n);
    const outcomes = new Set<string>();
    const cuts = [
      ...Array.from({ length: 17 }, (_, i) => ['up', Math.floor((size.up * i) / 16)] as const),
      ...Array.from({ length: size.down + 1 }, (_, bytes) => ['down', bytes] as const),
    ];
    for (const [direction, bytes] of cuts) {
      proxy.cutAfter(direction, bytes, 'refuse');
      const given = ++n;
      const result = await put(given).catch((error: unknown) => error);
      if (result instanceof UnknownOutcomeError) {
        const there = await newestBatch(t, witness);
        t.ok(there === given || there === given - 1, `cut ${direction} after ${bytes}`);
        outcomes.add(there === given ? 'landed' : 'absent');
        proxy.admit();
        const [last, journal] = [await store.lastEntry(), await witness.lastEntry()];
        t.same(last, journal, 'what the writer reads is final');
        await put(given);
      } else if (result instanceof Error) {
        throw result;
      }
      proxy.reset();
      proxy.admit();
      if ((await newestBatch(t, witness)) !== given) t.fail(`cut ${direction} after ${bytes}`);
    }
    t.same([...outcomes].sort(), ['absent', 'landed'], 'both happened');
    const all = await seqs(witness);
    t.equal(all.length, 3 * (cuts.length + 3), 'nothing landed twice');
  });

  void t.test('a batch rejected and landed may be given again in other portions', async (t) => {
    const setting = await setUp(t, server, 20);
    const { proxy, store, lease, witness, put } = setting;
    const size = await measure(setting, FIRST + 1);
    proxy.cutAfter('down', 0, 'refuse');
    t.ok(size.down > 0);
    await t.rejects(put(FIRST + 2), UnknownOutcomeError);
    proxy.reset();
    proxy.admit();
    const again = [batch(FIRST + 2), batch(FIRST + 3)];
    await store.commit(lease, {
      entries: again.flatMap(({ entries }) => entries),
      writes: again.flatMap(({ writes }) => writes),
      due: again.flatMap(({ due }) => due),
    });
    t.equal(await newestBatch(t, witness), FIRST + 3);
    t.same(
      await seqs(witness),
      Array.from({ length: 12 }, (_, i) => 3 * FIRST + i + 1),
    );
    const other = { entries: [entry(3 * FIRST + 12, '"other"')], writes: [], due: [] };
    await t.rejects(store.commit(lease, other), RangeError);
  });

  void t.test('a batch that arrives after it was declared lost is refused', async (t) => {
    const setting = await setUp(t, server, 8000);
    const { proxy, witness, put } = setting;
    await measure(setting, FIRST + 1);
    const holding = proxy.holdNext();
    const done = put(FIRST + 2);
    const deliver = await holding;
    await done;
    t.equal(
      await newestBatch(t, witness),
      FIRST + 2,
      'it was sent again, once it could not land any more',
    );
    await put(FIRST + 3);
    t.match(await deliver(), /STALE/);
    t.equal(await newestBatch(t, witness), FIRST + 3);
    t.equal((await seqs(witness)).length, 12);
  });

  void t.test('a batch that arrives after its writer was deposed is refused', async (t) => {
    const setting = await setUp(t, server, 8000);
    const { proxy, store, lease, witness, put } = setting;
    await measure(setting, FIRST + 1);
    const holding = proxy.holdNext();
    const done = put(FIRST + 2);
    const deliver = await holding;
    await done;
    await store.releaseLease(lease);
    const successor = await witness.acquireLease('successor', TTL_MS);
    t.ok(successor !== null);
    t.match(await deliver(), /FENCED/);
    t.equal(await newestBatch(t, witness), FIRST + 2);
  });
}
