import { createHash, randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { BlobStore, FileStore } from '../../../src/services/blob-store.js';

/** Reads a part of a file as a download does. */
export async function partOf(
  blobs: BlobStore,
  key: string,
  { size, first = 0, end = size }: { size: number; first?: number; end?: number },
): Promise<Buffer | undefined> {
  const file = await blobs.open(key, size);
  if (!file) return undefined;
  const parts: Buffer[] = [];
  try {
    for (let at = first; at < end; at += parts.at(-1)!.length) {
      parts.push(await file.read(at, end));
      if (parts.at(-1)!.length === 0) throw new Error(`nothing at ${at}`);
    }
  } finally {
    await file.close();
  }
  return Buffer.concat(parts);
}

const BAD_KEYS = [
  '',
  '/a',
  'a/',
  'a//b',
  '..',
  '../a',
  'a/../b',
  '.a',
  'a\\b',
  'a b',
  'a?b',
  'x'.repeat(501),
];

/** What every place of files does. @param open an empty one, the same within a test */
export function blobStoreTests(name: string, open: (t: Test) => Promise<() => FileStore>): void {
  void t.test(`${name}: a file is stored in parts, or not at all`, async (t) => {
    const blobs = (await open(t))();
    const data = randomBytes(900_000);
    const hash = createHash('sha256').update(data).digest('hex');
    const read = async function* (end: number) {
      for (let at = 0; at < end; at += 400_000) yield data.subarray(at, at + 400_000);
      if (end < data.length) throw new Error('a part is gone');
    };
    const { length } = data;
    await t.rejects(blobs.put('a/b', { length, hash, read: () => read(500_000) }));
    t.equal(await blobs.get('a/b'), undefined);
    await blobs.put('a/b', { length, hash, read: () => read(length) });
    t.same(await blobs.get('a/b'), data);
  });

  void t.test(`${name}: a file is kept under its key until it is deleted`, async (t) => {
    const again = await open(t);
    const blobs = again();
    t.equal(await blobs.holdsFiles(), false);
    t.equal(await blobs.get('a/b.png'), undefined);
    await blobs.put('a/b.png', Buffer.from('one'));
    t.strictSame(await blobs.get('a/b.png'), Buffer.from('one'));
    await blobs.put('a/b.png', Buffer.from('two'));
    await blobs.put('a/c.png', Buffer.from('three'));
    t.strictSame(await again().get('a/b.png'), Buffer.from('two'));
    t.equal(await again().holdsFiles(), true);
    await blobs.delete('a/b.png');
    await blobs.delete('a/b.png');
    t.equal(await blobs.get('a/b.png'), undefined);
    t.strictSame(await blobs.get('a/c.png'), Buffer.from('three'));
  });

  void t.test(`${name}: a file is read in parts, from anywhere to anywhere`, async (t) => {
    const blobs = (await open(t))();
    const size = 3_000_001;
    const data = randomBytes(size);
    await blobs.put('uploads/ab/large', data);
    for (const [first, end] of [
      [0, size],
      [0, 1],
      [size - 1, size],
      [65_535, 65_537],
      [65_536, 2_000_000],
    ] as const) {
      const part = await partOf(blobs, 'uploads/ab/large', { size, first, end });
      t.ok(part?.equals(data.subarray(first, end)), `${first} to ${end}`);
    }
    const file = (await blobs.open('uploads/ab/large', size))!;
    t.ok((await file.read(0, size)).length <= 1024 * 1024, 'never the whole file at once');
    await file.close();
    for (const small of [0, 1, 65_536, 65_537]) {
      await blobs.put('small', data.subarray(0, small));
      t.ok((await partOf(blobs, 'small', { size: small }))?.equals(data.subarray(0, small)));
    }
    t.equal(await partOf(blobs, 'uploads/ab/none', { size }), undefined);
    t.equal(await partOf(blobs, 'uploads/ab/none', { size: 1 }), undefined);
  });

  void t.test(`${name}: a file of another size than it was stored with is an error`, async (t) => {
    const blobs = (await open(t))();
    await blobs.put('cut', Buffer.alloc(70_000));
    await t.rejects(blobs.open('cut', 80_000), /cut has 70000 bytes in place of 80000/);
    await blobs.put('cut', Buffer.alloc(7));
    await t.rejects(blobs.open('cut', 8), /cut has 7 bytes in place of 8/);
  });

  void t.test(`${name}: a key never leads elsewhere`, async (t) => {
    const blobs = (await open(t))();
    for (const key of BAD_KEYS) {
      await t.rejects(blobs.get(key), /Not a blob key/, key.slice(0, 20));
      await t.rejects(blobs.open(key, 1), /Not a blob key/);
      await t.rejects(blobs.put(key, Buffer.alloc(1)), /Not a blob key/);
      await t.rejects(blobs.delete(key), /Not a blob key/);
    }
  });
}
