/** Zulip exports that are cut off, hold more than an import knows, or have links in them. */
import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Store } from '../../../../src/store/port.js';
import { withLease } from '../../../../src/store/transfer/held.js';
import { createMemory, createMemoryStore } from '../../../../src/store/memory.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { FolderBlobStore } from '../../../../src/services/folder-blob-store.js';
import { Omissions } from '../../../../src/transfer/import/import-job.js';
import { importZulip } from '../../../../src/transfer/import/zulip/import-zulip.js';
import { unpack } from '../../../../src/transfer/import/archive.js';
import { cutOffAfter, goesOnWhereItStopped } from '../../../fixtures/archives/cut-off.js';
import { imported } from '../../../fixtures/archives/imported.js';
import { tarGz, type ArchivedFile } from '../../../fixtures/archives/tar.js';
import { zulipExport } from '../../../fixtures/archives/zulip-export.js';
import { pictures } from '../../../fixtures/pictures.js';
import { storeFolder } from '../../../system/harness/server.js';

void t.test('an import that was cut off goes on, and ends as one that was not', async (t) => {
  const folder = storeFolder(t);
  const archive = join(folder, 'realm.tar.gz');
  writeFileSync(archive, tarGz(zulipExport()));
  const unpacked = join(folder, 'unpacked');
  await unpack(archive, unpacked);
  const attempt = async (store: Store, files: string, told = {}): Promise<unknown> =>
    withLease(store, (held) =>
      importZulip({
        ...{ store, held, url: '', botDomain: 'example.com', now: () => 1_800_000_000_000 },
        folder: join(unpacked, 'zulip-export-x7'),
        blobs: new FolderBlobStore(join(folder, files)),
        pictures,
        markdown: createMarkdown(),
        omissions: new Omissions(),
        report: () => undefined,
        ...told,
      }),
    );
  const whole = await goesOnWhereItStopped(t, attempt, [
    ...['Tomorrow *then*', 'Think of it', 'psst'],
  ]);
  await t.rejects(attempt(whole, 'whole'), /not empty: import into an empty/);

  const text = readFileSync(join(unpacked, 'zulip-export-x7', 'realm.json'), 'utf8');
  const other = createMemoryStore(createMemory());
  const once = cutOffAfter(other, 1);
  await t.rejects(attempt(once, 'other'), /cut off/);
  writeFileSync(join(unpacked, 'zulip-export-x7', 'realm.json'), text.replace('Engines', 'Motors'));
  await t.rejects(attempt(other, 'other'), /holds part of another import/);
});

void t.test('whatever nothing took is counted and named, and the import ends with 1', async (t) => {
  const archive = join(storeFolder(t), 'realm.tar.gz');
  const rows = { zerver_newthing: [{ id: 1 }, { id: 2 }] };
  const files = zulipExport().map(([name, content]): ArchivedFile => {
    if (!name.endsWith('realm.json')) return [name, content];
    return [name, String(content).replace(/^\{/, `{${JSON.stringify(rows).slice(1, -1)},`)];
  });
  const deep = `uploads/${'deep/'.repeat(30)}unknown.txt`;
  for (const name of [deep, 'avatars/3/whose.png', 'wikis/page.md']) {
    files.push([`zulip-export-x7/${name}`, 'nobody names it']);
  }
  writeFileSync(archive, tarGz(files));
  const told = await imported(t, ['import-zulip', archive], storeFolder(t), 1);
  for (const line of [
    '  2 rows of zerver_newthing that nothing took',
    `  1 uploaded files that no list names (such as ${deep})`,
    '  1 pictures that no list names (such as avatars/3/whose.png)',
    '  1 files that are unknown to the import (such as wikis/page.md)',
  ]) {
    t.ok(told.includes(line), line);
  }
  t.match(told.at(-2), /^The import is incomplete/);

  const without = zulipExport().filter(([name]) => !name.endsWith('attachment.json'));
  writeFileSync(archive, tarGz(without));
  await t.rejects(imported(t, ['import-zulip', archive], storeFolder(t)), {
    name: 'ArchiveError',
    message: /attachment\.json is missing: the archive is not whole$/,
  });
});

void t.test(
  'a folder with links imports what is in it, and nothing that they lead to',
  async (t) => {
    const folder = storeFolder(t);
    const packed = join(folder, 'realm.tar.gz');
    writeFileSync(packed, tarGz(zulipExport()));
    const given = join(folder, 'given');
    await unpack(packed, given);
    const uploads = join(given, 'zulip-export-x7', 'uploads');
    writeFileSync(join(folder, 'secret'), 'of the operator alone');
    rmSync(join(uploads, '3/ab/c0ffee_c0ffee/plan.txt'));
    symlinkSync(join(folder, 'secret'), join(uploads, '3/ab/c0ffee_c0ffee/plan.txt'));
    renameSync(join(uploads, 'AbCdEfGhIjKl'), join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(uploads, 'AbCdEfGhIjKl'));
    const store = join(folder, 'store');
    // A link in the place of a folder is nothing that any list names.
    const told = await imported(t, ['import-zulip', given], store, 1);
    t.match(told.join('\n'), /10 messages, 2 reactions, 1 files,/);
    t.match(told.join('\n'), /4 uploaded files that are missing/);
    const files = readdirSync(join(store, 'files'), { recursive: true, withFileTypes: true });
    const texts = files.map((one) =>
      one.isFile() ? readFileSync(join(one.parentPath, one.name)) : '',
    );
    t.ok(texts.length > 3, 'pictures are there');
    t.notOk(
      texts.some((text) => text.includes('of the operator alone') || text.includes('the notes')),
    );
  },
);
