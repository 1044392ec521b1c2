/** A demanded second factor where people log in by a directory: it is the matter of whoever keeps the password. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  BASE,
  BIND_DN,
  BIND_PASSWORD,
  NO_SLAPD,
  startSlapd,
} from '../../src/services/fixtures/slapd.js';
import { BrowserSession } from '../harness/browser-session.js';
import { ApiClient, exchange, form, FORM } from '../harness/client.js';
import { setUpTwoFactor } from '../harness/second-factor.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';

void t.test(
  'a password of the directory, and one of this server',
  { skip: NO_SLAPD ?? false },
  async (t) => {
    const slapd = await startSlapd(t, [
      ['hamlet', 'hamlet@example.org', 'Hamlet Prince', 'to-be-or-not'],
      ['gertrude', 'gertrude@example.org', 'Gertrude Queen', 'the-lady-protests'],
    ]);
    const folder = storeFolder(t);
    const file = join(folder, 'ldap.json');
    const search = { base: BASE, username: 'uid' };
    writeFileSync(
      file,
      JSON.stringify({ url: slapd.url, bind_dn: BIND_DN, bind_password: BIND_PASSWORD, ...search }),
    );
    const server = await RunningServer.serve(t, join(folder, 'data'), { args: ['--ldap', file] });
    const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
    const local = { email: 'local@example.org', password: 'cedar-window-31-map' };
    const former = { email: 'gertrude@example.org', password: 'former-window-31-map' };
    for (const one of [local, former])
      await owner.ok('POST', '/users', { ...one, full_name: 'Some One' });
    await setUpTwoFactor(owner, OWNER_PASSWORD);
    await owner.ok('PATCH', '/realm', { require_two_factor: 'everyone' });

    const login = (username: string, password: string) =>
      exchange(server.url, 'POST', '/api/v1/fetch_api_key', {
        headers: FORM,
        body: form({ username, password }),
      });
    const me = async (username: string, password: string) => {
      const { status, body } = await login(username, password);
      if (status !== 200) return body.code;
      const client = new ApiClient(server.url, String(body.email), String(body.api_key), 0);
      return (await client.call('GET', '/users/me')).status;
    };
    const CODE = 'TWO_FACTOR_SETUP_REQUIRED';
    t.equal(await me(local.email, local.password), CODE, 'a password of this server');
    t.equal(
      await me(former.email, former.password),
      'AUTHENTICATION_FAILED',
      'not past the directory',
    );
    t.equal(await me('hamlet', 'to-be-or-not'), 200, 'who has none here');
    t.equal(await me('gertrude', 'the-lady-protests'), 200, 'whose password here has ended');
    t.equal(await me(former.email, former.password), 'AUTHENTICATION_FAILED');

    for (const [name, password, status] of [
      ['hamlet', 'to-be-or-not', 200],
      ['gertrude', 'the-lady-protests', 200],
      [local.email, local.password, 403],
    ] as const) {
      const browser = new BrowserSession(server.url);
      t.equal((await browser.logIn(name, password)).status, 200);
      t.equal((await browser.call('GET', '/users/me')).status, status, name);
    }
  },
);
