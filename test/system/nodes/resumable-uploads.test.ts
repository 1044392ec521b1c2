/** Uploads in pieces over two nodes, of which one is killed. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { ApiClient } from '../harness/client.js';
import { bytesAt, named, tusRequest, tusUpload } from '../harness/resumable-uploading.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

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
