/** Archives and folders that somebody made to harm whoever imports them. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { fileIn, rootOf, unpack } from '../../../../src/transfer/import/archive.js';
import { rowsOf } from '../../../../src/transfer/import/json-rows.js';
import { entry, tarGz } from '../../../fixtures/archives/tar.js';
import { zip } from '../../../fixtures/archives/zip.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const MIB = 1024 * 1024;
const TOO_MUCH = /unpacks to more than 100 times its size/;

void t.test('an archive unpacks to a hundred times its size at most', async (t) => {
  const zeros = Buffer.alloc(2 * MIB);
  const link = gzipSync(Buffer.concat([...entry('link', zeros, '2'), Buffer.alloc(1024)]));
  for (const [name, archive] of Object.entries({
    'a.tar.gz': tarGz([['zeros', zeros]]),
    'many.tar.gz': tarGz(Array.from({ length: 30 }, (_, i) => [`${i}`, zeros.subarray(0, MIB)])),
    'passed-over.tar.gz': link,
    'a.zip': zip([['zeros', zeros]]),
  })) {
    const folder = testFolder(t);
    writeFileSync(join(folder, name), archive);
    const to = join(folder, 'to');
    await t.rejects(
      unpack(join(folder, name), to, MIB),
      { name: 'ArchiveError', message: TOO_MUCH },
      name,
    );
    await unpack(join(folder, name), join(folder, 'whole'), 64 * MIB);
  }
});

void t.test(
  'what an archive may come to in any case, and what shrinks as messages do',
  async (t) => {
    const folder = testFolder(t);
    const path = join(folder, 'a.tar.gz');
    writeFileSync(path, tarGz([['zeros', Buffer.alloc(8 * MIB)]]));
    await unpack(path, folder);
    t.ok(existsSync(join(folder, 'zeros')), 'eight MiB of eight kB');
    const rows = Array.from({ length: 20_000 }, (_, id) => ({
      id,
      user_profile: 7,
      flags_mask: 1,
    }));
    writeFileSync(path, tarGz([['rows.json', JSON.stringify(rows)]]));
    await unpack(path, folder, 0);
    t.ok(existsSync(join(folder, 'rows.json')));
  },
);

/** A zip with changed bytes in the directory entry of its first file, at places from the entry's beginning. */
function changed(archive: Buffer, change: (entry: Buffer) => void): Buffer {
  const copy = Buffer.from(archive);
  change(copy.subarray(copy.indexOf('PK\x01\x02')));
  return copy;
}

void t.test('what does not unpack as it was packed is refused, and named', async (t) => {
  const one = zip([['uploads/plan.txt', 'the plan'.repeat(20)]]);
  const file = (name: string, type = '0') => entry(name, Buffer.from('text'), type);
  const end = Buffer.alloc(1024);
  const TWICE = /two files, or a file and a folder, of one name: (\.\/)?uploads(\/plan\.txt)?$/;
  for (const [name, archive, message] of [
    [
      'another checksum',
      changed(one, (found) => found.writeUInt8(found[16]! ^ 1, 16)),
      /plan\.txt of the archive is damaged: its checksum is another/,
    ],
    [
      'another size',
      changed(one, (found) => found.writeUInt32LE(7, 24)),
      /plan\.txt of the archive is damaged: /,
    ],
    [
      'a password',
      changed(one, (found) => found.writeUInt16LE(1, 8)),
      /^uploads\/plan\.txt cannot be unpacked: .*encrypted/,
    ],
    [
      'LZMA',
      changed(one, (found) => found.writeUInt16LE(14, 10)),
      /^uploads\/plan\.txt cannot be unpacked: unsupported compression method/,
    ],
    [
      'a zip with a name twice',
      zip([
        ['uploads/plan.txt', '1'],
        ['uploads/plan.txt', '2'],
      ]),
      TWICE,
    ],
    [
      'a file for a folder',
      zip([
        ['uploads', '1'],
        ['uploads/plan.txt', '2'],
      ]),
      TWICE,
    ],
    [
      'a folder for a file',
      zip([
        ['uploads/plan.txt', '1'],
        ['uploads', '2'],
      ]),
      TWICE,
    ],
    [
      'a tar with a name twice',
      tarGz([
        ['uploads/plan.txt', '1'],
        ['./uploads/plan.txt', '2'],
      ]),
      TWICE,
    ],
    ['a long name', zip([['x'.repeat(300), '1']]), /a name that is too long for this system/],
  ] as const) {
    const folder = testFolder(t);
    writeFileSync(join(folder, 'archive'), archive);
    await t.rejects(
      unpack(join(folder, 'archive'), join(folder, 'to')),
      { name: 'ArchiveError', message },
      name,
    );
  }

  const folder = testFolder(t);
  const left: string[] = [];
  const from = async (archive: Buffer) => {
    writeFileSync(join(folder, 'archive'), archive);
    await unpack(join(folder, 'archive'), folder, undefined, (_what, name) => left.push(name));
  };
  await from(
    Buffer.concat([
      ...file('symbolic', '2'),
      ...file('hard', '1'),
      ...file('sparse', 'S'),
      ...file('dir/', '5'),
      ...file('dir/old/'),
      ...file('text'),
      end,
    ]),
  );
  await from(
    changed(zip([['in zip', '/etc/hostname']]), (found) =>
      found.writeUInt32LE(0o120777 * 0x10000, 38),
    ),
  );
  t.strictSame(left, ['symbolic', 'hard', 'sparse', 'in zip']);
  t.ok(existsSync(join(folder, 'text')));
  t.notOk(existsSync(join(folder, 'in zip')));
});

void t.test('no symbolic link of a folder is followed', async (t) => {
  const outside = testFolder(t, {
    secret: 'key',
    'rows.json': '[{"a":1}]',
    folder: { secret: 'key' },
  });
  const made = join(outside, 'export');
  mkdirSync(join(made, 'uploads'), { recursive: true });
  for (const name of ['realm.json', 'uploads/own.txt']) writeFileSync(join(made, name), '[]');
  symlinkSync(join(outside, 'secret'), join(made, 'uploads/file'));
  symlinkSync('../../secret', join(made, 'uploads/relative'));
  symlinkSync(join(outside, 'folder'), join(made, 'uploads/folder'));
  symlinkSync('own.txt', join(made, 'uploads/within'));
  symlinkSync(join(outside, 'rows.json'), join(made, 'messages-000001.json'));
  execFileSync('mkfifo', [join(made, 'uploads/pipe')]);
  const root = await rootOf(made, 'realm.json');
  t.equal(await fileIn(root, 'uploads/own.txt', 100), join(made, 'uploads/own.txt'));
  for (const place of ['file', 'relative', 'folder/secret', 'within', 'pipe', 'none']) {
    t.equal(await fileIn(root, `uploads/${place}`, 100), null, place);
  }
  const read = async (path: string): Promise<void> => {
    for await (const _row of rowsOf(path));
  };
  await t.rejects(read(join(root, 'messages-000001.json')), {
    name: 'ArchiveError',
    message: /messages-000001\.json is no file of its own: an import follows no symbolic links/,
  });
  const missing = /attachment\.json is missing: the archive is not whole/;
  await t.rejects(read(join(root, 'attachment.json')), missing);
  symlinkSync(join(made, 'uploads'), join(made, 'avatars'));
  await t.rejects(
    read(join(root, 'avatars/own.txt')),
    /follows no symbolic links/,
    'behind a link',
  );

  symlinkSync(made, join(outside, 'named'));
  t.equal(
    await rootOf(join(outside, 'named'), 'realm.json'),
    made,
    'the folder that was named may be one',
  );
  renameSync(join(made, 'realm.json'), join(outside, 'realm.json'));
  symlinkSync(join(outside, 'realm.json'), join(made, 'realm.json'));
  await t.rejects(rootOf(made, 'realm.json'), { message: /There is no realm\.json/ });
  const above = testFolder(t);
  symlinkSync(outside, join(above, 'export'));
  await t.rejects(rootOf(above, 'realm.json'), { message: /There is no realm\.json/ });
  t.strictSame(readdirSync(above), ['export']);
});
