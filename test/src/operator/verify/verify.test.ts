import { join } from 'node:path';
import { writeFileSync, readFileSync } from 'node:fs';
import t from 'tap';
import { runVerify, verifyStore } from '../../../../src/operator/verify/verify.js';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.js';
import { createMemory, createMemoryStore } from '../../../../src/store/memory.js';
import { DamagedError, type Write } from '../../../../src/store/port.js';
import { storeWith } from '../../../fixtures/gated-store.js';
import { commitOf, set, TTL_MS } from '../../store/contract/under-test.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const EMPTY = '{"at":1,"changes":[],"events":[]}';

function counters(): Write[] {
  return Array.from({ length: 600 }, (_, i) =>
    set('counter', `name-${i}`, { name: `name-${i}`, last: i, text: 'intact' }),
  );
}

void t.test('everything that is damaged is named, once', async (t) => {
  const memory = createMemory();
  const store = createMemoryStore(memory);
  const lease = (await store.acquireLease('a', TTL_MS))!;
  const entries = [1, 2, 3, 4, 5, 6].map((seq) => ({ seq, text: EMPTY }));
  await store.commit(lease, commitOf({ entries, writes: counters() }));
  const lines: string[] = [];
  t.same(await verifyStore(store, (line) => void lines.push(line)), {
    documents: 600,
    entries: 6,
    due: 0,
    faults: 0,
  });
  memory.collections.get('counter')!.set('name-7', '{"name":"name-7","last":"7"}');
  memory.journal.set(2, '{"at":');
  memory.journal.delete(4);
  const verdict = await verifyStore(store, (line) => void lines.push(line));
  t.equal(verdict.faults, 3);
  t.same(lines, [
    'counter:name-7: it does not fit its schema: last must be integer',
    'entry 2: it is not an entry',
    'journal: entries 4 to 4 are missing',
  ]);
});

void t.test(
  'parley verify, on a folder that is whole, served, damaged, or not there',
  async (t) => {
    const directory = join(testFolder(t), 'data');
    const url = `embedded:${directory}`;
    const store = await openEmbeddedStore(directory);
    const lease = (await store.acquireLease('a', TTL_MS))!;
    await store.commit(lease, commitOf({ entries: [{ seq: 1, text: EMPTY }], writes: counters() }));
    const verify = async () => {
      const lines: string[] = [];
      const { status } = await runVerify(url, null, (line) => void lines.push(line));
      return { status, lines };
    };
    const whole = {
      status: 0,
      lines: ['No damage found: 600 documents, 1 journal entries, 0 due times read'],
    };
    t.same(await verify(), whole, 'while it is served');
    await store.close();
    t.same(await verify(), whole);

    const file = join(directory, 'data.mdb');
    const original = readFileSync(file);
    const bytes = Buffer.from(original);
    for (const name of ['name-11"', 'name-12"', 'name-599"']) {
      for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) bytes[at]! ^= 4;
    }
    writeFileSync(file, bytes);
    const damaged = await verify();
    t.equal(damaged.status, 1);
    t.same(damaged.lines.slice(0, 3).sort(), [
      'counter:name-11: its checksum differs',
      'counter:name-12: its checksum differs',
      'counter:name-599: its checksum differs',
    ]);
    t.match(damaged.lines[3], /^3 damaged: 597 documents/);

    const page = Buffer.from(original);
    for (let at = page.indexOf('name-11"'); at >= 0; at = page.indexOf('name-11"', at + 1)) {
      page.writeUInt16LE(0x7777, 4096 * Math.floor(at / 4096) + 18);
    }
    writeFileSync(file, page);
    const broken = await verify();
    t.equal(broken.status, 1);
    t.match(broken.lines, [
      /data\.mdb is damaged: docs: page \d+ is damaged.*\. Restore the store from a backup$/,
    ]);
    t.notMatch(broken.lines[0], /parley verify/, 'which was just run');

    await t.rejects(
      runVerify('embedded:/nowhere/at/all', null, () => undefined),
      /There is no store in/,
    );
  },
);

void t.test('what every read needs is damaged once', async (t) => {
  const store = createMemoryStore(createMemory());
  const lease = (await store.acquireLease('a', TTL_MS))!;
  const writes = [set('a', '1', {}), set('b', '1', {}), set('c', '1', {})];
  await store.commit(lease, commitOf({ entries: [{ seq: 1, text: EMPTY }], writes }));
  const fault = new DamagedError('the store', 'unapplied merges', 'their checksum differs');
  const refusing = storeWith(store, {
    faults: async () => [fault],
    getMany: async () => [],
    async *scan() {
      yield await Promise.reject<[]>(fault);
    },
  });
  const lines: string[] = [];
  const verdict = await verifyStore(refusing, (line) => void lines.push(line));
  t.same(lines, ['unapplied merges: their checksum differs']);
  t.equal(verdict.faults, 1);
});

/** A scheduled message that waits, as its actor keeps it. */
function waiting(id: number, deliverAt: number): Write {
  return set('scheduled_message', String(id), {
    ...{ machine: 'scheduled-message', version: 2, value: 'pending' },
    context: {
      ...{ id, user_id: 4, content: 'later', rendered_content: '<p>later</p>', failure: null },
      ...{ type: 'private', to: [5], topic: '', deliver_at: deliverAt },
      ...{ client: 'test', read_by_sender: true },
    },
  });
}

void t.test('what is derived is compared with the documents, item by item', async (t) => {
  const memory = createMemory();
  const store = createMemoryStore(memory);
  const lease = (await store.acquireLease('a', TTL_MS))!;
  const delivery = (id: string, at: number) => ({ index: 'delivery', id, at });
  const archive = {
    ...{ id: 3, archived_at: 1_800_000_000, recipient_id: 2, stream_id: null },
    ...{ messages: [], marks: [] },
  };
  await store.commit(
    lease,
    commitOf({
      entries: [{ seq: 1, text: EMPTY }],
      writes: [
        ...[5, 6, 7].map((id) => waiting(id, 1_800_000_000 + id)),
        set('message_archive', '3', archive),
        set('counter', 'message', { name: 'message', last: 9 }),
        set('counter', 'message_archive', { name: 'message_archive', last: 3 }),
      ],
      due: [
        ...[5, 6, 7].map((id) => delivery(`scheduled_message:${id}`, (1_800_000_000 + id) * 1000)),
        { index: 'message_archive', id: '3', at: 1_800_086_400_000 },
      ],
    }),
  );
  const verify = async (): Promise<string[]> => {
    const lines: string[] = [];
    await verifyStore(store, (line) => void lines.push(line));
    return lines;
  };
  t.same(await verify(), []);

  const slots = memory.due.get('delivery')!;
  slots.delete('scheduled_message:5');
  slots.set('scheduled_message:6', 1_900_000_000_000);
  slots.set('reminder:8', 1);
  memory.due.get('message_archive')!.clear();
  memory.due.get('message_archive')!.set('4', 1);
  memory.collections.get('counter')!.set('message_archive', '{"name":"message_archive","last":2}');
  t.same(await verify(), [
    'counter:message_archive: it says 2, and there is message_archive:3',
    'due index delivery: reminder:8 does not wait for a time',
    'due index delivery: scheduled_message:6 is due at 2027-01-15T08:00:06.000Z, and stands at 2030-03-17T17:46:40.000Z',
    'due index delivery: scheduled_message:5 is missing',
    'due index message_archive: 4 is no archive',
    'due index message_archive: 3 is missing',
  ]);
});

void t.test('a document under the key of another is named', async (t) => {
  const memory = createMemory();
  const store = createMemoryStore(memory);
  const lease = (await store.acquireLease('a', TTL_MS))!;
  const entries = [{ seq: 1, text: EMPTY }];
  await store.commit(lease, commitOf({ entries, writes: [waiting(5, 1_800_000_000)] }));
  const documents = memory.collections.get('scheduled_message')!;
  documents.set('6', documents.get('5')!);
  const lines: string[] = [];
  await verifyStore(store, (line) => void lines.push(line));
  t.match(lines, ['scheduled_message:6: it says that it is scheduled_message:5']);
});
