import { randomUUID } from 'node:crypto';
import t from 'tap';
import { clientsOf } from '../../../../src/store/redis/clients.js';
import { Connection } from '../../../../src/store/redis/connection.js';
import { KeySpace } from '../../../../src/store/redis/keys.js';
import { Scripts } from '../../../../src/store/redis/scripts.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { RedisWriter } from '../../../../src/store/redis/writer.js';
import { entry, TTL_MS } from '../contract/under-test.js';
import { freshUrl, NO_REDIS, startRedis } from '../fixtures/redis-server.js';

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  // What servers before version 7 get. They look at memory at a script's first write only.
  for (const shebang of [true, false]) {
    void t.test(`out of memory is all or nothing, shebang ${shebang}`, async (t) => {
      const server = await startRedis(t);
      const target = parseRedisUrl(freshUrl(server.port));
      const keys = new KeySpace(target.organization);
      const connection = new Connection(clientsOf(target, keys.journal), {
        replyMs: 4000,
        waitMs: 4000,
      });
      t.teardown(() => connection.close());
      const scripts = await Scripts.load(shebang);
      const format = (await server.hasJson()) ? 'json' : 'text';
      const parts = {
        connection,
        scripts,
        keys,
        format,
        newSession: randomUUID,
        isOlder: false,
      } as const;
      const writer = new RedisWriter(parts);
      t.same(await writer.acquire('writer', TTL_MS), { token: 1 });
      const text = JSON.stringify({ text: 'x'.repeat(1000) });
      const write = (seq: number): Promise<void> => {
        const id = String(seq);
        const key = keys.document('items', id);
        const document = { key, collection: 'items', id, text, fields: null };
        const commit = { entries: [entry(seq, text)], writes: [document], due: [] };
        return writer.write(commit, writer.session(null));
      };
      const used = async (): Promise<number> =>
        Number(/used_memory:(\d+)/.exec(String(await server.command('INFO', 'memory')))?.[1]);
      const room = (await used()) + 1_000_000;
      await server.command('CONFIG', 'SET', 'maxmemory', String(room));
      let seq = 0;
      const full = await (async () => {
        for (;;) await write(++seq);
      })().catch((error: unknown) => error);
      t.match(full, { message: /Redis refused the commit: OOM/ });
      t.ok(seq > 10, 'some went in');
      t.equal(await server.command('EXISTS', keys.document('items', String(seq))), 0);
      t.equal(await server.command('XLEN', keys.journal), seq - 1);
      t.equal(await server.command('ZCARD', keys.index('items').numbers), seq - 1);
      t.equal(await server.command('HGET', keys.writer, 'seq'), String(seq - 1));
    });
  }
}
