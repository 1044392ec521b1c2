import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import t, { type Test } from 'tap';
import { ALL_ENDPOINTS } from '../../../schemas/endpoints.js';
import { shownCode } from '../../fixtures/authenticator.js';
import { Browser, startOpenIdServer } from '../../src/services/fixtures/openid-server.js';
import { BrowserSession, OWN_PAGE } from '../harness/browser-session.js';
import { ApiClient, exchange, type Body } from '../harness/client.js';
import { setUpTwoFactor } from '../harness/second-factor.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';
import {
  BEGIN,
  carriedToken,
  comeBack,
  finish,
  openIdFile,
  SITE,
  verified,
} from '../harness/single-sign-on.js';

const SECRET = 'a-secret-of-more-than-thirty-two-bytes';
const CODE = 'TWO_FACTOR_SETUP_REQUIRED';
const TEXT =
  'This organization demands two-factor authentication: log in with a browser and set it up';
const PAGE = '/accounts/two-factor/';
const ANN = 'ann@example.com';
const ANN_PASSWORD = 'ann-reads-47-books';
const REFUSED = { status: 401, body: { code: CODE, msg: TEXT } };
const FOLLOWS = /^Parley follows on/m;

/** Asks every endpoint, by key and by session. */
async function opensNothing(t: Test, ann: ApiClient, browser: BrowserSession): Promise<void> {
  let count = 0;
  for (const { operation, access, method, path, beforeTwoFactor, atRoot } of ALL_ENDPOINTS) {
    if (access === 'anonymous' || atRoot || operation.startsWith('open-')) continue;
    const address = path.replaceAll(/\{[^}]*\}/g, '1');
    const byKey = await ann.call(method, address);
    const bySession = await browser.call(method, address);
    if (beforeTwoFactor) {
      t.not(byKey.body.code, CODE, operation);
      t.not(bySession.body.code, CODE, operation);
      continue;
    }
    // Some have no session at all.
    if (bySession.status !== 401) {
      t.match(bySession, { status: 403, body: { code: CODE, msg: TEXT } }, operation);
    }
    t.match(byKey, REFUSED, operation);
    count++;
  }
  t.ok(count > 150, String(count));
}

/** A socket of somebody, once it is open. */
async function opened(ann: ApiClient, queue: Body): Promise<{ closed: Promise<number> }> {
  const { queue_id, last_event_id } = queue;
  const socket = ann.socket({ queue_id, last_event_id });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => socket.once('open', resolve));
  return { closed };
}

void t.test(
  'a demanded second factor stands before every door',
  { timeout: 120_000 },
  async (t) => {
    const provider = await startOpenIdServer(t, [`${SITE}/complete/corp/`]);
    const folder = storeFolder(t);
    const file = join(folder, 'jwt.json');
    writeFileSync(
      file,
      JSON.stringify({ algorithms: ['HS256'], secret: SECRET, audience: 'parley' }),
    );
    const args = ['--url', SITE, '--oidc', openIdFile(folder, provider.issuer), '--jwt', file];
    const server = await RunningServer.serve(t, join(folder, 'data'), { args });
    const follower = RunningServer.spawn(join(folder, 'data'), { args });
    t.teardown(() => follower.kill());
    await follower.printed(FOLLOWS);
    await follower.listening();
    const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
    await owner.ok('POST', '/users', { email: ANN, full_name: 'Ann', password: ANN_PASSWORD });
    const ann = await ApiClient.login(server.url, ANN, ANN_PASSWORD);
    const bot = await ann.ok('POST', '/bots', { full_name: 'Companion', short_name: 'companion' });
    const browser = new BrowserSession(server.url);
    t.equal((await browser.logIn(ANN, ANN_PASSWORD)).status, 200);

    await t.test('who has none cannot demand it, and administrators never', async (t) => {
      const reply = await owner.call('PATCH', '/realm', { require_two_factor: 'everyone' });
      t.match(reply.body, {
        msg: 'Set up two-factor authentication for your own account first.',
        code: 'BAD_REQUEST',
      });
      const { body } = await ann.call('PATCH', '/realm', { require_two_factor: 'everyone' });
      t.equal(body.msg, 'Must be an organization administrator');
    });
    await setUpTwoFactor(owner, OWNER_PASSWORD);
    const told = await ann.register({ event_types: ['realm'], fetch_event_types: ['realm'] });
    t.equal(told.realm_require_two_factor, 'nobody');
    const open = await opened(ann, told);
    const elsewhere = ann.at(follower.url);
    const openElsewhere = await opened(
      elsewhere,
      await elsewhere.register({ event_types: ['realm'] }),
    );
    await owner.ok('PATCH', '/realm', { require_two_factor: 'administrators' });
    t.equal((await ann.call('GET', '/users/me')).status, 200, 'a member is no administrator');
    const watching = await owner.register({ event_types: ['realm'], fetch_event_types: ['realm'] });
    t.equal(watching.realm_require_two_factor, 'administrators');
    await owner.ok('PATCH', '/realm', { require_two_factor: 'everyone' });
    const { events } = await owner.ok('GET', '/events', {
      queue_id: watching.queue_id,
      last_event_id: watching.last_event_id,
    });
    t.match((events as Body[])[0], {
      type: 'realm',
      op: 'update',
      property: 'require_two_factor',
      value: 'everyone',
    });
    const { records } = await owner.ok('GET', '/realm/audit_log', { limit: 1 });
    t.match((records as Body[])[0], {
      user_id: owner.userId,
      changes: [
        {
          kind: 'organization',
          fields: [{ name: 'require_two_factor', old: '"administrators"', new: '"everyone"' }],
        },
      ],
    });
    t.equal(await open.closed, 4003, 'what was open is closed');
    t.equal(await openElsewhere.closed, 4003, 'at each node');

    await t.test('nobody gets a key by it', async (t) => {
      const password = { username: ANN, password: ANN_PASSWORD };
      t.match(await exchange(server.url, 'POST', '/api/v1/fetch_api_key', form(password)), REFUSED);
      const token = jwt.sign({ email: ANN }, SECRET, { audience: 'parley', expiresIn: 60 });
      const byToken = await exchange(
        server.url,
        'POST',
        '/api/v1/jwt/fetch_api_key',
        form({ token }),
      );
      t.match(byToken, REFUSED);
      provider.visitor = { sub: 'ann', claims: verified(ANN) };
      const app = new Browser();
      const pad = `?mobile_flow_otp=${'ab'.repeat(32)}`;
      t.match(await finish(app, await comeBack(app, server.url, server.url, pad)), REFUSED);
      const known = new Browser();
      const { body } = await finish(known, await comeBack(known, server.url));
      const credentials = Buffer.from(`${ANN}:${String(body.api_key)}`).toString('base64');
      const headers = { Authorization: `Basic ${credentials}` };
      t.match(await exchange(server.url, 'GET', '/api/v1/users/me', { headers }), REFUSED);
    });

    await t.test('a key and a session open nothing else, whatever is asked for', async (t) => {
      await opensNothing(t, ann, browser);
      const again = ann.socket({ queue_id: told.queue_id, last_event_id: told.last_event_id });
      const status = await new Promise((resolve) =>
        again.on('unexpected-response', (_request, response) => resolve(response.statusCode)),
      );
      t.equal(status, 401, 'no socket either');
    });

    await t.test('nor at a node that follows', async (t) => {
      await opensNothing(t, elsewhere, browser.copied(follower.url));
      const password = { username: ANN, password: ANN_PASSWORD };
      t.match(
        await exchange(follower.url, 'POST', '/api/v1/fetch_api_key', form(password)),
        REFUSED,
      );
      const { status, headers } = await browser.copied(follower.url).send('GET', '/chat');
      t.match({ status, location: headers.location }, { status: 302, location: PAGE });
      provider.visitor = { sub: 'ann', claims: verified(ANN) };
      const app = new Browser();
      const pad = `?mobile_flow_otp=${'ab'.repeat(32)}`;
      t.match(await finish(app, await comeBack(app, follower.url, follower.url, pad)), REFUSED);
    });

    await t.test('a desktop app has what a browser has', async (t) => {
      provider.visitor = { sub: 'ann', claims: verified(ANN) };
      for (const { url } of [server, follower]) {
        const agent = { 'User-Agent': 'ZulipElectron/5.11.1 (Linux 6.1)' };
        const app = new Browser();
        await app.get(`${url}${BEGIN}`, agent);
        const token = await carriedToken(server, randomBytes(32));
        const response = await app.post(
          `${url}/accounts/login/desktop/corp`,
          { token },
          { Accept: 'application/json', ...agent },
        );
        t.equal(response.status, 200);
        const { api_key } = (await response.json()) as Body;
        const key = new ApiClient(url, ANN, String(api_key), 0);
        t.match(await key.call('GET', '/users/me'), REFUSED, 'its key opens nothing');
        const page = await app.get(`${url}/chat`, agent);
        t.match([page.status, page.headers.get('location')], [302, PAGE]);
        const set = await app.get(`${url}${PAGE}`, agent);
        t.equal(set.status, 200, 'where it is set up');
        const asked = await app.get(`${url}/json/users/me`, { ...agent, ...OWN_PAGE });
        t.match(await asked.json(), { code: CODE });
        t.equal(asked.status, 403);
      }
    });

    await t.test('bots are exempt', async (t) => {
      const authorization = `companion-bot@chat.example.org:`;
      const credentials = Buffer.from(`${authorization}${String(bot.api_key)}`).toString('base64');
      const headers = { Authorization: `Basic ${credentials}` };
      t.equal((await exchange(server.url, 'GET', '/api/v1/users/me', { headers })).status, 200);
    });

    await t.test('each page leads to the set-up, and after it everything is open', async (t) => {
      for (const path of ['/', '/chat', '/console', '/login/']) {
        const { status, headers } = await browser.send('GET', path);
        t.match({ status, location: headers.location }, { status: 302, location: PAGE }, path);
      }
      const ask = async (fields: Body) => {
        const reply = await exchange(server.url, 'POST', PAGE, {
          ...form(fields),
          headers: { ...form({}).headers, Cookie: browser.cookie, Origin: SITE, ...JSON_WANTED },
        });
        return reply.body;
      };
      t.match(await ask({ password: 'wrong' }), { msg: 'Wrong password!' });
      const { secret } = await ask({ password: ANN_PASSWORD });
      t.match(await ask({ code: '000000' }), { msg: 'Invalid two-factor code.' });
      const { recovery_codes } = await ask({ code: shownCode(String(secret), Date.now()) });
      t.equal((recovery_codes as string[]).length, 10);
      t.equal((await browser.call('GET', '/users/me')).status, 200);
      t.equal((await ann.call('GET', '/users/me')).status, 200, 'the key counts again');
      const off = await ann.call('DELETE', '/users/me/two_factor', {
        password: ANN_PASSWORD,
        code: String((recovery_codes as string[])[0]),
      });
      t.equal(off.body.msg, 'This organization demands two-factor authentication.');
    });
  },
);

const JSON_WANTED = { Accept: 'application/json', 'Sec-Fetch-Site': 'same-origin' };

function form(fields: Body) {
  return {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields as Record<string, string>).toString(),
  };
}
