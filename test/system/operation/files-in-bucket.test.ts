import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import t, { type Test } from 'tap';
import { runBackup } from '../../../src/operator/backup/backup.js';
import { runRestore } from '../../../src/operator/backup/restore.js';
import { readCommand } from '../../../src/cli/command-line.js';
import { KEYS, LocalBucket, refuse } from '../../src/services/fixtures/s3-server.js';
import { exchange, type ApiClient } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { RunningServer, run, storeFolder } from '../harness/server.js';
import { send, upload } from '../harness/uploading.js';

const MIB = 1024 * 1024;
const ENVIRONMENT = { AWS_ACCESS_KEY_ID: KEYS.keyId, AWS_SECRET_ACCESS_KEY: KEYS.secret };

function options(bucket: LocalBucket) {
  return { args: ['--files', bucket.url], env: { ...ENVIRONMENT, PARLEY_LOG: 'info' } };
}

function ask(client: ApiClient, path: unknown, headers: Record<string, string> = {}) {
  return fetch(client.url + String(path), {
    headers: { Authorization: client.authorization, ...headers },
  });
}

async function bytesOf(reply: Response): Promise<Buffer> {
  return Buffer.from(await reply.arrayBuffer());
}

async function away(t: Test, reply: Response): Promise<void> {
  t.equal(reply.status, 503);
  t.equal(reply.headers.get('retry-after'), '1');
  t.same(await reply.json(), {
    result: 'error',
    msg: 'Uploaded files are not available',
    code: 'SERVICE_UNAVAILABLE',
  });
}

void t.test('uploaded files in a bucket: the same on the wire, through a restart', async (t) => {
  const bucket = await LocalBucket.start(t);
  const { server, hamlet, owner } = await startOrganization(t, options(bucket));
  // The largest there may be.
  const data = randomBytes(25 * MIB);
  const { url } = await upload(hamlet, '/user_uploads', 'film.mp4', data);
  const whole = await ask(hamlet, url);
  t.match(Object.fromEntries(whole.headers), {
    'content-length': String(data.length),
    'content-type': 'video/mp4',
    'accept-ranges': 'bytes',
  });
  t.ok((await bytesOf(whole)).equals(data));
  const part = await ask(hamlet, url, { Range: 'bytes=3000000-3000009' });
  t.same([part.status, part.headers.get('content-range')], [206, 'bytes 3000000-3000009/26214400']);
  t.same(await bytesOf(part), data.subarray(3_000_000, 3_000_010));
  const tag = whole.headers.get('etag')!;
  t.equal((await ask(hamlet, url, { 'If-None-Match': tag })).status, 304);
  t.equal((await ask(hamlet, url, { Range: 'bytes=26214400-' })).status, 416);
  const { body: link } = await hamlet.call('GET', String(url));
  t.ok((await bytesOf(await fetch(server.url + String(link.url)))).equals(data), 'by signed link');

  const picture = await sharp({
    create: { width: 40, height: 40, channels: 3, background: 'red' },
  })
    .png()
    .toBuffer();
  const { avatar_url } = await upload(hamlet, '/users/me/avatar', 'me.png', picture);
  await upload(owner, '/realm/emoji/red', 'red.png', picture);
  await upload(owner, '/realm/icon', 'icon.png', picture);
  const { emoji } = await hamlet.ok('GET', '/realm/emoji');
  const [red] = Object.values(emoji as Record<string, { source_url: string }>);
  const { realm_icon } = await hamlet.ok('GET', '/server_settings');
  const pictures = [avatar_url, red!.source_url, realm_icon];
  for (const one of pictures) {
    const reply = await fetch(server.url + String(one));
    t.same([reply.status, reply.headers.get('content-type')], [200, 'image/png'], String(one));
  }
  t.notOk(existsSync(join(server.folder, 'files')), 'nothing lies beside the data');
  await t.test('a backup has what is in the bucket, and fills another', async (t) => {
    const copy = join(storeFolder(t), 'backups');
    const told: string[] = [];
    const back = (...words: string[]) => {
      const command = readCommand(words, ENVIRONMENT);
      const report = (line: string): void => void told.push(line);
      if (command.kind === 'backup') return runBackup(command, report);
      if (command.kind === 'restore') return runRestore(command, report);
      throw new Error(command.kind);
    };
    const of = (folder: string, files: LocalBucket): string[] => {
      return ['--store', `embedded:${folder}`, '--files', files.url];
    };
    await back('backup', copy, ...of(server.folder, bucket));
    t.match(told.at(-1), /^5 files were copied to .*files$/);
    const film = join(copy, 'files', 'uploads', String(url).split('/').slice(3, 5).join('/'));
    t.ok(readFileSync(film).equals(data));
    await back('backup', copy, ...of(server.folder, bucket));
    t.match(told.at(-1), /^0 files were copied/, 'what is there is not fetched again');
    const other = await LocalBucket.start(t);
    t.match(await back('restore', copy, ...of(storeFolder(t), other)), { status: 0 });
    t.match(told.at(-3), /^5 files were copied to s3:\/\/parley-files\/chat\/one\/$/);
  });

  t.equal((await server.stop()).code, 0);
  const again = await server.restart(t);
  const client = hamlet.at(again.url);
  t.ok((await bytesOf(await ask(client, url))).equals(data), 'after a restart');
  for (const one of pictures) t.equal((await fetch(again.url + String(one))).status, 200);
  const { attachments } = await client.ok('GET', '/attachments');
  const [{ id }] = attachments as [{ id: number }];
  bucket.seen.length = 0;
  await client.ok('DELETE', `/attachments/${id}`);
  t.equal((await ask(client, url)).status, 404);
  while (!bucket.seen.some((one) => one.startsWith('DELETE '))) await pause(10);
});

void t.test(
  'a bucket that is away: 503, nothing is acknowledged, and all goes on after',
  async (t) => {
    const bucket = await LocalBucket.start(t);
    const { server, hamlet } = await startOrganization(t, options(bucket));
    const { url } = await upload(hamlet, '/user_uploads', 'a.txt', Buffer.from('abc'));
    const { avatar_url } = await upload(
      hamlet,
      '/users/me/avatar',
      'me.png',
      await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    await bucket.goAway();
    const lost = await send(hamlet, '/user_uploads', { name: 'lost.txt', data: Buffer.from('x') });
    t.same([lost.status, lost.headers['retry-after']], [503, '1']);
    t.same(lost.body.msg, 'Uploaded files are not available');
    await away(t, await ask(hamlet, url));
    await away(t, await fetch(server.url + String(avatar_url)));
    t.match(await hamlet.ok('GET', '/attachments'), {
      attachments: [{ name: 'a.txt' }],
      upload_space_used: 3,
    });
    await hamlet.say('messages need no bucket');
    t.match(server.stderr, /uploaded files are not available/);
    t.notMatch(server.stderr, new RegExp(`"${KEYS.secret}"|Signature=`), 'no secret in the log');

    await t.test('also when the server starts', async (t) => {
      t.equal((await server.stop()).code, 0);
      const again = await server.restart(t);
      const client = hamlet.at(again.url);
      await away(t, await ask(client, url));
      await bucket.comeBack();
      t.equal(await (await ask(client, url)).text(), 'abc');
      await upload(client, '/user_uploads', 'b.txt', Buffer.from('de'));
      // The store goes away in the middle of a reply: it is cut, not completed with something else.
      const large = randomBytes(5 * MIB);
      const { url: other } = await upload(client, '/user_uploads', 'c.bin', large);
      bucket.fault = (request, response) =>
        request.headers.range !== 'bytes=0-65535' && refuse(request, response, 403, 'AccessDenied');
      await away(t, await ask(client, other));
      const fault = bucket.fault;
      bucket.fault = null;
      t.ok((await bytesOf(await ask(client, other))).equals(large));
      // It was read whole, and is the same: only now the reply begins before the bucket fails.
      bucket.fault = fault;
      await t.rejects(ask(client, other).then(bytesOf));
      bucket.fault = null;
      t.ok((await bytesOf(await ask(client, other))).equals(large));
    });
  },
);

void t.test('a bucket with files is no first start, nor is one that cannot be asked', async (t) => {
  const bucket = await LocalBucket.start(t);
  const { hamlet } = await startOrganization(t, options(bucket));
  await upload(hamlet, '/user_uploads', 'a.txt', Buffer.from('abc'));
  for (const reason of ['holds files', 'cannot be asked whether it holds files (no reply']) {
    const server = RunningServer.spawn(storeFolder(t), options(bucket));
    t.teardown(() => server.kill());
    await server.listening();
    t.ok(server.stdout.includes(reason), server.stdout);
    const { status } = await exchange(server.url, 'GET', '/health', {});
    t.equal(status, 503);
    await bucket.goAway();
  }
});

void t.test('a folder elsewhere, and what a start refuses', async (t) => {
  const files = join(storeFolder(t), 'shared', 'files');
  const { server, hamlet } = await startOrganization(t, { args: ['--files', `folder:${files}`] });
  const { url } = await upload(hamlet, '/user_uploads', 'a.txt', Buffer.from('abc'));
  t.equal(await (await ask(hamlet, url)).text(), 'abc');
  t.same(readdirSync(files), ['uploads']);
  t.notOk(existsSync(join(server.folder, 'files')));
  const empty = storeFolder(t);
  mkdirSync(join(empty, 'x'));
  const wrong = ['serve', '--store', `embedded:${empty}`, '--port', '0', '--files'];
  const without = await run([...wrong, 's3://abc?region=x']);
  t.equal(without.code, 2);
  t.match(without.stderr, /needs credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/);
  const missing = join(empty, 'none');
  const file = ['s3://abc?region=x', '--files-credentials-file', missing];
  const unread = await run([...wrong, ...file]);
  t.equal(unread.code, 1);
  t.match(unread.stderr, /none cannot be read \(ENOENT\)/);
});
