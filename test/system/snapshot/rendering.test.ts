import sharp from 'sharp';
import t from 'tap';
import { webServer } from '../../fixtures/web-server.js';
import { FetchedMessages } from '../harness/apply/apply-edits.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { thumbnailMade } from '../harness/thumbnail.js';
import { upload } from '../harness/uploading.js';
import { LEGACY, MODERN, Viewer } from '../harness/viewers.js';

const PNG = await sharp({ create: { width: 90, height: 9, channels: 3, background: 'red' } })
  .png()
  .toBuffer();
const pages = ['--link-previews', 'pages', '--link-preview-target', '127.0.0.1'];

void t.test('messages whose HTML the server changes, and pictures of other servers', async (t) => {
  const { server, owner, hamlet, iago } = await startOrganization(t, { args: pages });
  const asked: string[] = [];
  const port = await webServer(t, ({ url, headers }, response) => {
    asked.push(`${url} ${headers.cookie ?? ''}${headers.authorization ?? ''}`);
    if (url === '/page') {
      response.setHeader('Content-Type', 'text/html');
      response.end('<title>A lighthouse</title><meta property="og:image" content="a.png">');
    } else if (url === '/svg.png') {
      response.setHeader('Content-Type', 'image/svg+xml');
      response.end('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    } else if (url === '/inside.png') {
      response.writeHead(302, { Location: `http://127.0.0.2:${port}/a.png` }).end();
    } else response.setHeader('Content-Type', 'image/png').end(PNG);
  });
  const site = `http://127.0.0.1:${port}`;
  await owner.ok('PATCH', '/realm', { inline_url_embed_preview: true });
  t.match(await owner.register(), {
    server_inline_url_embed_preview: true,
    realm_inline_url_embed_preview: true,
  });
  const edits = await QueueReader.open(owner, { event_types: ['update_message'] });
  const contentOf = async (id: number): Promise<string> => {
    const { message } = await hamlet.ok('GET', `/messages/${id}`);
    return (message as { content: string }).content;
  };
  const viewers: { name: string; compare: Viewer['compare'] | FetchedMessages['compare'] }[] = [];
  for (const [who, client] of Object.entries({ owner, hamlet, iago })) {
    for (const [kind, parameters] of Object.entries({ MODERN, LEGACY })) {
      viewers.push(await Viewer.open(`${who}, ${kind}`, client, parameters));
    }
    viewers.push(await FetchedMessages.open(`messages of ${who}`, client, ['general']));
  }
  const changed = async (id: number): Promise<void> => {
    await edits.until(({ message_id }) => message_id === id);
  };
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    'what a page says of itself': async () => {
      await changed(await hamlet.say(`@**Iago** ${site}/page`, 'general', 'lunch'));
      const narrow = [{ operator: 'search', operand: 'lighthouse' }];
      const page = { anchor: 'newest', num_before: 9, num_after: 0, narrow };
      const { messages } = await iago.ok('GET', '/messages', page);
      t.match(messages, [{ subject: 'lunch', match_content: /class="highlight">lighthouse/ }]);
    },
    'a direct message': async () => changed(await owner.tell([iago.userId], `${site}/page`)),
    'a message that was moved': async () => {
      const id = await owner.say(`${site}/page?2`);
      await owner.ok('PATCH', `/messages/${id}`, { topic: 'moved', content: `${site}/page` });
      await edits.until((event) => event.message_id === id && event.rendering_only === true);
    },
    'a thumbnail': async () => {
      const { url } = await upload(hamlet, '/user_uploads', 'a.png', PNG);
      await hamlet.say(`[a](${String(url)})`);
      await thumbnailMade(hamlet, String(url).replace('/user_uploads/', ''));
    },
  };
  for (const [name, operation] of Object.entries(operations)) {
    await t.test(name, async (t) => {
      await operation();
      for (const viewer of viewers) {
        const { believed, actual } = await viewer.compare();
        t.strictSame(believed, actual, viewer.name);
      }
    });
  }

  await t.test('a picture is given out by this server, without what could harm', async (t) => {
    const src = /src="(\/external_content\/[0-9a-f]{64}\/[0-9a-f]+)"/;
    const path = async (url: string) => src.exec(await contentOf(await hamlet.say(url)))![1]!;
    const shown = await path(`${site}/a.png`);
    const headers = { Cookie: 'a=b', Authorization: hamlet.authorization };
    const reply = await fetch(server.url + shown, { headers });
    t.equal(reply.status, 200);
    t.same(Buffer.from(await reply.arrayBuffer()), PNG);
    t.match(Object.fromEntries(reply.headers), {
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cache-control': 'private, max-age=86400',
      'referrer-policy': 'no-referrer',
    });
    t.ok(asked.includes('/a.png '), 'neither cookies nor credentials go there');
    const again = { headers: { 'If-None-Match': reply.headers.get('etag')! } };
    t.equal((await fetch(server.url + shown, again)).status, 304);
    t.equal((await fetch(server.url + shown, { method: 'HEAD' })).status, 200);
    const signed = shown.split('/');
    const other = Buffer.from(`${site}/b.png`).toString('hex');
    for (const wrong of [
      await path(`${site}/svg.png`),
      await path(`${site}/inside.png`),
      await path('http://[::1]/a.png'),
      `/external_content/${signed[2]}/${other}`,
      `/external_content/${'0'.repeat(64)}/${signed[3]}`,
      '/external_content/',
    ]) {
      t.equal((await fetch(server.url + wrong)).status, 404, wrong);
    }
    t.notOk(asked.some((line) => line.startsWith('/b.png')));
    await owner.ok('PATCH', '/realm', { inline_image_preview: false });
    t.notMatch(await contentOf(await hamlet.say(`${site}/a.png`)), src);
  });
});
