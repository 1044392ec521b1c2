import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import sharp from 'sharp';
import t from 'tap';
import { writeWebApp } from '../../fixtures/web-app-folder.js';
import { loggedIn, OWN_PAGE } from '../harness/browser-session.js';
import { noBrowser, openBrowser, openTab, until } from '../harness/browser.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, storeFolder } from '../harness/server.js';
import { upload } from '../harness/uploading.js';

const root = storeFolder(t);
const folder = join(root, 'app');
writeWebApp(folder);
const server = await RunningServer.serve(t, join(root, 'data'), { args: ['--web-app', folder] });

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A request with headers as they are, which `fetch` would not send. */
const get = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  { url }: Pick<RunningServer, 'url'> = server,
) =>
  new Promise<Answer>((resolve, reject) => {
    const sent = request(url + path, { method, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () =>
        resolve({
          status: reply.statusCode!,
          headers: reply.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    sent.on('error', reject).end();
  });

void t.test('files come from the folder, as the browser may keep them', async (t) => {
  const style = '/static/webpack-bundles/app.fedcba9876543210.css';
  const plain = await get(style);
  t.strictSame([plain.status, plain.body.length], [200, 3000]);
  t.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  t.equal(plain.headers['content-type'], 'text/css; charset=utf-8');
  const zipped = await get(style, { 'Accept-Encoding': 'gzip' });
  t.equal(zipped.headers['content-encoding'], 'gzip');
  t.strictSame(gunzipSync(zipped.body), plain.body);
  t.not(zipped.headers.etag, plain.headers.etag);
  const again = await get(style, { 'If-None-Match': String(plain.headers.etag) });
  t.strictSame([again.status, again.body.length], [304, 0]);
  t.equal((await get('/static/plain.css')).headers['cache-control'], 'public, max-age=300');
  t.match((await get('/static/icon.svg')).body.toString(), '#3b7c5c', 'own names take precedence');
  for (const path of [
    '/static/webpack-bundles/app.0123456789abcdef.js.map',
    '/static/outside.txt',
    '/static/%2e%2e/%2e%2e/version.py',
    '/static/..%2f..%2fversion.py',
    '/static/%00',
    '/static/%',
    '/static/webpack-bundles/app.fedcba9876543210.css.gz',
  ]) {
    t.equal((await get(path)).status, 404, path);
  }
});

void t.test('who is logged in gets the page, others are led to the login', async (t) => {
  const there = await get('/compatibility');
  t.strictSame(
    [there.status, JSON.parse(there.body.toString())],
    [200, { result: 'success', msg: '' }],
  );
  const visitor = await get('/');
  t.strictSame([visitor.status, visitor.headers['location']], [302, '/login/']);
  t.equal((await get('/chat')).status, 200, 'the chat of the server is beside it');
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const browser = await loggedIn(server, OWNER_EMAIL, OWNER_PASSWORD);
  const picture = await sharp({
    create: { width: 8, height: 8, channels: 3, background: 'red' },
  })
    .png()
    .toBuffer();
  const page = async (path = '/', headers: Record<string, string> = {}) => {
    const {
      status,
      body,
      headers: received,
    } = await get(path, { Cookie: browser.cookie, ...headers });
    const text = body.toString();
    const [, json = '{}'] = /data-params='([^']*)'/.exec(text) ?? [];
    return { status, text, headers: received, params: JSON.parse(json) as Record<string, never> };
  };
  const first = await page();
  t.equal(first.status, 200);
  t.match(first.params, {
    ...{ page_type: 'home', request_language: 'en', is_spectator: false, no_event_queue: false },
    // What the app demands of a page, or shows no more than its background.
    ...{ presence_history_limit_days_for_web_app: 365, realm_rendered_description: String },
    ...{ show_try_zulip_modal: false, non_workplace_pricing_eligible: false },
    is_cloud_realm_with_discounted_plan: false,
  });
  // The app refuses null for what has no analytics, and takes a page with a narrow for that conversation alone.
  t.notOk('google_analytics_id' in first.params || 'narrow' in first.params);
  const { queue_id, user_id, realm_name } = first.params['state_data']! as Record<string, string>;
  t.strictSame([user_id, realm_name], [owner.userId, 'Parley']);
  await upload(owner, '/realm/emoji/blob', 'blob.png', picture);
  const { body: events } = await browser.call('GET', '/events', {
    ...{ queue_id, last_event_id: -1, dont_block: true },
  });
  const emoji = (events.events as { type: string; op: string }[]).filter(
    ({ type }) => type === 'realm_emoji',
  );
  t.match(emoji, [{ op: 'update' }], 'the queue of the page; an app of level 490 knows no other');
  const [, nonce] = /nonce-([\w-]+)'/.exec(String(first.headers['content-security-policy'])) ?? [];
  t.match(first.text, `nonce="${nonce}"`);
  t.match(first.headers, { 'x-frame-options': 'DENY', 'cache-control': /no-store/ });
  const deferred = await page('/?state_data=deferred');
  t.match(deferred.params, { state_data: null, no_event_queue: true });
  t.match((await page('/', { 'Accept-Language': 'de-DE, en;q=0.5' })).params, {
    request_language: 'de',
    translation_data: { Drafts: "Entwürfe <'&>" },
  });
  await browser.call('PATCH', '/settings', { color_scheme: 2, default_language: 'pt-br' });
  const dark = await page('/', { 'Accept-Language': 'de' });
  t.match(
    dark.text,
    `<html lang='pt-br' class="dark-theme">`,
    'the setting goes before the browser',
  );
  const framed = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
  t.equal((await page('/', { ...framed, 'Sec-Fetch-Dest': 'iframe' })).status, 403);
  t.equal((await page('/', { ...framed, 'Sec-Fetch-Dest': 'document' })).status, 200, 'a link');
  const compressed = await get('/', { Cookie: browser.cookie, 'Accept-Encoding': 'gzip' });
  t.match(gunzipSync(compressed.body).toString(), /data-params/);

  const leave = (headers: Record<string, string>) =>
    get('/accounts/logout/', { Cookie: browser.cookie, ...headers }, 'POST');
  t.equal((await leave({ 'Sec-Fetch-Site': 'cross-site' })).status, 403);
  t.equal((await leave({})).status, 403, 'a program without a token');
  const left = await leave({ 'Sec-Fetch-Site': 'same-origin' });
  t.strictSame([left.status, left.headers['location']], [302, '/login/']);
  t.match(left.headers['set-cookie'], [/=; Path=\/; Max-Age=0;/]);
  t.equal((await page()).status, 302);
});

void t.test('a node that follows gives the page, too', async (t) => {
  const follower = RunningServer.spawn(join(root, 'data'), { args: ['--web-app', folder] });
  t.teardown(() => follower.kill());
  await follower.printed(/^Parley follows on/m);
  await follower.listening();
  const browser = await loggedIn(follower, OWNER_EMAIL, OWNER_PASSWORD);
  const own = { Cookie: browser.cookie, ...OWN_PAGE };
  const page = await get('/', own, 'GET', follower);
  const [, json = '{}'] = /data-params='([^']*)'/.exec(page.body.toString()) ?? [];
  const { queue_id, user_id } = (JSON.parse(json) as { state_data: Record<string, string> })
    .state_data;
  const message = { type: 'direct', to: [user_id], content: 'at any node' };
  t.equal((await browser.call('POST', '/messages', message)).status, 200);
  const { body } = await browser.call('GET', '/events', { queue_id, last_event_id: -1 });
  t.match(body.events, [{ type: 'message' }], 'and has its queue');
  t.equal((await get('/accounts/logout/', own, 'POST', follower)).status, 302);
  for (const node of [follower, server]) {
    t.equal((await get('/', own, 'GET', node)).status, 302, 'the cookie is worth nothing now');
  }
});

void t.test(
  'a folder that does not fit is refused at the start, and by config check',
  async (t) => {
    const other = join(root, 'old');
    writeWebApp(other, { 'version.py': 'API_FEATURE_LEVEL = 313' });
    const message = `the web app in ${other} has feature level 313; this server needs 480 to 500`;
    const check = await run(['config', 'check', '--web-app', other]);
    t.strictSame([check.code, check.stderr.includes(message)], [1, true], check.stderr);
    const store = `embedded:${join(root, 'other')}`;
    const start = await run(['serve', '--port', '0', '--store', store, '--web-app', other]);
    t.equal(start.code, 1);
    t.match(start.stderr, message);
    t.notMatch(start.stdout, /password/, 'before anything is made');
  },
);

void t.test('the page runs in a browser', { skip: noBrowser }, async (t) => {
  const browser = await openBrowser(t);
  const tab = await openTab(browser, `${server.url}/login/`);
  await tab.page.type('#username', OWNER_EMAIL);
  await tab.page.type('#password', OWNER_PASSWORD);
  await tab.page.click('#login button');
  await until(tab, `document.querySelector('#part')?.textContent === 'home,true,${OWNER_EMAIL}'`);
  await tab.page.evaluate(`document.querySelector('#logout_form').submit()`);
  await tab.page.waitForSelector('#username');
  t.strictSame(tab.faults, []);
});
