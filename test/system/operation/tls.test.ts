import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { WebSocket } from 'ws';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, storeFolder } from '../harness/server.js';

/* A server that terminates TLS itself, by every way in which clients reach it. */

const FIXTURES = fileURLToPath(new URL('../../../../test/fixtures/tls', import.meta.url));
const CERTIFICATE = join(FIXTURES, 'first.pem');
const TLS = ['--tls-cert', CERTIFICATE, '--tls-key', join(FIXTURES, 'first.key')];
const LISTENING = /^Parley is listening on https:\/\/127\.0\.0\.1:(\d+)/m;
const ca = readFileSync(CERTIFICATE);

type Body = Record<string, unknown>;

/** What a reply says about plain HTTP. */
function policyOf(port: number, options: RequestOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, ca, ...options }, (response) => {
      resolve(response.headers['strict-transport-security']);
      response.destroy();
    });
    sent.on('error', reject).end();
  });
}

function call(port: number, options: RequestOptions, body: Buffer | string = ''): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, ca, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    });
    sent.on('error', reject).end(body);
  });
}

void t.test('calls, uploads, polls, streams and sockets by TLS', async (t) => {
  const args = [...TLS, '--redirect-port', '0', '--metrics', '127.0.0.1:0'];
  const server = RunningServer.spawn(storeFolder(t), { args });
  t.teardown(() => server.kill());
  const port = Number((await server.printed(LISTENING))[1]);
  const [, plain] = await server.printed(/^Plain HTTP is redirected at port (\d+)$/m);
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const login = new URLSearchParams({ username: OWNER_EMAIL, password: OWNER_PASSWORD }).toString();
  const key = JSON.parse(
    String(
      await call(port, { path: '/api/v1/fetch_api_key', method: 'POST', headers: form }, login),
    ),
  ) as Body;
  const Authorization = `Basic ${Buffer.from(`${OWNER_EMAIL}:${String(key['api_key'])}`).toString('base64')}`;
  const api = async (method: string, path: string, params: Body = {}): Promise<Body> => {
    const text = new URLSearchParams(params as Record<string, string>).toString();
    const query = method === 'GET' && text ? `?${text}` : '';
    const headers = { Authorization, ...(method === 'GET' ? {} : form) };
    const options = { path: `/api/v1${path}${query}`, method, headers };
    return JSON.parse(String(await call(port, options, method === 'GET' ? '' : text))) as Body;
  };

  const { queue_id: polled } = await api('POST', '/register', { event_types: '["message"]' });
  const { queue_id: streamed } = await api('POST', '/register', { event_types: '["message"]' });
  const { queue_id: pushed } = await api('POST', '/register', { event_types: '["message"]' });
  const waiting = api('GET', '/events', { queue_id: String(polled), last_event_id: '-1' });
  const socket = new WebSocket(
    `wss://127.0.0.1:${port}/api/v1/events?queue_id=${String(pushed)}&last_event_id=-1`,
    { ca, headers: { Authorization } },
  );
  const frame = new Promise<string>((resolve, reject) => {
    socket.on('message', (data: Buffer) => {
      if (data.toString().includes('"message"')) resolve(data.toString());
    });
    socket.on('error', reject);
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const text = new Promise<string>((resolve, reject) => {
    const path = `/api/v1/events?queue_id=${String(streamed)}&last_event_id=-1`;
    const headers = { Authorization, Accept: 'text/event-stream' };
    const sent = request({ host: '127.0.0.1', port, ca, path, headers }, (response) => {
      let came = '';
      response.on('data', (chunk: Buffer) => {
        came += chunk.toString();
        if (!came.includes('"content"')) return;
        resolve(came);
        sent.destroy();
      });
    });
    sent.on('error', reject).end();
  });

  const file = randomBytes(3 * 1024 * 1024);
  const boundary = 'b0undary';
  const { url } = JSON.parse(
    String(
      await call(
        port,
        {
          path: '/api/v1/user_uploads',
          method: 'POST',
          headers: { Authorization, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
        },
        Buffer.concat([
          Buffer.from(
            `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`,
          ),
          file,
          Buffer.from(`\r\n--${boundary}--\r\n`),
        ]),
      ),
    ),
  ) as Body;
  const back = await call(port, { path: String(url), headers: { Authorization } });
  t.ok(back.equals(file), 'three megabytes there and back');
  const { user_id: me } = await api('GET', '/users/me');
  const content = 'Crème brûlée';
  const sent = await api('POST', '/messages', { type: 'direct', to: `[${String(me)}]`, content });
  t.equal(sent['result'], 'success');
  t.match(await waiting, { events: [{ message: { id: sent['id'] } }] }, 'a poll');
  t.match(await frame, content, 'a socket');
  t.match(await text, content, 'a stream');
  socket.terminate();

  // RFC 6797: every reply by TLS has it, whatever it is, and none without.
  for (const [path, method] of [
    ['/health', 'GET'],
    ['/login/', 'GET'],
    ['/api/v1/users/me', 'GET'],
    ['/api/v1/users/me', 'OPTIONS'],
    ['/static/none', 'GET'],
    [String(url), 'GET'],
    [`/api/v1/events?queue_id=${String(streamed)}&last_event_id=-1`, 'GET'],
  ] as const) {
    const headers = { Authorization, Accept: '*/*' };
    if (path.includes('/events')) headers.Accept = 'text/event-stream';
    const policy = await policyOf(port, { path, method, headers });
    t.equal(policy, 'max-age=15768000', `${method} ${path}`);
  }

  const redirected = await fetch(`http://127.0.0.1:${plain}/api/v1/users/me`, {
    redirect: 'manual',
  });
  t.equal(redirected.headers.get('strict-transport-security'), null, 'not by plain HTTP');
  t.same(
    [redirected.status, redirected.headers.get('location')],
    [308, `https://127.0.0.1:${port}/api/v1/users/me`],
  );
  const [, metrics] = await server.printed(/^Metrics are served on (\S+)$/m);
  t.match(
    await (await fetch(metrics!)).text(),
    /^parley_tls_certificate_expiry_timestamp_seconds\{file=".*first.pem"\} 4\d{9}$/m,
  );
  t.equal((await server.stop()).code, 0);
});

void t.test('several processes share the port', async (t) => {
  const server = RunningServer.spawn(storeFolder(t), { args: [...TLS, '--workers', '2'] });
  t.teardown(() => server.kill());
  const port = Number((await server.printed(LISTENING))[1]);
  const health = JSON.parse(String(await call(port, { path: '/health' }))) as Body;
  t.match(health, { result: 'success' });
  t.equal((await server.stop()).code, 0);
});

void t.test('files that do not fit end the start, and the check', async (t) => {
  const folder = storeFolder(t);
  const wrong = join(FIXTURES, 'second.key');
  const flags = ['--tls-cert', CERTIFICATE, '--tls-key', wrong, '--store', `embedded:${folder}`];
  const told = `${wrong}: is not the key of the certificate in ${CERTIFICATE}\n`;
  for (const command of [['serve'], ['config', 'check']]) {
    const { code, stderr } = await run([...command, ...flags]);
    t.equal(code, 1, command.join(' '));
    t.match(stderr, told);
  }
  const alone = await run(['serve', '--redirect-port', '80']);
  t.equal(alone.code, 2);
  t.match(
    alone.stderr,
    '--redirect-port: TLS takes both a certificate (tls-cert) and its key (tls-key)',
  );
});
