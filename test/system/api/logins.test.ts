import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import t from 'tap';
import {
  BASE,
  BIND_DN,
  BIND_PASSWORD,
  NO_SLAPD,
  startSlapd,
} from '../../src/services/fixtures/slapd.js';
import { exchange, form, type Body } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';

const SECRET = 'a shared secret of enough bytes, 32';

async function post(server: RunningServer, path: string, params: Body) {
  const { status, body } = await exchange(server.url, 'POST', `/api/v1${path}`, {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: form(params),
  });
  return { status, body };
}

// [c:directory-login]
void t.test('a password of a directory logs in', { skip: NO_SLAPD ?? false }, async (t) => {
  const slapd = await startSlapd(t, [
    ['hamlet', 'hamlet@example.org', 'Hamlet Prince', 'to-be-or-not'],
    ['boss', OWNER_EMAIL, 'The Owner', 'directory-password'],
  ]);
  const folder = storeFolder(t);
  const file = join(folder, 'ldap.json');
  writeFileSync(
    file,
    JSON.stringify({
      url: slapd.url,
      bind_dn: BIND_DN,
      bind_password: BIND_PASSWORD,
      base: BASE,
      username: 'uid',
    }),
  );
  const server = await RunningServer.serve(t, join(folder, 'data'), { args: ['--ldap', file] });
  const login = (username: string, password: string) =>
    post(server, '/fetch_api_key', { username, password });

  const { body: settings } = await exchange(server.url, 'GET', '/api/v1/server_settings');
  t.equal(settings.require_email_format_usernames, false);
  t.match(settings.authentication_methods, { ldap: true, password: true, email: true });

  const first = await login('hamlet', 'to-be-or-not');
  t.equal(first.status, 200, 'the first login makes the account');
  t.equal(first.body.email, 'hamlet@example.org');
  const again = await login('hamlet', 'to-be-or-not');
  t.strictSame(again, first, 'and later ones find it');
  const authorization = `Basic ${Buffer.from(
    `${String(first.body.email)}:${String(first.body.api_key)}`,
  ).toString('base64')}`;
  const me = await exchange(server.url, 'GET', '/api/v1/users/me', {
    headers: { Authorization: authorization },
  });
  t.match(me.body, { full_name: 'Hamlet Prince', role: 400, is_active: true });
  const { body: subscribed } = await exchange(server.url, 'GET', '/api/v1/users/me/subscriptions', {
    headers: { Authorization: authorization },
  });
  t.ok((subscribed.subscriptions as Body[]).length > 0, 'in the default channels');

  const failed = { status: 401, body: { code: 'AUTHENTICATION_FAILED' } };
  t.match(await login('hamlet', 'wrong'), failed);
  t.match(await login('hamlet', ''), failed);
  t.match(await login('ophelia', 'to-be-or-not'), failed);

  const boss = await login('boss', 'directory-password');
  t.match(boss, { status: 200, body: { email: OWNER_EMAIL } });
  t.match(await login(OWNER_EMAIL, OWNER_PASSWORD), failed, 'nobody logs in past it');
  const basicOf = ({ email, api_key }: Body) =>
    `Basic ${Buffer.from(`${String(email)}:${String(api_key)}`).toString('base64')}`;
  const local = { email: 'local@example.org', password: 'cedar-window-31-map' };
  const created = await exchange(server.url, 'POST', '/api/v1/users', {
    headers: {
      Authorization: basicOf(boss.body),
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: form({ ...local, full_name: 'Local' }),
  });
  t.equal(created.status, 200);
  t.match(
    await login(local.email, local.password),
    { status: 200 },
    'whom the directory does not know is one of the server itself',
  );
  const change = await exchange(server.url, 'PATCH', '/api/v1/settings', {
    headers: {
      Authorization: authorization,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: form({ old_password: 'to-be-or-not', new_password: 'cedar-window-31-map' }),
  });
  t.match(change, { status: 400, body: { msg: 'Your password is managed in LDAP' } });

  await slapd.kill();
  const away = await login('hamlet', 'to-be-or-not');
  t.match(away, { status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
});

// [c:jwt-of-other-library]
void t.test('by a token another library made', async (t) => {
  const folder = storeFolder(t);
  const file = join(folder, 'jwt.json');
  writeFileSync(
    file,
    JSON.stringify({ algorithms: ['HS256'], secret: SECRET, audience: 'parley' }),
  );
  const server = await RunningServer.serve(t, join(folder, 'data'), { args: ['--jwt', file] });
  const fetch = (token: string, more: Body = {}) =>
    post(server, '/jwt/fetch_api_key', { token, ...more });
  const claims = { email: OWNER_EMAIL };
  const good = await fetch(jwt.sign(claims, SECRET, { audience: 'parley' }));
  const byPassword = await post(server, '/fetch_api_key', {
    username: OWNER_EMAIL,
    password: OWNER_PASSWORD,
  });
  t.strictSame(good, {
    status: 200,
    body: { result: 'success', msg: '', email: OWNER_EMAIL, api_key: byPassword.body.api_key },
  });
  const withProfile = await fetch(jwt.sign(claims, SECRET, { audience: 'parley' }), {
    include_profile: true,
  });
  t.match(withProfile.body, { user: { delivery_email: OWNER_EMAIL, role: 100 } });
  t.notOk('profile_data' in (withProfile.body.user as Body));
  const bad = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Bad JSON web token' } };
  t.match(await fetch(jwt.sign(claims, SECRET)), bad, 'no audience');
  t.match(await fetch(jwt.sign(claims, SECRET, { audience: 'x' })), bad, 'another audience');
  t.match(await fetch(jwt.sign(claims, '', { algorithm: 'none', audience: 'parley' })), bad);
  t.match(await fetch(''), { status: 400, body: { msg: 'No JSON web token passed in request' } });
});

void t.test('a login by another method is refused where none is configured', async (t) => {
  const server = await RunningServer.start(t);
  t.match(await post(server, '/jwt/fetch_api_key', { token: 'x' }), {
    status: 400,
    body: { msg: 'JWT authentication is not enabled for this organization' },
  });
  t.match(await post(server, '/fetch_api_key', { username: 'boss', password: 'x' }), {
    status: 400,
    body: { msg: 'Enter a valid email address.' },
  });
});
