import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import t from 'tap';
import { startOrganization } from '../harness/organization.js';
import { thumbnailMade } from '../harness/thumbnail.js';
import { send, upload } from '../harness/uploading.js';

const MIB = 1024 * 1024;

void t.test('files over HTTP: stored, given out to those who may, and safely', async (t) => {
  const { server, owner, hamlet, iago } = await startOrganization(t);
  const get = (path: string, client: typeof owner | null, method = 'GET') =>
    fetch(server.url + path, {
      method,
      headers: client ? { Authorization: client.authorization } : {},
    });
  const large = randomBytes(24 * MIB);

  await t.test('the bytes, by Basic authentication', async (t) => {
    const { url } = await upload(hamlet, '/user_uploads', '/home/me/ża b.txt', Buffer.from('abc'));
    const reply = await get(String(url), hamlet);
    t.equal(reply.status, 200);
    t.equal(await reply.text(), 'abc');
    t.match(Object.fromEntries(reply.headers), {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '3',
      'content-disposition': `inline; filename="_a-b.txt"; filename*=UTF-8''%C5%BCa%20b.txt`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; img-src 'self'; media-src 'self'",
      'cache-control': 'private, max-age=3600',
    });
    const head = await get(String(url), hamlet, 'HEAD');
    t.same([head.status, head.headers.get('content-length')], [200, '3']);
    t.equal((await get(String(url), null)).status, 401);
    // Keys of people do not count in addresses, whatever asks so.
    for (const path of [String(url), `/avatar/${hamlet.userId}`]) {
      t.equal((await get(`${path}?api_key=${hamlet.key}`, null)).status, 401, path);
    }
    t.equal((await get(String(url), iago)).status, 403);
    t.equal((await get('/user_uploads/1/00/nothing/at-all.txt', hamlet)).status, 404);
    const saved = await get(
      String(url).replace('/user_uploads/', '/user_uploads/download/'),
      hamlet,
    );
    t.match(saved.headers.get('content-disposition'), /^attachment;/);
    await hamlet.say(`see [it](${String(url)})`);
    t.equal(await (await get(String(url), iago)).text(), 'abc', 'who sees a message with it');
  });

  await t.test('people get a page where they may not see a file, programs JSON', async (t) => {
    const { url } = await upload(hamlet, '/user_uploads', 'mine.txt', Buffer.from('abc'));
    const open = (path: string, accept: string, client: typeof owner | null = iago) =>
      fetch(server.url + path, {
        headers: { Accept: accept, ...(client ? { Authorization: client.authorization } : {}) },
      });
    for (const [path, status, title, msg, client = iago] of [
      [String(url), 403, 'That did not work', 'Access denied'],
      ['/user_uploads/1/00/nothing/at-all.txt', 404, 'Not found', 'File not found.'],
      ['/avatar/4711', 400, 'That did not work', 'No such user'],
      [String(url), 401, 'That did not work', 'Not logged in', null],
      ['/nothing', 404, 'Not found', 'Not Found'],
    ] as const) {
      const page = await open(path, 'text/html,*/*;q=0.8', client);
      t.same([page.status, page.headers.get('content-type')], [status, 'text/html; charset=utf-8']);
      t.match(await page.text(), `<h1>${title}</h1>`, path);
      const json = await open(path, '*/*', client);
      t.same([json.status, json.headers.get('content-type')], [status, 'application/json']);
      t.match(await json.json(), { result: 'error', msg: new RegExp(`^${msg}`) }, path);
    }
    const api = await open('/api/v1/messages/0', 'text/html');
    t.equal(api.headers.get('content-type'), 'application/json', 'the API has no pages');
  });

  await t.test(
    'help, integrations and apps are elsewhere, and the icon is the organization’s',
    async (t) => {
      const led = async (path: string) => {
        const reply = await fetch(server.url + path, { redirect: 'manual' });
        return `${reply.status} ${reply.headers.get('location')}`;
      };
      t.equal(await led('/help/'), '302 https://zulip.com/help/');
      t.equal(await led('/help/star-a-message'), '302 https://zulip.com/help/star-a-message');
      t.equal(
        await led('/integrations/doc/github'),
        '302 https://zulip.com/integrations/doc/github',
      );
      t.equal(await led('/apps?a=b'), '302 https://zulip.com/apps?a=b');
      t.equal(await led('/api/'), '302 https://zulip.com/api/', 'the documentation');
      t.equal(await led('/api/v2'), '404 null', 'the API is here');
      t.equal(
        await led('/help/%2F%2Fevil.example/a%0Ab'),
        '302 https://zulip.com/help///evil.example/a%0Ab',
      );
      t.equal(await led('/favicon.ico'), '302 /static/icon.png?version=1');
      const icon = async () => {
        const page = await (await fetch(`${server.url}/login/`)).text();
        return /<link rel="icon" href="([^"]+)"/.exec(page)![1];
      };
      t.equal(await icon(), '/static/icon.svg');
      const picture = await sharp({
        create: { width: 9, height: 9, channels: 3, background: 'red' },
      })
        .png()
        .toBuffer();
      const { icon_url } = await upload(owner, '/realm/icon', 'icon.png', picture);
      t.equal(await icon(), icon_url);
      t.equal(await led('/favicon.ico'), `302 ${String(icon_url)}`);
    },
  );

  await t.test('pictures of other servers are not fetched by default', async (t) => {
    t.match(await owner.register(), { server_inline_url_embed_preview: false });
    const url = 'http://127.0.0.1:1/a.png';
    const { message } = await owner.ok('GET', `/messages/${await owner.say(url)}`);
    t.match(message, { content: `<p><a href="${url}">${url}</a></p>` });
    const path = `/external_content/${'0'.repeat(64)}/${Buffer.from(url).toString('hex')}`;
    t.equal((await get(path, owner)).status, 404);
  });

  await t.test('an export of the organization', async (t) => {
    await hamlet.say('to be exported');
    await owner.ok('POST', '/export/realm');
    let address: string | null = null;
    while (address === null) {
      const { exports } = await owner.ok('GET', '/export/realm');
      [{ export_url: address }] = exports as [{ export_url: string | null }];
    }
    const reply = await get(new URL(address).pathname, null);
    t.equal(reply.status, 200);
    t.equal(reply.headers.get('content-type'), 'application/gzip');
    const text = gunzipSync(Buffer.from(await reply.arrayBuffer())).toString('utf8');
    t.match(text, /"content":"to be exported"/);
    t.match(text, /\n\{"kind":"end","messages":\d+\}\n$/);
    t.equal((await get('/exports/nothing/parley-export-1.jsonl.gz', owner)).status, 404);
  });

  await t.test('thumbnails of pictures, to who may have the picture', async (t) => {
    const bytes = await sharp({
      create: { width: 900, height: 90, channels: 3, background: 'red' },
    })
      .png()
      .toBuffer();
    const { url } = await upload(hamlet, '/user_uploads', 'bär.png', bytes);
    const path = String(url).replace('/user_uploads/', '');
    await thumbnailMade(hamlet, path);
    const { id } = await hamlet.ok('POST', '/messages', {
      ...{ type: 'channel', to: 'general', topic: 'pictures', content: `[bär](${String(url)})` },
    });
    const { message } = await iago.ok('GET', `/messages/${String(id)}`);
    const { content } = message as { content: string };
    const src =
      /<img data-original-content-type="image\/png" data-original-dimensions="900x90" src="([^"]+)">/.exec(
        content,
      )?.[1];
    const reply = await get(src!, iago);
    t.equal(reply.headers.get('content-type'), 'image/webp');
    t.match(await sharp(Buffer.from(await reply.arrayBuffer())).metadata(), {
      width: 840,
      height: 84,
    });
    t.equal((await get(src!.replace('.webp', '-anim.webp'), iago)).status, 404, 'it does not move');
    t.equal((await get(src!, null)).status, 401);
  });

  await t.test('parts of a file, and copies that are up to date', async (t) => {
    const bytes = large.subarray(0, MIB);
    const { url } = await upload(hamlet, '/user_uploads', 'film.mp4', bytes);
    const ask = (headers: Record<string, string>, method = 'GET') =>
      fetch(server.url + String(url), {
        method,
        headers: { Authorization: hamlet.authorization, ...headers },
      });
    const whole = await ask({});
    const etag = whole.headers.get('etag')!;
    t.equal(whole.headers.get('accept-ranges'), 'bytes');
    t.same(Buffer.from(await whole.arrayBuffer()), bytes);
    for (const [range, first, last] of [
      ['bytes=0-0', 0, 0],
      ['bytes=100-300099', 100, 300_099],
      ['bytes=-7', MIB - 7, MIB - 1],
      ['bytes=1000000-', 1_000_000, MIB - 1],
    ] as const) {
      const part = await ask({ Range: range, 'If-Range': etag });
      t.equal(part.status, 206);
      t.equal(part.headers.get('content-range'), `bytes ${first}-${last}/${MIB}`);
      t.equal(part.headers.get('etag'), etag);
      t.same(Buffer.from(await part.arrayBuffer()), bytes.subarray(first, last + 1), range);
    }
    const behind = await ask({ Range: `bytes=${MIB}-` });
    t.same([behind.status, behind.headers.get('content-range')], [416, `bytes */${MIB}`]);
    t.match(await behind.json(), { code: 'BAD_REQUEST', msg: 'Range not satisfiable' });
    for (const headers of [
      { Range: 'bytes=0-1,5-6' },
      { Range: 'bytes=0-1', 'If-Range': '"other"' },
      { Range: 'nonsense' },
    ]) {
      const all = await ask(headers as Record<string, string>);
      t.equal(all.status, 200);
      t.equal((await all.arrayBuffer()).byteLength, MIB);
    }
    const same = await ask({ 'If-None-Match': etag, Range: 'bytes=0-1' });
    t.same([same.status, same.headers.get('etag'), await same.text()], [304, etag, '']);
    t.equal((await ask({ Range: 'bytes=0-1' }, 'HEAD')).headers.get('content-length'), String(MIB));
    const stranger = { Authorization: iago.authorization, 'If-None-Match': etag };
    t.equal((await ask(stranger)).status, 403, 'who may not see it is not told that it is there');
  });

  await t.test('what could run in a browser is saved, not shown', async (t) => {
    for (const name of ['page.html', 'drawing.svg', 'data.xml', 'script.js', 'none']) {
      const { url } = await upload(hamlet, '/user_uploads', name, Buffer.from('<script>'));
      const { headers } = await get(String(url), hamlet);
      t.equal(headers.get('content-type'), 'application/octet-stream', name);
      t.match(headers.get('content-disposition'), /^attachment;/, name);
      t.equal(headers.get('x-content-type-options'), 'nosniff', name);
    }
  });

  await t.test('a signed address, without credentials', async (t) => {
    const { url } = await upload(hamlet, '/user_uploads', 'p.pdf', Buffer.from('%PDF'));
    const signed = await hamlet.ok('GET', String(url));
    const reply = await get(String(signed.url), null);
    t.equal(reply.status, 200);
    t.equal(reply.headers.get('content-type'), 'application/pdf');
    t.equal(await reply.text(), '%PDF');
    const forged = String(signed.url).replace('/temporary/', '/temporary/1');
    t.equal((await get(forged, null)).status, 404);
    t.equal((await iago.call('GET', String(url))).status, 403);
  });

  await t.test('large files come whole, also to slow readers', async (t) => {
    const { url } = await upload(hamlet, '/user_uploads', 'large.bin', large);
    const whole = Buffer.from(await (await get(String(url), hamlet)).arrayBuffer());
    t.ok(whole.equals(large));
    const { body } = await get(String(url), hamlet);
    const reader = body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    await reader.read();
    // The server waits for this reader, and serves others meanwhile.
    await hamlet.ok('GET', '/users/me');
    let size = 0;
    const pieces: Uint8Array[] = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      pieces.push(value);
    }
    t.ok(size < large.length && large.subarray(-size).equals(Buffer.concat(pieces)));
    const { body: left } = await get(String(url), hamlet);
    await left!.cancel();
    await hamlet.ok('GET', '/users/me');
    const empty = await upload(hamlet, '/user_uploads', 'empty.txt', Buffer.alloc(0));
    t.equal(await (await get(String(empty.url), hamlet)).text(), '');
  });

  await t.test('too large: 400 in the words of the contract', async (t) => {
    const limit = { name: 'limit.bin', data: Buffer.alloc(25 * MIB) };
    t.equal((await send(hamlet, '/user_uploads', limit)).status, 200, 'the limit itself');
    const over = { name: 'over.bin', data: Buffer.alloc(25 * MIB + 1) };
    const { status, body } = await send(hamlet, '/user_uploads', over);
    t.equal(status, 400);
    t.same(body, {
      result: 'error',
      msg: 'Uploaded file is larger than the allowed limit of 25 MiB',
      code: 'BAD_REQUEST',
    });
  });

  await t.test('pictures of emoji and of the organization are public', async (t) => {
    const picture = await sharp({
      create: { width: 300, height: 200, channels: 3, background: 'green' },
    })
      .png()
      .toBuffer();
    await upload(hamlet, '/realm/emoji/blob', 'blob.png', picture);
    const { emoji } = await hamlet.ok('GET', '/realm/emoji');
    const { source_url } = (emoji as Record<string, { source_url: string }>)['1']!;
    const { icon_url } = await upload(owner, '/realm/icon', 'icon.png', picture);
    await upload(owner, '/realm/logo', 'logo.png', picture);
    const { logo_url } = await hamlet.ok('GET', '/realm/logo');
    const sizes = {
      [source_url]: [64, 64],
      [String(icon_url)]: [100, 100],
      [String(logo_url)]: [150, 100],
    };
    for (const [url, size] of Object.entries(sizes)) {
      const reply = await get(url, null);
      t.equal(reply.headers.get('content-type'), 'image/png', url);
      const { width, height } = await sharp(Buffer.from(await reply.arrayBuffer())).metadata();
      t.same([width, height], size, url);
    }
    const server_settings = await hamlet.ok('GET', '/server_settings');
    t.equal(server_settings.realm_icon, icon_url);
    t.equal((await send(hamlet, '/realm/icon', { name: 'i', data: picture })).status, 400);
  });

  // Elsewhere others may share the folder, and only drafts go that are ten minutes old.
  const skip = server.store.startsWith('embedded:') ? false : 'the store is not embedded';
  const title = 'a start removes the draft of an upload that a crash cut off';
  await t.test(title, { skip }, async (t) => {
    const { url } = await upload(hamlet, '/user_uploads', 'kept.txt', Buffer.from('abc'));
    await server.kill();
    const files = join(server.folder, 'files');
    const kept = readdirSync(files, { recursive: true }).find((name) => /kept/.test(String(name)));
    const folder = join(files, dirname(String(kept)));
    const draft = join(folder, '.0123456789ab-0123456789ab.part');
    writeFileSync(draft, 'a part of a file');
    const again = await server.restart(t);
    while (existsSync(draft)) await pause(10);
    const reply = await fetch(again.url + String(url), {
      headers: { Authorization: hamlet.authorization },
    });
    t.equal(await reply.text(), 'abc');
  });
});
