/** A copy of a store that is written to meanwhile is the store as it was at one position. */
import t, { type Test } from 'tap';
import { changesOf } from '../../../../src/journal/entry-reading.js';
import { createMemoryStore } from '../../../../src/store/memory.js';
import type { Document, DueChange, Lease, Store, Write } from '../../../../src/store/port.js';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { copyCut } from '../../../../src/store/transfer/cut.js';
import { freshUrl, NO_REDIS, startRedis } from '../fixtures/redis-server.js';
import { TTL_MS } from '../contract/under-test.js';

/** Commits from the beginning of the copy on, at least; and before it. */
const MEANWHILE = 400;
const BEFORE = 60;
const IDS = 12;

/** What a store holds, as plain objects. */
interface Content {
  documents: Record<string, Document>;
  due: Record<string, number>;
}

/** Somebody who writes: the documents of each position are remembered. */
class Writer {
  readonly at = new Map<number, Content>();
  private content: Content = { documents: {}, due: {} };
  private seq = 0;
  private random = 12345;

  constructor(
    readonly store: Store,
    private readonly lease: Lease,
  ) {}

  async write(): Promise<void> {
    this.seq += 1 + this.next(3);
    const { seq } = this;
    // One write per document, as transactions make them.
    const made = Array.from({ length: 1 + this.next(4) }, () => this.change());
    const writes = [...new Map(made.map((write) => [nameOf(write), write])).values()];
    const due: DueChange[] = Array.from({ length: this.next(3) }, () => {
      const id = String(this.next(IDS));
      return { index: 'wake', id, at: this.next(3) === 0 ? null : 1000 + this.next(4) };
    });
    for (const write of writes) this.apply(write);
    for (const { id, at } of due) {
      if (at === null) delete this.content.due[id];
      else this.content.due[id] = at;
    }
    this.at.set(seq, structuredClone(this.content));
    const changes = writes.map((write) => {
      const { collection, id } = write.key;
      if (write.op === 'delete') return [collection, id, 'delete'];
      return [collection, id, write.op, write.op === 'set' ? write.document : write.fields];
    });
    const text = JSON.stringify({ at: 0, changes, events: [], due });
    await this.store.commit(this.lease, { entries: [{ seq, text }], writes, due });
  }

  private change(): Write {
    const key = { collection: ['user', 'queue'][this.next(2)]!, id: String(this.next(IDS)) };
    const former = this.content.documents[`${key.collection}:${key.id}`];
    const kind = this.next(3);
    if (former !== undefined && kind === 0) return { op: 'delete', key };
    const fields = { [`f${this.next(3)}`]: this.seq * 10 + this.next(10) };
    if (former === undefined || kind === 1) return { op: 'set', key, document: fields };
    return { op: 'merge', key, fields, document: { ...former, ...fields } };
  }

  private apply(write: Write): void {
    const name = nameOf(write);
    if (write.op === 'delete') delete this.content.documents[name];
    else this.content.documents[name] = write.document;
  }

  private next(below: number): number {
    this.random = (this.random * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((this.random / 2 ** 31) * below);
  }
}

function nameOf({ key }: Write): string {
  return `${key.collection}:${key.id}`;
}

async function contentOf(store: Store): Promise<Content> {
  const content: Content = { documents: {}, due: {} };
  for (const collection of await store.collections()) {
    for await (const batch of store.scan(collection)) {
      for (const { id, document } of batch) content.documents[`${collection}:${id}`] = document;
    }
  }
  for await (const batch of store.scanDue('wake')) {
    for (const { id, at } of batch) content.due[id] = at;
  }
  return content;
}

async function copied(t: Test, source: Store): Promise<void> {
  const lease = (await source.acquireLease('writer', TTL_MS))!;
  const writer = new Writer(source, lease);
  for (let i = 0; i < BEFORE; i++) await writer.write();
  await source.trimJournal(20);
  const began = (await source.lastEntry())!.seq;

  let copying = true;
  const writing = (async () => {
    for (let i = 0; copying || i < MEANWHILE; i++) await writer.write();
  })();
  const target = createMemoryStore();
  const targetLease = (await target.acquireLease('copy', TTL_MS))!;
  await copyCut(source, target, targetLease, changesOf);
  copying = false;
  const ended = (await source.lastEntry())!.seq;
  await writing;

  const { seq } = (await target.lastEntry())!;
  t.ok(began < seq && seq < ended, `cut at ${seq}, begun at ${began}, ended at ${ended}`);
  t.same(
    await contentOf(target),
    writer.at.get(seq),
    'documents and due times are of that position',
  );
  const first = (await source.firstSeq())!;
  t.equal(await target.firstSeq(), first);
  t.same(await target.readJournal(0, seq, 9999), await source.readJournal(0, seq, 9999));
}

void t.test('a copy from memory has the state of one position', (t) =>
  copied(t, createMemoryStore()),
);

void t.test(
  'a copy from Redis has the state of one position',
  { skip: NO_REDIS ?? false },
  async (t) => {
    const redis = await startRedis(t);
    const store = await openRedisStore(parseRedisUrl(freshUrl(redis.port)));
    t.teardown(() => store.close());
    await copied(t, store);
  },
);

void t.test('a store that another server takes the place of ends the copy', async (t) => {
  const source = createMemoryStore();
  const lease = (await source.acquireLease('writer', TTL_MS))!;
  const writer = new Writer(source, lease);
  for (let i = 0; i < 5; i++) await writer.write();
  let servers = 1;
  source.lineage = async () => `server ${servers}`;
  const target = createMemoryStore();
  const targetLease = (await target.acquireLease('copy', TTL_MS))!;
  const dueIndexes = source.dueIndexes.bind(source);
  source.dueIndexes = () => {
    servers++;
    return dueIndexes();
  };
  await t.rejects(copyCut(source, target, targetLease, changesOf), { message: /export it again/ });
});

void t.test('a journal that is trimmed faster than it is read ends the copy', async (t) => {
  const source = createMemoryStore();
  const lease = (await source.acquireLease('writer', TTL_MS))!;
  const writer = new Writer(source, lease);
  for (let i = 0; i < 5; i++) await writer.write();
  const target = createMemoryStore();
  const targetLease = (await target.acquireLease('copy', TTL_MS))!;
  source.follow = async function* () {
    throw Object.assign(new Error('Journal entries after 5 were trimmed'), {
      name: 'TrimmedError',
    });
    yield [];
  };
  await t.rejects(copyCut(source, target, targetLease, changesOf), { name: 'TrimmedError' });
});
