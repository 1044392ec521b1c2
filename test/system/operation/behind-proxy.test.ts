import t from 'tap';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

void t.test('what one client behind a trusted proxy spends stops no other', async (t) => {
  const server = await RunningServer.start(t, {
    rateLimit: 'on',
    args: ['--trusted-proxy', '127.0.0.0/8', '--allowed-origin', 'https://app.example.net'],
  });
  const call = (path: string, client: string, init: RequestInit = {}) =>
    fetch(server.url + path, {
      ...init,
      headers: { 'X-Forwarded-For': `6.6.6.6, ${client}`, ...(init.headers as object) },
    });
  const login = async (client: string, username: string, password: string) => {
    const body = new URLSearchParams({ username, password });
    return call('/api/v1/fetch_api_key', client, { method: 'POST', body });
  };

  await t.test('password resets are limited by client, not by proxy', async (t) => {
    const reset = async (client: string, n: number) => {
      const body = new URLSearchParams({ email: `made-up-${n}@example.org` });
      const headers = { Accept: 'application/json' };
      const path = '/accounts/password/reset/';
      return (await call(path, client, { method: 'POST', body, headers })).status;
    };
    for (let i = 0; i < 5; i++) t.equal(await reset('198.51.100.1', i), 200);
    t.equal(await reset('198.51.100.1', 5), 429, 'five mails a day');
    t.equal(await reset('198.51.100.2', 6), 200, 'by client, not by proxy');
    t.equal(await reset('2606:4700::1', 7), 200);
  });

  await t.test('guesses at keys and passwords', async (t) => {
    const reply = await login('198.51.100.3', OWNER_EMAIL, OWNER_PASSWORD);
    const { api_key } = (await reply.json()) as { api_key: string };
    const basic = (key: string) => ({
      Authorization: `Basic ${Buffer.from(`${OWNER_EMAIL}:${key}`).toString('base64')}`,
    });
    const me = async (client: string, key: string, headers: Record<string, string> = {}) =>
      (await call('/api/v1/users/me', client, { headers: { ...basic(key), ...headers } })).status;
    const guesses = await Promise.all(
      Array.from({ length: 110 }, (_, i) => me('198.51.100.3', String(i).padStart(32, '0'))),
    );
    t.same([...new Set(guesses)].sort(), [401, 429]);
    t.equal(await me('198.51.100.3', api_key), 200, 'a valid key from the same client');
    t.equal(await me('198.51.100.4', '0'.repeat(32)), 401, 'others are not counted with it');
    t.equal((await login('198.51.100.3', OWNER_EMAIL, OWNER_PASSWORD)).status, 200);

    t.equal(await me('198.51.100.3', api_key, { Origin: 'https://evil.example' }), 403);
    t.equal(await me('198.51.100.3', api_key, { Origin: 'https://app.example.net' }), 200);
    t.equal(await me('198.51.100.3', api_key, { Origin: server.url }), 200);
  });
});
