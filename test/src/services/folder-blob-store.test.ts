import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { FolderBlobStore } from '../../../src/services/folder-blob-store.js';
import { blobStoreTests } from './blob-store-contract.js';
import { testFolder } from '../../fixtures/test-folder.js';

blobStoreTests('folder', async (t) => {
  const folder = join(testFolder(t), 'files');
  return () => new FolderBlobStore(folder);
});

void t.test('a file lies under its key, and nothing beside it', async (t) => {
  const folder = testFolder(t);
  const blobs = new FolderBlobStore(folder);
  await blobs.put('a/b.png', Buffer.from('one'));
  await blobs.put('a/b.png', Buffer.from('two'));
  t.strictSame(await readdir(join(folder, 'a')), ['b.png'], 'no drafts are left');
});

void t.test('what cannot be written or read is an error, and leaves nothing', async (t) => {
  const folder = testFolder(t);
  const blobs = new FolderBlobStore(folder);
  await mkdir(join(folder, 'taken'));
  await t.rejects(blobs.put('taken', Buffer.from('x')));
  t.strictSame(await readdir(folder), ['taken']);
  await t.rejects(blobs.get('taken'));
  await writeFile(join(folder, 'file'), '');
  await t.rejects(blobs.put('file/inside', Buffer.from('x')));
});
