import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { FolderBlobStore } from '../../../src/services/blob-store.js';

void t.test('a file is kept under its key until it is deleted', async (t) => {
  const folder = t.testdir();
  const blobs = new FolderBlobStore(folder);
  t.equal(await blobs.get('a/b.png'), undefined);
  await blobs.put('a/b.png', Buffer.from('one'));
  t.strictSame(await blobs.get('a/b.png'), Buffer.from('one'));
  await blobs.put('a/b.png', Buffer.from('two'));
  t.strictSame(await new FolderBlobStore(folder).get('a/b.png'), Buffer.from('two'));
  t.strictSame(await readdir(join(folder, 'a')), ['b.png'], 'no drafts are left');
  t.equal(blobs.pathOf('a/b.png'), join(folder, 'a', 'b.png'));
  await blobs.delete('a/b.png');
  await blobs.delete('a/b.png');
  t.equal(await blobs.get('a/b.png'), undefined);
});

void t.test('a key never leads out of the folder', async (t) => {
  const blobs = new FolderBlobStore(t.testdir());
  const bad = [
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
    'x'.repeat(501),
  ];
  for (const key of bad) {
    await t.rejects(blobs.get(key), /Not a blob key/, key.slice(0, 20));
    await t.rejects(blobs.put(key, Buffer.alloc(1)), /Not a blob key/);
    await t.rejects(blobs.delete(key), /Not a blob key/);
  }
});

void t.test('what cannot be written or read is an error, and leaves nothing', async (t) => {
  const folder = t.testdir();
  const blobs = new FolderBlobStore(folder);
  await mkdir(join(folder, 'taken'));
  await t.rejects(blobs.put('taken', Buffer.from('x')));
  t.strictSame(await readdir(folder), ['taken']);
  await t.rejects(blobs.get('taken'));
  await writeFile(join(folder, 'file'), '');
  await t.rejects(blobs.put('file/inside', Buffer.from('x')));
});
