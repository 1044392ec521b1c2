import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { request as plainRequest } from 'node:http';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { ConnectionLimit } from '../../../../src/http/limits/connection-limit.js';
import { utf8Text } from '../../../../src/http/native.js';
import { CertificateRenewal } from '../../../../src/http/tls/certificate-renewal.js';
import { readCertificate } from '../../../../src/http/tls/certificate.js';
import { Https } from '../../../../src/http/tls/https.js';
import { basic, startToy, toyEndpoint } from '../toy-server.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const FIXTURES = fileURLToPath(new URL('../../../../../test/fixtures/tls', import.meta.url));

/** Files of a certificate that a test may replace. */
function files(t: Test, name: 'first' | 'second' | 'expired' = 'first') {
  const folder = testFolder(t);
  mkdirSync(folder, { recursive: true });
  const own = { certificate: join(folder, 'chain.pem'), key: join(folder, 'key.pem') };
  const take = (part: 'certificate' | 'key', from: string): void =>
    copyFileSync(join(FIXTURES, `${from}.${part === 'key' ? 'key' : 'pem'}`), own[part]);
  take('certificate', name);
  take('key', name);
  return { own, take };
}

interface Got {
  readonly status: number | undefined;
  /** Common name of the certificate. */
  readonly name: string;
  readonly body: string;
}

function get(port: number, agent: Agent, path = '/api/v1/messages?anchor=1'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path, agent, headers: { Authorization: basic() } };
    const sent = request(options, (response) => {
      const name = (response.socket as TLSSocket).getPeerCertificate().subject.CN;
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, name: String(name), body }));
    });
    sent.on('error', reject).end();
  });
}

function agentOf(t: Test, keepAlive: boolean): Agent {
  const agent = new Agent({ rejectUnauthorized: false, keepAlive });
  t.teardown(() => agent.destroy());
  return agent;
}

/** Log lines of a renewal, by their text. */
class Lines {
  readonly said: [string, object][] = [];
  info(context: object, text: string): void {
    this.said.push([text, context]);
  }
  warn(context: object, text: string): void {
    this.said.push([text, context]);
  }
}

void t.test(
  'requests and sockets by TLS; a renewed certificate is for new connections',
  async (t) => {
    const { own, take } = files(t);
    const { server, port } = await startToy(t, { tls: own }, (server) => {
      const gate = server.gate(toyEndpoint({ method: 'GET', path: '/socket' }));
      server.register((app) =>
        app.ws('/api/v1/socket', {
          upgrade: (response, request, context) => {
            const key = request.getHeader('sec-websocket-key');
            gate(response, request, (exchange) => exchange.upgrade({}, [key, '', ''], context));
          },
          message: (socket, message) => void socket.send(utf8Text(message), false),
        }),
      );
    });
    const lines = new Lines();
    const renewal = new CertificateRenewal(own, (files) => server.renew(files), lines);
    const kept = agentOf(t, true);
    const first = await get(port, kept);
    t.match(first, { status: 200, name: 'first', body: /"anchor":1/ });

    const socket = new WebSocket(`wss://127.0.0.1:${port}/api/v1/socket`, {
      rejectUnauthorized: false,
      headers: { Authorization: basic() },
    });
    const echoed: string[] = [];
    const said = async (text: string): Promise<void> => {
      const answered = new Promise((resolve) => socket.once('message', resolve));
      socket.send(text);
      echoed.push(String(await answered).slice(0, 9));
    };
    await new Promise((resolve) => socket.once('open', resolve));
    await said('é'.repeat(5000));

    renewal.look();
    t.same(lines.said, [], 'the files are as they were');
    take('certificate', 'second');
    for (let i = 0; i < 2; i++) renewal.look();
    const reason = `${own.key}: is not the key of the certificate in ${own.certificate}`;
    const refused = 'a renewed certificate cannot be used; the old one stays';
    t.same(lines.said, [[refused, { reason }]], 'half of a renewal is told once');
    t.match(await get(port, agentOf(t, false)), { status: 200, name: 'first' });

    take('key', 'second');
    renewal.look();
    t.match(lines.said.at(-1), ['the certificate was renewed', { expires: /^21\d\d-/ }]);
    t.match(await get(port, agentOf(t, false)), { status: 200, name: 'second' });
    await said('still here');
    t.same(echoed, ['ééééééééé', 'still her'], 'a socket stays');
    socket.terminate();
    const pending = get(port, agentOf(t, false), '/api/v1/events?queue_id=q');
    server.stop();
    await t.rejects(pending, 'a stop ends those of each certificate');
  },
);

void t.test('plain HTTP is redirected to the same thing', async (t) => {
  const { own } = files(t);
  const ask = (port: number, path: string, host: string, method = 'GET') =>
    new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
      const sent = plainRequest(
        { port, host: '127.0.0.1', path, method, headers: { Host: host } },
        (response) => {
          response.resume();
          resolve([response.statusCode, response.headers.location]);
        },
      );
      sent.on('error', reject).end();
    });
  const limit = new ConnectionLimit({ error: () => undefined });
  const server = { limit, isProxy: () => false };
  const place = {
    host: '127.0.0.1',
    port: 9443,
    shared: false,
    server,
    hasOtherNames: () => false,
  };
  const renew = (): void => undefined;
  const https = new Https({ ...own, redirectPort: 0 }, renew, new Lines());
  t.teardown(() => https.stop());
  await https.start({ ...place, url: null });
  const port = https.redirectPort!;
  t.same(await ask(port, '/api/v1/messages?a=%20b', 'chat.example.org', 'POST'), [
    308,
    'https://chat.example.org:9443/api/v1/messages?a=%20b',
  ]);
  t.same(await ask(port, '//evil.example/', '[::1]:80'), [
    308,
    'https://[::1]:9443//evil.example/',
  ]);
  t.same(await ask(port, '/', 'a@b.example'), [400, undefined], 'not a name');

  const named = new Https({ ...own, redirectPort: 0 }, renew, new Lines());
  t.teardown(() => named.stop());
  await named.start({ ...place, port: 443, url: 'https://chat.example.org' });
  t.same(await ask(named.redirectPort!, '/x', '203.0.113.9'), [308, 'https://chat.example.org/x']);
  const several = new Https({ ...own, redirectPort: 0 }, renew, new Lines());
  t.teardown(() => several.stop());
  const names = { ...place, url: 'https://chat.example.org:8443', hasOtherNames: () => true };
  await several.start(names);
  t.same(
    await ask(several.redirectPort!, '/x', 'other.example.org'),
    [308, 'https://other.example.org:8443/x'],
    'others are served too, at the port of the base URL',
  );
  const taken = new Https({ ...own, redirectPort: port }, renew, new Lines());
  await t.rejects(taken.start({ ...place, url: null }), {
    message: `Cannot listen on 127.0.0.1:${port}: the port is in use by another process`,
  });
});

void t.test('what is no certificate, or no key of it, is told with its file', (t) => {
  const { own, take } = files(t);
  t.equal(new Date(readCertificate(own).expiresAt).getUTCFullYear(), 2126);
  take('key', 'second');
  t.throws(() => readCertificate(own), {
    message: `${own.key}: is not the key of the certificate in ${own.certificate}`,
  });
  writeFileSync(own.key, 'secret');
  t.throws(() => readCertificate(own), {
    message: `${own.key}: is no private key in PEM without a passphrase`,
  });
  writeFileSync(own.certificate, 'a'.repeat(1_000_000));
  t.throws(() => readCertificate(own), { message: `${own.certificate}: is no certificate in PEM` });
  t.throws(() => readCertificate({ ...own, certificate: `${own.key}.none` }), {
    message: `${own.key}.none: cannot be read (ENOENT)`,
  });
  t.end();
});

void t.test('an end that is near is told once a day', (t) => {
  const { own } = files(t, 'expired');
  const lines = new Lines();
  const { expiresAt } = readCertificate(own);
  let now = expiresAt - 15 * 86_400_000;
  const renewal = new CertificateRenewal(
    own,
    () => undefined,
    lines,
    () => now,
  );
  t.same(lines.said, []);
  const told = [
    'the certificate expires soon, or has expired',
    { expires: new Date(expiresAt).toISOString() },
  ];
  for (const [hours, count] of [
    [30, 1],
    [12, 1],
    [13, 2],
  ] as const) {
    now += hours * 3_600_000;
    renewal.look();
    t.same(
      lines.said,
      Array.from({ length: count }, () => told),
    );
  }
  t.end();
});
