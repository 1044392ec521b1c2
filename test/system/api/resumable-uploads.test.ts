import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startOrganization } from '../harness/organization.js';
import {
  bytesAt,
  named,
  tusRequest,
  tusUpload,
  type TusReply,
} from '../harness/resumable-uploading.js';
import { connections, head as headOf } from '../harness/together/connections.js';

t.setTimeout(120_000);

const MIB = 1024 * 1024;

void t.test('resumable uploads over HTTP, by the tus protocol', async (t) => {
  const { server, owner, hamlet, iago } = await startOrganization(t);
  const download = async (path: string) => {
    const reply = await fetch(new URL(path, server.url), {
      headers: { Authorization: hamlet.authorization },
    });
    return Buffer.from(await reply.arrayBuffer());
  };
  const begin = (length: number, headers: Record<string, string> = {}, body?: Buffer) =>
    tusRequest(hamlet, 'POST', '/api/v1/tus/', {
      headers: { 'Upload-Length': String(length), ...named('żaba.txt'), ...headers },
      ...(body ? { body } : {}),
    });
  const pieces = () =>
    readdirSync(join(server.folder, 'files'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /^tus\/[^/]+\/\d+$/.test(name),
    );

  await t.test('OPTIONS tells what is offered, also to pages of other origins', async (t) => {
    const reply = await tusRequest(hamlet, 'OPTIONS', '/api/v1/tus/');
    t.equal(reply.status, 204);
    t.equal(reply.header('Tus-Resumable'), '1.0.0');
    t.equal(reply.header('Tus-Version'), '1.0.0');
    t.equal(reply.header('Tus-Extension'), 'creation,creation-with-upload,expiration,termination');
    t.equal(reply.header('Tus-Max-Size'), String(25 * MIB));
    t.equal(reply.header('Access-Control-Allow-Methods'), 'POST');
    t.match(reply.header('Access-Control-Allow-Headers'), /Upload-Metadata, Upload-Offset/);
    const one = await tusRequest(hamlet, 'OPTIONS', '/api/v1/tus/some');
    t.equal(one.header('Access-Control-Allow-Methods'), 'GET, HEAD, POST, PATCH, DELETE');
  });

  await t.test('a file in two requests, with its state between them', async (t) => {
    const data = randomBytes(2 * MIB + 7);
    const begun = await begin(data.length);
    t.equal(begun.status, 201);
    const location = begun.header('Location')!;
    t.match(location, new RegExp(`^${server.url}/api/v1/tus/[\\w-]{24}$`), 'absolute');
    const { pathname } = new URL(location);
    const head = await tusRequest(hamlet, 'HEAD', pathname);
    t.same(
      ['Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Cache-Control'].map(head.header),
      ['0', String(data.length), named('żaba.txt')['Upload-Metadata'], 'no-store'],
    );
    const until = Date.parse(head.header('Upload-Expires')!) - Date.now();
    t.ok(until > 5.9 * 3_600_000 && until <= 6 * 3_600_000 + 1000, `expires in ${until} ms`);

    const first = await tusRequest(hamlet, 'PATCH', pathname, {
      headers: bytesAt(0),
      body: data.subarray(0, 1_500_000),
    });
    t.same([first.status, first.header('Upload-Offset')], [204, '1500000']);
    t.equal(pieces().length, 2);
    const again = await tusRequest(hamlet, 'HEAD', pathname);
    t.equal(again.header('Upload-Offset'), '1500000');
    const wrong = await tusRequest(hamlet, 'PATCH', pathname, { headers: bytesAt(0), body: data });
    t.equal(wrong.status, 409);
    t.match(JSON.parse(wrong.text), { result: 'error', msg: 'The upload has another offset.' });

    const last = await tusRequest(hamlet, 'PATCH', pathname, {
      headers: bytesAt(1_500_000),
      body: data.subarray(1_500_000),
    });
    t.same([last.status, last.header('Upload-Offset')], [200, String(data.length)]);
    const { url, filename, ...further } = JSON.parse(last.text) as Record<string, string>;
    t.same([filename, further], ['żaba.txt', {}]);
    t.match(url, /^\/user_uploads\/1\/[0-9a-f]{2}\/[\w-]{24}\/żaba\.txt$/);
    t.same(await download(url!), data);
    t.same(pieces(), [], 'only the file is left');
    const { attachments } = await hamlet.ok('GET', '/attachments');
    t.match(attachments, [{ name: 'żaba.txt', size: data.length, path_id: url!.slice(14) }]);

    const known = await tusRequest(hamlet, 'HEAD', pathname);
    t.equal(known.header('Upload-Offset'), String(data.length), 'a client whose reply was lost');
    const empty = await tusRequest(hamlet, 'PATCH', pathname, { headers: bytesAt(data.length) });
    t.same([empty.status, empty.text], [200, last.text]);
  });

  await t.test('bytes that came before the connection broke are kept', async (t) => {
    const data = randomBytes(3 * MIB);
    const { pathname } = new URL((await begin(data.length)).header('Location')!);
    const broken = tusRequest(hamlet, 'PATCH', pathname, {
      headers: bytesAt(0),
      body: data,
      breakAfter: 1_600_000,
    });
    await t.rejects(broken, { message: 'broken off' });
    let [offset, rest] = [0, null as TusReply | null];
    // The server learns of the end of the connection some time after the client, and then stores what came.
    while (rest?.status !== 200) {
      const head = await tusRequest(hamlet, 'HEAD', pathname);
      offset = Number(head.header('Upload-Offset'));
      if (offset < MIB) continue;
      const body = data.subarray(offset);
      rest = await tusRequest(hamlet, 'PATCH', pathname, { headers: bytesAt(offset), body });
    }
    t.ok(offset >= MIB, `went on at ${offset}`);
    t.same(await download((JSON.parse(rest.text) as { url: string }).url), data);
  });

  await t.test('by the library that browsers use, whole, in chunks, and at once', async (t) => {
    const data = randomBytes(1_234_567);
    for (const [name, options, expected] of [
      ['whole.bin', { metadata: { filename: 'whole.bin', filetype: 'application/x' } }, 200],
      ['chunks.bin', { metadata: { filename: 'chunks.bin' }, chunkSize: 100_000 }, 200],
      ['once.bin', { metadata: { filename: 'once.bin' }, uploadDataDuringCreation: true }, 201],
      ['posted.bin', { metadata: { name: 'posted.bin' }, overridePatchMethod: true }, 200],
    ] as const) {
      const { status, text } = await tusUpload(hamlet, data, options);
      const { url, filename } = JSON.parse(text) as { url: string; filename: string };
      t.same([filename, status], [name, expected]);
      t.same(await download(url), data, filename);
    }
    const { text } = await tusUpload(hamlet, Buffer.alloc(0), { metadata: { filename: 'none' } });
    t.equal((await download((JSON.parse(text) as { url: string }).url)).length, 0, 'no bytes');
    const paths = (await hamlet.ok('GET', '/attachments'))['attachments'] as { id: number }[];
    for (const { id } of paths) await hamlet.ok('DELETE', `/attachments/${id}`);
  });

  await t.test('an upload that is given up is gone', async (t) => {
    const { pathname } = new URL((await begin(MIB, {}, undefined)).header('Location')!);
    await tusRequest(hamlet, 'PATCH', pathname, { headers: bytesAt(0), body: randomBytes(1000) });
    t.equal(pieces().length, 1);
    t.equal((await tusRequest(iago, 'DELETE', pathname)).status, 410, 'not by others');
    t.equal((await tusRequest(hamlet, 'DELETE', pathname)).status, 204);
    t.same(pieces(), []);
    for (const method of ['HEAD', 'DELETE']) {
      t.equal((await tusRequest(hamlet, method, pathname)).status, 410, method);
    }
  });

  await t.test('refusals have the statuses of the protocol and a text', async (t) => {
    const { pathname } = new URL((await begin(10)).header('Location')!);
    const patch = (headers: Record<string, string>, body: Buffer) =>
      tusRequest(hamlet, 'PATCH', pathname, { headers, body });
    const ten = Buffer.alloc(10);
    const cases = [
      [412, begin(10, { 'Tus-Resumable': '0.2.2' })],
      [400, begin(10, { 'Upload-Length': 'ten' })],
      [400, begin(10, { 'Upload-Metadata': 'filename !' })],
      [411, begin(10, { 'Upload-Defer-Length': '1' })],
      [403, begin(10, { 'Upload-Concat': 'partial' })],
      [413, begin(25 * MIB + 1)],
      [413, begin(10, { 'Upload-Metadata': `filename ${'QUFB'.repeat(1100)}` })],
      [413, begin(5, bytesAt(0), ten)],
      [413, patch(bytesAt(0), Buffer.alloc(11))],
      [415, patch({ 'Upload-Offset': '0', 'Content-Type': 'text/plain' }, ten)],
      [400, patch({ ...bytesAt(0), 'Upload-Offset': '-1' }, ten)],
      [409, patch(bytesAt(3), ten)],
      [410, tusRequest(iago, 'HEAD', pathname)],
      [405, tusRequest(hamlet, 'POST', pathname)],
      [401, tusRequest({ url: server.url, authorization: '' }, 'HEAD', pathname)],
    ] as const;
    for (const [index, [status, pending]] of cases.entries()) {
      const reply = await pending;
      t.equal(reply.status, status, `case ${index}`);
      if (reply.text === '') continue;
      const { msg, message = msg } = JSON.parse(reply.text) as { msg: string; message?: string };
      t.ok(msg !== '' && message === msg, msg);
    }
    t.equal((await tusRequest(hamlet, 'HEAD', pathname)).header('Upload-Offset'), '0');
    await tusRequest(hamlet, 'DELETE', pathname);
  });

  await t.test('room is needed when an upload begins, for all that are under way', async (t) => {
    const begun = [];
    for (let i = 0; i < 10; i++) begun.push(await begin(25 * MIB));
    t.same([...new Set(begun.map(({ status }) => status))], [201]);
    const full = await begin(MIB);
    t.equal(full.status, 413);
    t.match(JSON.parse(full.text), {
      message: /^Your uploaded files that no message links may take at most 250 MiB/,
    });
    for (const { header } of begun) {
      await tusRequest(hamlet, 'DELETE', new URL(header('Location')!).pathname);
    }
    await owner.ok('GET', '/attachments');
    t.equal((await begin(MIB)).status, 201);
  });

  await t.test('a body that is no part of a file is received in vain', async (t) => {
    const [one] = await connections(server.port, 1);
    t.teardown(() => one!.close());
    const body = Buffer.alloc(3 * MIB);
    const lines = { 'Upload-Length': body.length, 'Content-Length': body.length };
    const type = { 'Tus-Resumable': '1.0.0', 'Content-Type': 'text/plain' };
    one!.say(headOf(hamlet, 'POST', '/tus/', { ...lines, ...type, ...named('a.txt') }));
    one!.say(body);
    await one!.until(() => one!.head.includes('HTTP/1.1 201'));
    // The connection takes the next request.
    one!.say(headOf(hamlet, 'GET', '/users/me'));
    await one!.until(() => one!.head.includes('HTTP/1.1 200'));
    t.equal(one!.isOver, false);
  });
});
