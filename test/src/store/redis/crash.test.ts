import t from 'tap';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import type { Commit } from '../../../../src/store/port.js';
import { entry, scanIds, seqs, set, TTL_MS } from '../contract/under-test.js';
import { freshUrl, NO_REDIS, startRedis } from '../fixtures/redis-server.js';

const ROUNDS = 3;
const IN_FLIGHT = 16;

function commitAt(seq: number): Commit {
  const old = { collection: 'items', id: String(seq - 10) };
  return {
    entries: [entry(seq)],
    writes: [
      set('items', String(seq), { seq }),
      set('counters', 'newest', { seq }),
      { op: 'delete', key: old },
    ],
    due: [{ index: 'wake', id: 'only', at: seq }],
  };
}

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test('kill -9 of Redis, which syncs always: nothing acknowledged is lost', async (t) => {
    const server = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const target = parseRedisUrl(freshUrl(server.port));
    const store = await openRedisStore(target, { waitMs: 50 });
    t.teardown(() => store.close());
    t.same(store.warnings, []);
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    let acknowledged = 0;

    /** Commits as fast as it can, kills the server on the way, and answers what was rejected. */
    const writeUntilKilled = async (killAt: number): Promise<number[]> => {
      let next = acknowledged + 1;
      const rejected: number[] = [];
      const lane = async (): Promise<void> => {
        while (rejected.length === 0) {
          const seq = next++;
          try {
            await store.commit(lease, commitAt(seq));
            acknowledged = seq;
          } catch {
            rejected.push(seq);
          }
          if (seq === killAt) server.process.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
      return rejected.sort((one, other) => one - other);
    };

    /** Gives commits again, in order, until all are acknowledged. */
    const giveAgain = async (waiting: readonly number[]): Promise<void> => {
      for (let rest = waiting; rest.length > 0;) {
        const given = rest.map((seq) => store.commit(lease, commitAt(seq)));
        const results = await Promise.allSettled(given);
        rest = rest.filter((_, i) => results[i]?.status === 'rejected');
      }
      acknowledged = waiting.at(-1) ?? acknowledged;
    };

    for (let round = 0; round < ROUNDS; round++) {
      const killAt = acknowledged + 1 + Math.floor(Math.random() * 500);
      const rejected = await writeUntilKilled(killAt);
      t.equal(rejected[0], acknowledged + 1, 'those behind a rejected one were rejected with it');
      await server.kill();
      await server.start();
      await giveAgain(rejected);
      const reader = await openRedisStore(target);
      const last = acknowledged;
      t.same(
        await seqs(reader),
        Array.from({ length: last }, (_, i) => i + 1),
        'the journal has no gap',
      );
      const items = Array.from({ length: Math.min(last, 10) }, (_, i) =>
        String(last - i),
      ).reverse();
      t.same(await scanIds(reader, 'items'), items);
      const [newest] = await reader.getMany([{ collection: 'counters', id: 'newest' }]);
      t.same(newest, { seq: last });
      t.same(await reader.due('wake', Infinity, 9), [{ id: 'only', at: last }]);
      await reader.close();
    }
  });
}
