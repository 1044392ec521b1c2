/**
 * The commands that Parley sends, with the replies of RedisJSON: by the stand-in that the tests use, and by the real
 * servers that they are given (CONTRIBUTING.md).
 */
import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import t, { type Test } from 'tap';
import { EXCHANGES, type Reply } from '../fixtures/json-exchanges.js';
import { NESTED, TEXTS } from '../fixtures/json-texts.js';
import { FORMAT } from '../fixtures/redis-process.js';
import { NO_REDIS, startRedis } from '../fixtures/redis-server.js';

/** Keys of the exchanges; any other word of a command is meant as it is. */
const KEYS = new Set(['k', 'l', 'm', 's', 't', 'h', 'none']);

type Ask = (command: readonly (string | Buffer)[]) => Promise<Reply>;

/** Asks a server, under keys of its own that are removed after the test. */
async function connect(t: Test, url: string): Promise<Ask> {
  const client = createClient({ url, RESP: 2 });
  await client.connect();
  const prefix = `parley-conformance:{${randomUUID()}}:`;
  t.teardown(async () => {
    await client.sendCommand(['DEL', ...[...KEYS].map((key) => prefix + key)]);
    client.destroy();
  });
  return async (command) => {
    const words = command.map((word) =>
      typeof word === 'string' && KEYS.has(word) ? prefix + word : word,
    );
    try {
      return await client.sendCommand<Reply>(words);
    } catch (error) {
      return { refused: (error as Error).message };
    }
  };
}

function conforms(t: Test, server: string, url: string): void {
  const test = (title: string, run: (t: Test, ask: Ask) => Promise<void>): void => {
    void t.test(`${server}: ${title}`, async (t) => run(t, await connect(t, url)));
  };

  for (const [title, texts] of Object.entries(TEXTS)) {
    test(title, async (t, ask) => {
      for (const [text, kept] of texts) {
        await ask(['DEL', 'k']);
        const isKept = typeof kept === 'string';
        const shown = text.replace(/[^ -~]/g, '?');
        t.strictSame(await ask(['JSON.SET', 'k', '$', text]), isKept ? 'OK' : kept, shown);
        t.strictSame(await ask(['JSON.MGET', 'k', '$']), [isKept ? `[${kept}]` : null], shown);
      }
    });
  }

  for (const { title, given, sent } of EXCHANGES) {
    test(title, async (t, ask) => {
      for (const command of given) await ask(command);
      for (const [command, reply] of sent) {
        t.strictSame(await ask(command), reply, command.join(' '));
      }
    });
  }

  test('nesting', async (t, ask) => {
    for (const [levels, lists, objects] of NESTED) {
      const list = '['.repeat(levels) + ']'.repeat(levels);
      t.strictSame(await ask(['JSON.SET', 'k', '$', list]), lists, `${levels} lists`);
      const object = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
      t.strictSame(await ask(['JSON.SET', 'k', '$', object]), objects, `${levels} objects`);
    }
  });

  test('what is no UTF-8 is refused', async (t, ask) => {
    for (const bytes of ['ff', 'c080', 'eda080', 'f4908080', 'e282']) {
      const text = Buffer.from(`22${bytes}22`, 'hex');
      t.match(await ask(['JSON.SET', 'k', '$', text]), { refused: /parse as UTF-8/ }, bytes);
      t.equal(await ask(['EXISTS', 'k']), 0);
    }
  });

  test('what the server knows of the commands', async (t, ask) => {
    for (const [name, flag] of [
      ['JSON.SET', 'denyoom'],
      ['JSON.GET', 'readonly'],
      ['JSON.MGET', 'readonly'],
    ] as const) {
      const [info] = (await ask(['COMMAND', 'INFO', name])) as unknown as [unknown[]];
      t.equal(info[0], name.toLowerCase());
      t.ok((info[2] as string[]).includes(flag), `${name} is ${flag}`);
      t.strictSame(info.slice(3, 6), [1, 1, 1], 'the first argument is a key, as far as it says');
    }
  });
}

const running = process.env['PARLEY_TEST_REDIS_JSON_URL'] ?? '';
if (running === '') {
  t.pass('a running server', { skip: 'PARLEY_TEST_REDIS_JSON_URL is not set' });
} else {
  conforms(t, 'a running server', running);
}
if (NO_REDIS !== null || FORMAT === 'text') {
  const skip = NO_REDIS ?? 'PARLEY_TEST_REDIS_FORMAT is text';
  t.pass('a server of our own', { skip });
} else {
  const { port } = await startRedis(t);
  conforms(t, 'a server of our own', `redis://127.0.0.1:${port}`);
  void t.test(
    'a server of our own: values outlive a rewritten log, and reach a replica',
    async (t) => {
      const server = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
      const [set, get] = [
        ['JSON.SET', 'k'],
        ['JSON.GET', 'k'],
      ] as const;
      await server.command(...set, '$', '{"a":[1.5,"é",{}],"b":null}');
      await server.command('BGREWRITEAOF');
      await server.says(/Background AOF rewrite finished successfully/);
      await server.command(...set, '$.b', '2');
      const replica = await startRedis(t, '--replicaof', '127.0.0.1', String(server.port));
      await replica.says(/MASTER <-> REPLICA sync: Finished with success/);
      t.equal(await replica.command(...get), '{"a":[1.5,"é",{}],"b":2}');
      await server.command(...set, '$.b', '3');
      // The master counts a replica that has just loaded everything only once it is heard of.
      const before = '{"a":[1.5,"é",{}],"b":2}';
      while ((await replica.command(...get)) === before) await server.command('WAIT', '1', '100');
      t.equal(await replica.command(...get), '{"a":[1.5,"é",{}],"b":3}');
      await server.kill();
      await server.start();
      t.equal(await server.command(...get), '{"a":[1.5,"é",{}],"b":3}');
    },
  );
}
