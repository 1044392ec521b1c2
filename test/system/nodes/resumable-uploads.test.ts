/** Uploads in pieces over two nodes, of which one is killed, and over two workers of one port. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { ApiClient } from '../harness/client.js';
import { bytesAt, named, tusRequest, tusUpload } from '../harness/resumable-uploading.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';
import { until, WorkerGroup } from './fixtures/workers.js';

t.setTimeout(120_000);

const FOLLOWS = /^Parley follows on/m;
const LEADS = /^Parley is listening on/m;
const MIB = 1024 * 1024;

void t.test('an upload goes on at another node after kill -9, with every byte', async (t) => {
  const leader = await RunningServer.start(t);
  const follower = RunningServer.spawn(leader.folder);
  t.teardown(() => follower.kill());
  await follower.printed(FOLLOWS);
  await follower.listening();
  const here = await ApiClient.login(leader.url, OWNER_EMAIL, OWNER_PASSWORD);
  const there = await ApiClient.login(follower.url, OWNER_EMAIL, OWNER_PASSWORD);
  const data = randomBytes(4 * MIB + 3);
  const download = async (client: ApiClient, text: string) => {
    const { url } = JSON.parse(text) as { url: string };
    const reply = await fetch(new URL(url, client.url), {
      headers: { Authorization: client.authorization },
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    return bytes.equals(data) ? 'the same' : `${reply.status}: ${bytes.toString('latin1', 0, 200)}`;
  };
  const patch = (client: ApiClient, path: string, offset: number, end: number) =>
    tusRequest(client, 'PATCH', path, {
      headers: bytesAt(offset),
      body: data.subarray(offset, end),
    });

  const begun = await tusRequest(there, 'POST', '/api/v1/tus/', {
    headers: { 'Upload-Length': String(data.length), ...named('moved.bin') },
  });
  t.equal(begun.status, 201, 'a follower begins one');
  const location = begun.header('Location')!;
  t.ok(location.startsWith(`${follower.url}/`), 'where its client reached it');
  const { pathname } = new URL(location);
  t.equal((await patch(there, pathname, 0, 1_500_000)).header('Upload-Offset'), '1500000');
  const seen = await tusRequest(here, 'HEAD', pathname);
  t.equal(seen.header('Upload-Offset'), '1500000', 'the leader has what the follower took');
  t.equal((await patch(here, pathname, 1_500_000, 2_500_000)).status, 204);
  const known = await tusRequest(there, 'HEAD', pathname);
  t.equal(known.header('Upload-Offset'), '2500000', 'and the follower what the leader took');
  t.equal((await patch(there, pathname, 0, 10)).status, 409, 'refusals pass, too');

  const whole = await tusUpload(there, data, { metadata: { filename: 'whole.bin' } });
  t.equal(
    await download(there, whole.text),
    'the same',
    'a whole file in one request to the follower',
  );

  // The library sends one chunk after another; the leader dies when the second is acknowledged.
  let killed: Promise<void> | undefined;
  const interrupted = tusUpload(there, data, {
    metadata: { filename: 'interrupted.bin' },
    chunkSize: 1_000_000,
    onChunkComplete: (_size, accepted) => {
      if (accepted >= 2_000_000) killed ??= leader.kill();
    },
  });
  const { text } = await interrupted;
  await killed;
  await follower.printed(LEADS);
  t.equal(await download(there, text), 'the same', 'the library went on by itself');

  const after = await tusRequest(there, 'HEAD', pathname);
  t.equal(after.header('Upload-Offset'), '2500000', 'nothing acknowledged is lost');
  const last = await patch(there, pathname, 2_500_000, data.length);
  t.equal(last.status, 200);
  t.equal(await download(there, last.text), 'the same');

  const { attachments } = await there.ok('GET', '/attachments');
  t.same(
    (attachments as { name: string }[]).map(({ name }) => name).sort(),
    ['interrupted.bin', 'moved.bin', 'whole.bin'],
    'one file each',
  );
  await follower.stop();
});

void t.test('parts of an upload reach whichever worker takes the connection', async (t) => {
  const group = await WorkerGroup.start(t, 2, { env: { PARLEY_LOG: 'debug' } });
  const owner = await ApiClient.login(group.server.url, OWNER_EMAIL, OWNER_PASSWORD);
  // So many connections that they all come to one worker by a chance of 2 to the power of -23.
  const parts = 24;
  const data = randomBytes(parts * 10_000);
  const ask = (method: string, path: string, more: object = {}) =>
    tusRequest(owner, method, path, { alone: true, ...more });
  const begun = await ask('POST', '/api/v1/tus/', {
    headers: { 'Upload-Length': String(data.length), ...named('parts.bin') },
  });
  t.equal(begun.status, 201);
  const { pathname } = new URL(begun.header('Location')!);
  const taken = () => group.lines('a request').filter(({ method }) => method === 'PATCH');
  const statuses: number[] = [];
  let text = '';
  for (let offset = 0; offset < data.length; offset += 10_000) {
    const seen = await ask('HEAD', pathname);
    t.equal(seen.header('Upload-Offset'), String(offset));
    const body = data.subarray(offset, offset + 10_000);
    const sent = await ask('PATCH', pathname, { headers: bytesAt(offset), body });
    statuses.push(sent.status);
    text = sent.text;
    // The harness keeps the newest output only.
    taken();
  }
  t.same(statuses, [...Array<number>(parts - 1).fill(204), 200]);
  const { url } = JSON.parse(text) as { url: string };
  const reply = await fetch(new URL(url, owner.url), {
    headers: { Authorization: owner.authorization },
  });
  t.ok(Buffer.from(await reply.arrayBuffer()).equals(data), 'every byte');
  // What a worker has logged may come later than its answer.
  await until('all parts are logged', () => taken().length === parts);
  t.equal(new Set(taken().map(({ pid }) => pid)).size, 2, 'both took some');
});
