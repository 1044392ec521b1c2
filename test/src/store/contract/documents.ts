import type { Test } from 'tap';
import { compareIds } from '../../../../src/store/commits.js';
import type { Document, Write } from '../../../../src/store/port.js';
import { entry, one, scanIds, set, writer, type OpenStore } from './under-test.js';

/** Writes, ids and their order, scans. */
export function documentTests(t: Test, open: OpenStore): void {
  void t.test('the last write to a key within a commit wins', async (t) => {
    const { store, put } = await writer(open, t);
    const key = { collection: 'users', id: '1' };
    await put({ writes: [set('users', '1', { n: 1 }), set('users', '1', { n: 2 })] });
    t.same(await one(store, 'users', '1'), { n: 2 });
    await put({ writes: [set('users', '1', { n: 3 }), { op: 'delete', key }] });
    t.equal(await one(store, 'users', '1'), undefined);
    await put({ writes: [{ op: 'delete', key }, set('users', '1', { n: 4 })] });
    t.same(await one(store, 'users', '1'), { n: 4 });
  });

  void t.test('a merge leaves the whole document', async (t) => {
    const { store, put } = await writer(open, t);
    const key = { collection: 'users', id: '1' };
    const document = { name: 'Iago', email: null, roles: [1, 2] };
    await put({ writes: [set('users', '1', { name: 'x', email: 'a@b.c', roles: [1, 2] })] });
    await put({ writes: [{ op: 'merge', key, fields: { name: 'Iago', email: null }, document }] });
    t.same(await one(store, 'users', '1'), document);
    await put({ writes: [{ op: 'delete', key }] });
    t.equal(await one(store, 'users', '1'), undefined);
    await put({ writes: [{ op: 'delete', key }] });
    t.equal(await one(store, 'users', '1'), undefined, 'deleting twice is no error');
  });

  void t.test('getMany answers in the order of its keys', async (t) => {
    const { store, put } = await writer(open, t);
    await put({ writes: [set('users', '1', { n: 1 }), set('users', '2', { n: 2 })] });
    const keys = ['2', 'none', '1', '2', 'x'.repeat(5000)].map((id) => ({
      collection: 'users',
      id,
    }));
    const found = await store.getMany(keys);
    t.same(found, [{ n: 2 }, undefined, { n: 1 }, { n: 2 }, undefined]);
    t.same(await store.getMany([]), []);
  });

  void t.test('getManyWithLast answers as getMany and lastEntry', async (t) => {
    const { store, put } = await writer(open, t);
    const keys = [
      { collection: 'users', id: '1' },
      { collection: 'users', id: 'none' },
    ];
    t.same(await store.getManyWithLast(keys), { documents: [undefined, undefined], last: null });
    await put({ entries: [entry(3), entry(5)], writes: [set('users', '1', { n: 1 })] });
    t.same(await store.getManyWithLast(keys), { documents: [{ n: 1 }, undefined], last: entry(5) });
    t.same(await store.getManyWithLast([]), { documents: [], last: entry(5) });
  });

  void t.test('ids keep their bytes and their order, numbers first', async (t) => {
    const { store, put } = await writer(open, t);
    const numbers = ['0', '2', '10', '99', '100', '4294967296', '9007199254740991'];
    const others = [
      ...['', '-1', '007', '1.5', '10:2', '9007199254740992', 'a', 'a:b', 'a:b:c', 'é', 'Ωmega'],
      ...['line\nbreak', 'nul\u0000inside', '\u0001', '\u{1f600}', '\uffff', 'x'.repeat(1024)],
      ...[`${'long '.repeat(40)}\u0000\u0003`, '日本語'.repeat(100)],
    ];
    const ids = [...others, ...numbers];
    await put({ writes: ids.map((id) => set('odd', id, { id })) });
    await put({ writes: [set('od', '1', {}), set('odd.', '1', {}), set('odd-', 'z', {})] });
    const sorted = [...numbers, ...others.sort(compareIds)];
    t.same(await scanIds(store, 'odd'), sorted);
    t.same(await scanIds(store, 'odd', { batch: 1 }), sorted);
    const found = await store.getMany(ids.map((id) => ({ collection: 'odd', id })));
    t.same(
      found,
      ids.map((id) => ({ id })),
    );
    t.same(await scanIds(store, 'odd', { after: '10' }), sorted.slice(3));
    t.same(await scanIds(store, 'odd', { after: '50' }), sorted.slice(3), 'after need not exist');
  });

  void t.test('keeps large documents and any text', async (t) => {
    const { put, reopen } = await writer(open, t);
    const large = { text: 'Zürich 東京 \u{1f680} '.repeat(70_000) };
    const odd = {
      text: 'a\u0000b \ud800 "\\ \u2028',
      nested: { list: [null, true, 1.5, -0.1, []] },
    };
    await put({
      writes: [set('files', '1', large), set('files', '2', odd), set('files', '3', {})],
    });
    const store = await reopen();
    t.ok((await one(store, 'files', '1'))?.['text'] === large.text, 'over a megabyte');
    t.same(await one(store, 'files', '2'), odd);
    t.same(await one(store, 'files', '3'), {});
  });

  void t.test('keeps every number as it is', async (t) => {
    const { put, reopen } = await writer(open, t);
    const numbers = [
      0.42633530310615275,
      1795348170.123456,
      2 ** 53 - 1,
      2 ** 63,
      1e22,
      5e-324,
      1 / 3,
    ];
    await put({ writes: [set('figures', '1', { numbers, of: { it: -1e-7 } })] });
    const store = await reopen();
    t.same(await one(store, 'figures', '1'), { numbers, of: { it: -1e-7 } });
  });

  void t.test('refuses a document that the strictest store could not keep', async (t) => {
    const { store, put } = await writer(open, t);
    let deep: Document = {};
    for (let level = 1; level < 100; level++) deep = { deep };
    await put({ writes: [set('users', '1', deep)] });
    t.same(await one(store, 'users', '1'), deep, 'a hundred levels');
    const key = { collection: 'users', id: '2' };
    const name = 'UnstorableError';
    const refused: readonly [Write, string][] = [
      [set('users', '2', { deep }), 'The document users:2 nests more than 100 levels'],
      [set('users', '2', { n: [NaN] }), 'The document users:2 has the number NaN'],
      [set('users', '2', { n: -Infinity }), 'The document users:2 has the number -Infinity'],
      [set('users', '2', { _checksum: '' }), 'The document users:2 has a field named _checksum'],
      [
        { op: 'merge', key, fields: { n: Infinity }, document: { n: Infinity } },
        'The document users:2 has the number Infinity',
      ],
      [
        { op: 'merge', key, fields: { n: undefined as never }, document: {} },
        'The document users:2 has no value for n',
      ],
    ];
    for (const [write, message] of refused) {
      await t.rejects(put({ writes: [set('users', '1', { n: 1 }), write] }), { name, message });
    }
    t.same(await one(store, 'users', '1'), deep, 'nothing of a refused commit is there');
    await put({ writes: [set('users', '2', { n: 2 })] });
    t.same(await one(store, 'users', '2'), { n: 2 }, 'the store goes on');
  });

  void t.test('scans ten thousand documents in bounded batches', async (t) => {
    const { put, reopen } = await writer(open, t);
    const ids = Array.from({ length: 10_000 }, (_, i) => String(i + 1));
    await put({ writes: ids.map((id) => set('messages', id, { id: Number(id) })) });
    await put({ writes: [set('message', '1', {}), set('messages2', '1', {})] });
    const store = await reopen();
    t.same(await scanIds(store, 'messages', { batch: 999 }), ids);
    t.same(await scanIds(store, 'messages', { after: '9990' }), ids.slice(9990));
    t.same(await scanIds(store, 'nothing'), []);
    for await (const batch of store.scan('messages', { batch: 64 })) {
      if (batch.length > 64) t.fail('a batch is too long');
    }
  });

  void t.test('a scan that reads ahead gives the same, and may end early', async (t) => {
    const { store, put } = await writer(open, t);
    const ids = Array.from({ length: 1000 }, (_, i) => String(i));
    const names = ids.map((id) => `name ${id.padStart(4, '0')}`);
    await put({ writes: [...ids, ...names].map((id) => set('items', id, { id })) });
    const seen: string[] = [];
    for await (const batch of store.scan('items', { batch: 70, ahead: true })) {
      if (batch.length > 70) t.fail('a batch is too long');
      for (const { id, document } of batch) seen.push(id === document['id'] ? id : 'another');
    }
    t.same(seen, [...ids, ...names]);
    t.same(await scanIds(store, 'items', { after: '998', ahead: true }), ['999', ...names]);
    t.same(await scanIds(store, 'none', { ahead: true }), []);
    for await (const [first] of store.scan('items', { batch: 1, ahead: true })) {
      t.equal(first?.id, '0');
      break;
    }
  });

  void t.test('a scan goes on while documents are written', async (t) => {
    const { store, put } = await writer(open, t);
    const ids = Array.from({ length: 100 }, (_, i) => String(i));
    await put({ writes: ids.map((id) => set('items', id, {})) });
    const seen: string[] = [];
    for await (const batch of store.scan('items', { batch: 10 })) {
      for (const { id } of batch) seen.push(id);
      if (seen.length !== 50) continue;
      const key = { collection: 'items', id: '99' };
      await put({
        writes: [{ op: 'delete', key }, set('items', '100', {}), set('items', '3', {})],
      });
    }
    t.same(seen, [...ids.slice(0, 99), '100'], 'no batch holds back what was committed before it');
  });
}
