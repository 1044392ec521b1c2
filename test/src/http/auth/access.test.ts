import t from 'tap';
import { answer, basic, startToy } from '../toy-server.js';

const OK = 'success';
const OWNER = 'Must be an organization owner';
const ADMINISTRATOR = 'Must be an organization administrator';

/** What each user gets from the endpoints /human, /member, /administrator and /owner. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  iago: [OK, OK, OK, OK],
  admin: [OK, OK, OK, OWNER],
  hamlet: [OK, OK, ADMINISTRATOR, OWNER],
  guest: [OK, 'Not allowed for guest users', ADMINISTRATOR, OWNER],
  bot: ['This endpoint does not accept bot requests.', OK, ADMINISTRATOR, OWNER],
};

void t.test('each access rule refuses in its own words', async (t) => {
  const { api } = await startToy(t);
  for (const [name, expected] of Object.entries(EXPECTED)) {
    const auth = basic(`${name}@example.com`);
    for (const [i, path] of ['/human', '/member', '/administrator', '/owner'].entries()) {
      const { status, body } = await answer(await api(path, { auth }));
      t.equal(status === 200 ? OK : body.msg, expected[i], `${name} ${path}`);
      const code = String(expected[i]).startsWith('Must')
        ? 'UNAUTHORIZED_PRINCIPAL'
        : 'BAD_REQUEST';
      t.equal(body.code, status === 200 ? undefined : code);
    }
  }
});

void t.test('the kind of caller is checked before parameters', async (t) => {
  const { api } = await startToy(t);
  const ask = async (email: string) => {
    const { body } = await answer(await api('/owner?n=x', { auth: basic(email) }));
    return body.msg;
  };
  t.equal(await ask('hamlet@example.com'), 'Must be an organization owner');
  t.equal(await ask('iago@example.com'), 'n is not valid JSON');
});
