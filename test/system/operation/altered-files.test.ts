/** Uploaded files that are not what was stored: refused, and named. */
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openStore } from '../../../src/store/open.js';
import type { Document } from '../../../src/store/port.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, storeFolder } from '../harness/server.js';
import { upload } from '../harness/uploading.js';

/** More than is read at a time. */
const LARGE = Buffer.alloc(700_000, 'large file ');

/** Where a folder of files has what is at an address. */
function fileAt(files: string, url: string): string {
  const [group = '', token = ''] = url.split('/').slice(3);
  return join(files, 'uploads', group, token);
}

/** Turns one bit in the middle of a file. */
function alter(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(path, bytes);
}

void t.test('files of an organization', async (t) => {
  let server = await RunningServer.start(t);
  const { folder } = server;
  const files = join(folder, 'files');
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const urls: string[] = [];
  for (const [name, data] of [
    ['small.txt', Buffer.from('small')],
    ['large.txt', LARGE],
    ['gone.txt', Buffer.from('gone')],
    ['old.txt', Buffer.from('old')],
  ] as const) {
    urls.push(String((await upload(owner, '/user_uploads', name, data)).url));
  }
  const [small, large, gone, old] = urls as [string, string, string, string];
  const get = async (url: string, headers: Record<string, string> = {}) => {
    const authorization = { Authorization: owner.authorization };
    const reply = await fetch(server.url + url, { headers: { ...authorization, ...headers } });
    return { status: reply.status, text: await reply.text() };
  };
  const verify = async (...more: string[]) => {
    const { code, stdout } = await run(['verify', '--store', `embedded:${folder}`, ...more]);
    return { code, lines: stdout.trim().split('\n') };
  };

  await t.test('what is as it was stored is served and found intact', async (t) => {
    t.same(await get(small), { status: 200, text: 'small' });
    t.same(await get(large), { status: 200, text: LARGE.toString() });
    t.match(await get(large, { Range: 'bytes=0-9' }), { status: 206, text: 'large file' });
    t.match(await verify('--files'), {
      code: 0,
      lines: [/^No damage found: .*, 4 uploaded files read$/],
    });
    t.match(await verify(), { code: 0, lines: [/^No damage found: .* due times read$/] });
    const { attachments } = await owner.ok('GET', '/attachments');
    for (const one of attachments as object[]) t.notOk('sha256' in one, 'clients are told nothing');
  });

  const backups = storeFolder(t);
  const at = ['--store', `embedded:${folder}`];
  t.match(await run(['backup', backups, ...at]), { code: 0, stderr: /; 4 uploaded files$/m });

  await t.test('what was altered is refused, also after it was served', async (t) => {
    alter(fileAt(files, small));
    alter(fileAt(files, large));
    for (const [url, id] of [
      [small, 1],
      [large, 2],
    ] as const) {
      for (const headers of [{}, { Range: 'bytes=0-3' }] as Record<string, string>[]) {
        const { status, text } = await get(url, headers);
        t.equal(status, 500);
        t.match(JSON.parse(text), {
          msg: new RegExp(`^The stored file of attachment:${id} is damaged`),
        });
      }
    }
    t.match(
      server.stdout + server.stderr,
      /The file of attachment:1 is damaged: uploads\/.*: its checksum differs\. Run parley verify --files to see which others are/,
    );
    rmSync(fileAt(files, gone));
    t.match(await get(gone), { status: 404 });
    const { code, lines } = await verify('--files', `folder:${files}`);
    t.equal(code, 1);
    t.match(lines, [
      /^file of attachment:1: uploads\/.*: its checksum differs$/,
      /^file of attachment:2: uploads\/.*: its checksum differs$/,
      /^file of attachment:3: uploads\/.* is not there$/,
      /^3 damaged: .*, 4 uploaded files read$/,
    ]);
    const intact = fileAt(join(backups, 'files'), small);
    copyFileSync(intact, fileAt(files, small));
    t.same(await get(small), { status: 200, text: 'small' }, 'what was restored is served again');
  });

  await t.test(
    'a backup with an altered file is restored without it only where that is asked for',
    async (t) => {
      alter(fileAt(join(backups, 'files'), old));
      const place = join(storeFolder(t), 'data');
      const target = ['--store', `embedded:${place}`];
      const named =
        /^file of attachment:4: uploads\/.*: its checksum differs\n.* is intact: .*; 4 uploaded files, 1 of them missing or altered\n/;
      const checked = await run(['restore', backups, '--check', ...target]);
      t.match(checked, { code: 1, stderr: named });
      const refused = await run(['restore', backups, ...target]);
      t.match(refused, { code: 1, stderr: named });
      t.match(
        refused.stderr,
        /\nNothing was restored: --without-damaged restores all but 1 uploaded file\n$/,
      );
      t.notOk(existsSync(place));
      const restored = await run(['restore', backups, '--without-damaged', ...target]);
      t.match(restored, { code: 0, stderr: named });
      t.match(restored.stderr, /\nImported \d+ documents in [^]*\n4 files were copied to /);
      const verified = await run([
        'verify',
        ...target,
        '--files',
        `folder:${join(place, 'files')}`,
      ]);
      t.match(verified, {
        code: 1,
        stdout: /^file of attachment:4: uploads\/.*: its checksum differs\n1 damaged/,
      });
    },
  );

  await t.test(
    'a backup copies again what was altered in its folder, and names what is in the source',
    async (t) => {
      const again = await run(['backup', backups, ...at]);
      t.match(again, { code: 0, stderr: /\n1 files were copied to .*\n$/ });
      const anew = await run(['backup', storeFolder(t), ...at]);
      const told = /The backup lacks 2 uploaded files: restore it with --without-damaged\n$/;
      t.match(anew, { code: 1, stderr: told });
      t.equal(
        readFileSync(fileAt(join(backups, 'files'), old), 'utf8'),
        'old',
        'the source had it',
      );
    },
  );

  await t.test('a file of before there were checksums is served, and counted', async (t) => {
    await server.stop();
    const store = await openStore(`embedded:${folder}`);
    const lease = (await store.acquireLease('test', 60_000))!;
    const key = { collection: 'attachment', id: '4' };
    const [found] = await store.getMany([key]);
    const { sha256, ...document } = found as Document & { sha256: string };
    t.match(sha256, /^[\w-]{43}$/);
    await store.commit(lease, { entries: [], writes: [{ op: 'set', key, document }], due: [] });
    await store.close();
    server = await server.restart(t);
    t.same(await get(old), { status: 200, text: 'old' });
    t.match(await verify('--files'), {
      code: 1,
      lines: [
        /^file of attachment:2/,
        /^file of attachment:3/,
        /, 4 uploaded files \(1 of them without a checksum\) read$/,
      ],
    });
    t.equal(statSync(fileAt(files, old)).size, 3);
  });
});

void t.test('a restore tells one story', async (t) => {
  const server = await RunningServer.start(t);
  const { folder } = server;
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await upload(owner, '/user_uploads', 'plan.txt', Buffer.from('the plan'));
  await server.stop();
  const backups = storeFolder(t);
  const backUp = (...flags: string[]) =>
    run(['backup', backups, ...flags, '--keep', '1', '--store', `embedded:${folder}`]);
  const restore = async (secret: string) => {
    const place = join(storeFolder(t), 'data');
    const flags = ['--store', `embedded:${place}`, '--secret-file', secret];
    const { code, stderr } = await run(['restore', backups, ...flags]);
    t.equal(code, 0);
    return stderr.replaceAll(place, 'PLACE').replaceAll(backups, 'BACKUP').trim().split('\n');
  };
  const story = (secret: RegExp | string) => [
    /^parley-.*\.jsonl is intact: .*; 1 uploaded files$/,
    /^Imported .* into embedded:PLACE$/,
    /^1 files were copied to PLACE\/files$/,
    secret,
    'This is a backup: the first start begins another history, all clients register again.',
  ];
  const secret = join(storeFolder(t), 'secret');
  await backUp();
  t.match(
    await restore(secret),
    story(
      `The backup has no secret of API keys: copy that of the server to ${secret} before the first start`,
    ),
  );
  await backUp('--with-secret');
  t.match(await restore(secret), story(`The secret of API keys was copied to ${secret}`));
  t.match(await restore(secret), story(`The secret of API keys is in ${secret}`));
  writeFileSync(secret, Buffer.alloc(statSync(secret).size, 7));
  t.match(
    await restore(secret),
    story(
      `${secret} is the secret of other API keys: put BACKUP/api-keys.secret in its place before the first start`,
    ),
  );
});
