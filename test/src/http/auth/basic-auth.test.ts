import t from 'tap';
import { parseBasic } from '../../../../src/http/auth/basic-auth.js';
import { answer, basic, KEY, startToy } from '../toy-server.js';

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');

const REFUSED: readonly [string | null, string, string][] = [
  [null, 'Not logged in: API authentication or user session required', 'no header'],
  ['Basic', 'Invalid authorization header for basic auth', 'one part'],
  [`Basic ${base64('a:b')} x`, 'Invalid authorization header for basic auth', 'three parts'],
  ['Basic ***=', 'Invalid authorization header for basic auth', 'bad Base64'],
  ['Basic YTpi=', 'Invalid authorization header for basic auth', 'bad padding'],
  [`Basic ${base64('a\xff:b')}`, 'Invalid authorization header for basic auth', 'not UTF-8'],
  [`Basic ${base64('nocolon')}`, 'Invalid authorization header for basic auth', 'no colon'],
  ['Bearer abc', 'This endpoint requires HTTP basic authentication.', 'another scheme'],
  [basic('iago@example.com', 'short'), 'Malformed API key', 'a short key'],
  [basic('iago@example.com', `${KEY}x`), 'Malformed API key', 'a long key'],
  [basic('iago@example.com', 'ä'.repeat(16)), 'Malformed API key', 'a key of other characters'],
  [basic('iago@example.com', 'x'.repeat(32)), 'Invalid API key', 'an unknown key'],
  [basic('nobody@example.com'), 'Invalid API key', 'an unknown user'],
];

void t.test('every refusal is 401 UNAUTHORIZED with its text and a challenge', async (t) => {
  const { api } = await startToy(t);
  for (const [auth, msg, situation] of REFUSED) {
    const response = await api('/messages', { auth });
    t.equal(response.headers.get('www-authenticate'), 'Basic realm="zulip"', situation);
    t.same(
      await answer(response),
      { status: 401, body: { result: 'error', msg, code: 'UNAUTHORIZED' } },
      situation,
    );
  }
});

void t.test('white space and the case of the scheme do not matter', async (t) => {
  const spaced = base64(`  iago@example.com : ${KEY}\n`);
  for (const header of [`bAsIc ${spaced}`, `  Basic \t ${spaced}  `]) {
    t.same(parseBasic(header), { email: 'iago@example.com', key: KEY });
  }
});

void t.test('an accepted header is not checked anew', async (t) => {
  const { api, authenticator } = await startToy(t);
  for (let i = 0; i < 3; i++) t.equal((await api('/messages')).status, 200);
  t.equal(authenticator.logins, 1);
});

void t.test('a refused header is checked each time', async (t) => {
  const { api, authenticator } = await startToy(t);
  const auth = basic('nobody@example.com');
  await api('/messages', { auth });
  await api('/messages', { auth });
  t.equal(authenticator.logins, 2);
});

void t.test('deactivation, a new key and another address take effect at once', async (t) => {
  const { api, authenticator } = await startToy(t);
  t.equal((await api('/messages')).status, 200);
  const iago = authenticator.users.get(1)!;
  iago.is_active = false;
  const refused = await answer(await api('/messages'));
  t.match(refused, { status: 401, body: { msg: 'Account is deactivated', code: 'UNAUTHORIZED' } });
  iago.is_active = true;
  t.equal((await api('/messages')).status, 200);
  iago.key_version = '2';
  t.match(await answer(await api('/messages')), { status: 200 }, 'checked anew');
  t.equal(authenticator.logins, 3);
  iago.email = 'new@example.com';
  t.match(await answer(await api('/messages')), {
    status: 401,
    body: { msg: 'Invalid API key', code: 'UNAUTHORIZED' },
  });
});

void t.test('endpoints without credentials ignore the header', async (t) => {
  const { api } = await startToy(t);
  for (const auth of [null, 'Basic', 'Bearer x', basic('nobody@example.com')]) {
    t.match(await answer(await api('/open', { auth })), { status: 200, body: { user_id: null } });
  }
});
