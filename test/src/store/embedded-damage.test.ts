import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openEnvironment } from '../../../src/store/embedded/environment.js';
import { openEmbeddedStore } from '../../../src/store/embedded/store.js';
import { DamagedError, type Store } from '../../../src/store/port.js';
import { fullScale, randomOfRun, scaled } from '../../system/harness/scale.js';
import { commitOf, set, TTL_MS } from './contract/under-test.js';
import { testFolder } from '../../fixtures/test-folder.js';

const COLLECTIONS = ['user', 'message', 'mark'];
const TEXT = 'It is a truth universally acknowledged ';

/** A store with pages of every kind, large values, and pages that are free again. */
async function fill(directory: string, random: () => number): Promise<void> {
  const store = await openEmbeddedStore(directory, { durability: 'process' });
  const lease = (await store.acquireLease('a', 1))!;
  for (let seq = 1; seq <= 120; seq++) {
    const writes = Array.from({ length: 12 }, () => {
      const id = Math.floor(random() * 700);
      const collection = COLLECTIONS[id % 3]!;
      const key = { collection, id: collection === 'mark' ? `${id}:x` : String(id) };
      if (random() < 0.2) return { op: 'delete', key } as const;
      const length = random() < 0.03 ? 9000 : 500 * random();
      return set(key.collection, key.id, { id, text: TEXT.repeat(length / TEXT.length) });
    });
    const entries = [{ seq, text: JSON.stringify({ seq, text: TEXT }) }];
    const due = [{ index: 'delivery', id: `a:${seq}`, at: 1e12 + 1000 * seq }];
    await store.commit(lease, commitOf({ entries, writes, due }));
    if (seq % 40 === 0) await store.trimJournal(seq - 20);
  }
  await store.close();
}

/** Everything there is, as text; throws for the first that is damaged. */
async function read(store: Store): Promise<string> {
  const lines: string[] = [];
  for (const collection of await store.collections()) {
    for await (const batch of store.scan(collection)) {
      for (const { id, document } of batch) {
        lines.push(`${collection}:${id} ${JSON.stringify(document)}`);
      }
    }
  }
  for (const { seq, text, damaged } of await store.readJournal(0, Infinity, Infinity)) {
    if (damaged) throw new DamagedError(store.description, `entry ${seq}`, 'its checksum differs');
    lines.push(`${seq} ${text}`);
  }
  for await (const batch of store.scanDue('delivery')) {
    for (const { id, at, isBroken } of batch) {
      if (isBroken) throw new DamagedError(store.description, id, 'its two places differ');
      lines.push(`${id} ${at}`);
    }
  }
  return lines.join('\n');
}

const FLIPS = scaled(60, 1500);

void t.test('no flipped bit of data.mdb is served, or ends the process', async (t) => {
  const original = join(testFolder(t), 'original');
  const random = randomOfRun(t);
  await fill(original, random);
  const whole = await openEmbeddedStore(original);
  const written = await read(whole);
  await whole.close();
  const file = readFileSync(join(original, 'data.mdb'));
  const outcomes = { refused: 0, named: 0, unharmed: 0 };
  // Each bit of what says where everything is, and random ones elsewhere.
  const heads = fullScale ? 8 * 160 : 0;
  for (let i = 0; i < FLIPS + 2 * heads; i++) {
    const head = i - FLIPS;
    const bit =
      head < 0
        ? Math.floor(random() * file.length * 8)
        : (head % heads) + (head >= heads ? 8 * 4096 : 0);
    const directory = join(t.testdirName, 'flipped');
    mkdirSync(directory);
    copyFileSync(join(original, 'data.mdb'), join(directory, 'data.mdb'));
    const flipped = Buffer.from(file);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    writeFileSync(join(directory, 'data.mdb'), flipped);
    let store: Store | undefined;
    try {
      store = await openEmbeddedStore(directory);
      t.ok((await read(store)) === written, `bit ${bit} of byte ${bit >> 3}`);
      outcomes.unharmed += 1;
    } catch (error) {
      if (error instanceof DamagedError) outcomes.named += 1;
      else if (/data\.mdb|format/.test((error as Error).message)) outcomes.refused += 1;
      else throw error;
    } finally {
      await store?.close();
      rmSync(directory, { recursive: true });
    }
  }
  t.comment(JSON.stringify(outcomes));
  // Of few random ones none may be of a kind.
  if (fullScale) {
    t.ok(outcomes.refused > 0 && outcomes.named > 0, 'flips of both kinds were tried');
  }
});

void t.test(
  'a place in a due index that is kept twice, and differs, is told and made anew',
  async (t) => {
    const directory = join(testFolder(t), 'data');
    const first = await openEmbeddedStore(directory);
    const lease = (await first.acquireLease('a', TTL_MS))!;
    const times: readonly (readonly [string, number])[] = [
      ['as it was', 10],
      ['lost', 20],
      ['moved', 30],
      ['unrecorded', 40],
      ['recorded', 50],
    ];
    const due = times.map(([id, at]) => ({ index: 'wake', id, at }));
    await first.commit(lease, commitOf({ due }));
    await first.close();

    const environment = await openEnvironment(directory, 'process');
    const { due: table } = environment;
    await table.remove({ index: 'wake', at: 20, id: 'lost' });
    await table.remove({ index: 'wake', at: null, id: 'lost' });
    await table.remove({ index: 'wake', at: 30, id: 'moved' });
    await table.put({ index: 'wake', at: 9000, id: 'moved' }, '');
    await table.remove({ index: 'wake', at: null, id: 'unrecorded' });
    await table.remove({ index: 'wake', at: 50, id: 'recorded' });
    await environment.close();

    const store = await openEmbeddedStore(directory);
    t.teardown(() => store.close());
    const slots = async () => {
      const found: unknown[] = [];
      for await (const batch of store.scanDue('wake', { batch: 2 })) found.push(...batch);
      return found;
    };
    t.strictSame(await slots(), [
      { id: 'as it was', at: 10 },
      { id: 'unrecorded', at: 40, isBroken: true },
      { id: 'moved', at: 9000, isBroken: true },
      { id: 'moved', at: 30, isBroken: true },
      { id: 'recorded', at: 50, isBroken: true },
    ]);
    const again = (await store.acquireLease('b', TTL_MS))!;
    const anew = [
      { index: 'wake', id: 'lost', at: 20 },
      { index: 'wake', id: 'unrecorded', at: 40, was: 40 },
      { index: 'wake', id: 'moved', at: 30, was: 9000 },
      { index: 'wake', id: 'moved', at: 30, was: 30 },
      { index: 'wake', id: 'recorded', at: 50, was: 50 },
    ];
    await store.commit(again, commitOf({ due: anew }));
    t.strictSame(
      await slots(),
      times.map(([id, at]) => ({ id, at })),
    );
  },
);
