import t, { type Test } from 'tap';
import { verifyStore } from '../../../../src/operator/verify/verify.js';
import type { Store } from '../../../../src/store/port.js';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { commitOf, entry, scanIds, set, TTL_MS } from '../contract/under-test.js';
import { freshUrl, NO_REDIS, startRedis } from '../fixtures/redis-server.js';

/** What a process does at its start, as far as the store goes. */
async function readAll(store: Store): Promise<void> {
  for (const collection of ['user', 'mark', 'thing']) await scanIds(store, collection);
}

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const server = await startRedis(t);

  const fill = async () => {
    const target = parseRedisUrl(freshUrl(server.port));
    const store = await openRedisStore(target);
    const lease = (await store.acquireLease('a', TTL_MS))!;
    const writes = [
      ...[1, 2, 3, 4].map((id) => set('user', String(id), { id })),
      ...['1:a', '2:b'].map((id) => set('mark', id, { id })),
      set('thing', '1', { id: 1 }),
    ];
    const due = [{ index: 'delivery', id: 'a', at: 5 }];
    await store.commit(lease, commitOf({ entries: [entry(1), entry(2)], writes, due }));
    const key = { collection: 'user', id: '4' };
    const after = [set('user', '3', { id: 3, again: true }), { op: 'delete', key } as const];
    await store.commit(lease, commitOf({ entries: [entry(3)], writes: after }));
    await store.close();
    const prefix = `parley:{${target.organization}}:`;
    return {
      target,
      prefix,
      command: (name: string, key: string, ...rest: string[]) =>
        server.command(name, prefix + key, ...rest),
    };
  };

  const open = async (t: Test, target: ReturnType<typeof parseRedisUrl>) => {
    const store = await openRedisStore(target);
    t.teardown(() => store.close());
    return store;
  };

  void t.test('nothing is missing from what is whole', async (t) => {
    const { target } = await fill();
    const store = await open(t, target);
    await readAll(store);
    t.same(await scanIds(store, 'user'), ['1', '2', '3']);
    t.same(await store.lastEntry(), entry(3));
  });

  const documentKinds = (await server.hasJson())
    ? ([
        ['JSON.SET', 'user:2', ['$', '7'], 'user:2', 'it is no JSON object'],
        ['JSON.SET', 'user:2', ['$', '[7]'], 'user:2', 'it is no JSON object'],
        ['JSON.SET', 'user:2', ['$.id', '7'], 'user:2', 'its checksum differs'],
        ['SET', 'user:2', ['{"id":2}'], 'user:2', 'its key has the type string'],
      ] as const)
    : ([
        ['SET', 'user:2', ['{"id":7}x'], 'user:2', 'it is no JSON object'],
        ['SETRANGE', 'user:2', ['12', 'x'], 'user:2', 'its checksum differs'],
      ] as const);
  const kinds = [
    ...documentKinds,
    ['DEL', 'user:2', [], 'user:2', 'it is missing'],
    ['DEL', 'mark:1:a', [], 'mark:1:a', 'it is missing'],
    ['DEL', '@numbers:user', [], 'list of user', 'it names 0 and should name 3'],
    ['ZREM', '@numbers:user', ['2'], 'list of user', 'it names 2 and should name 3'],
    ['ZADD', '@numbers:user', ['9', '9'], 'list of user', 'it names 4 and should name 3'],
    ['DEL', '@names:mark', [], 'list of mark', 'it names 0 and should name 2'],
  ] as const;
  for (const [name, key, rest, subject, problem] of kinds) {
    void t.test(`${[name, key, ...rest].join(' ')} is noticed`, async (t) => {
      const { target, command } = await fill();
      await command(name, key, ...rest);
      const store = await open(t, target);
      await t.rejects(readAll(store), { name: 'DamagedError', subject, problem });
    });
  }

  void t.test('a document whose key has another type is noticed by all that read it', async (t) => {
    const { target, command } = await fill();
    await command('DEL', 'user:2');
    await command('HSET', 'user:2', 'id', '2');
    const store = await open(t, target);
    const damage = {
      name: 'DamagedError',
      subject: 'user:2',
      problem: 'its key has the type hash',
    };
    await t.rejects(readAll(store), damage);
    const keys = ['1', '2', '9'].map((id) => ({ collection: 'user', id }));
    await t.rejects(store.getMany(keys), damage);
    t.same(await store.getMany([keys[0]!, keys[2]!]), [{ id: 1 }, undefined]);
    const faults: string[] = [];
    t.match(await verifyStore(store, (line) => faults.push(line)), { documents: 5 });
    const named = faults.filter((line) => line.startsWith('user:2:'));
    t.same(named, ['user:2: its key has the type hash'], 'and `parley verify` reads on behind it');
  });

  void t.test(
    'what lists a collection is gone: it is read all the same, and found damaged',
    async (t) => {
      const { target, command } = await fill();
      for (const key of ['@numbers:user', '@numbers:thing', '@names:mark', '@due:delivery']) {
        await command('DEL', key);
      }
      const store = await open(t, target);
      // As `parley verify` and `parley export` do, which know no names.
      t.strictSame(await store.collections(), ['mark', 'thing', 'user']);
      t.strictSame(await store.dueIndexes(), ['delivery']);
      t.same(await store.due('delivery', 10, 10), [], 'what is derived is read as it is');
    },
  );

  void t.test('a document that no list has is named, item by item', async (t) => {
    const { target, command } = await fill();
    await command('ZREM', '@numbers:user', '2');
    await command('ZADD', '@numbers:user', '9', '9');
    await command('ZADD', '@numbers:user', '7', '3');
    await command('ZREM', '@names:mark', '1:a');
    await command('ZADD', '@names:mark', '0', '1:b');
    const store = await open(t, target);
    const faults = (await store.faults!()).map(({ subject, problem }) => `${subject}: ${problem}`);
    t.same(faults.sort(), [
      'mark:1:a: no list of its collection has it',
      'user:2: no list of its collection has it',
      'user:3: no list of its collection has it',
    ]);
    const whole = await open(t, (await fill()).target);
    t.same(await whole.faults!(), []);
  });

  for (const key of ['@format', '@writer']) {
    void t.test(`a store without its ${key} is not opened`, async (t) => {
      const { target, prefix, command } = await fill();
      await command('DEL', key);
      await t.rejects(open(t, target), {
        message: new RegExp(`${key} in redis:.* is damaged: it is missing`),
      });
      t.equal(await server.command('EXISTS', `${prefix}${key}`), 0, 'nor begun anew');
    });
  }

  void t.test('the newest entries are gone: no position is given a second time', async (t) => {
    for (const change of [
      ['DEL', '@journal'],
      ['XDEL', '@journal', '3-0'],
    ] as const) {
      const { target, command } = await fill();
      const [name, key, ...rest] = change;
      await command(name, key, ...rest);
      const store = await open(t, target);
      await store.acquireLease('b', TTL_MS);
      t.same(await store.lastEntry(), { seq: 3, text: '', damaged: true }, name);
    }
  });

  void t.test('the lease may be missing, and who waits for it', async (t) => {
    const { target, command } = await fill();
    await command('DEL', '@lease');
    await command('DEL', '@freed');
    const store = await open(t, target);
    t.ok(await store.acquireLease('b', TTL_MS));
    await readAll(store);
  });

  void t.test('a store of an older build is counted when it is written to', async (t) => {
    const { target, prefix, command } = await fill();
    const fields = (await command('HKEYS', '@writer')) as string[];
    const counts = fields.filter((field) => field.startsWith('count:'));
    t.equal(counts.length, 4);
    await command('HDEL', '@writer', ...counts);
    const documents = (await server.hasJson()) ? 'json' : 'text';
    await command('SET', '@format', JSON.stringify({ format: 1, documents }));
    const store = await openRedisStore(target);
    await readAll(store);
    const lease = (await store.acquireLease('b', TTL_MS))!;
    await store.commit(lease, commitOf({ writes: [set('thing', '2', { id: 2 })] }));
    await store.close();
    t.match(await command('GET', '@format'), /"format":2/);
    const count = (set: string) => command('HGET', '@writer', `count:${prefix}${set}`);
    t.equal(await count('@numbers:user'), '3');
    t.equal(await count('@numbers:thing'), '2');
    await command('ZREM', '@names:mark', '1:a');
    const again = await open(t, target);
    await t.rejects(readAll(again), { name: 'DamagedError', subject: 'list of mark' });
  });
}
