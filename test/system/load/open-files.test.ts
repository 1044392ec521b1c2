/** More connections than a process may have open files: it lives, serves those that it has, and goes on afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { freePort } from '../../../bench/harness/processes/free-port.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, PROGRAM, storeFolder } from '../harness/server.js';

t.setTimeout(300_000);

/** With these, 192 connections. */
const OPEN_FILES = 256;
const CONNECTIONS = 192;
const ATTEMPTS = 600;

interface Served {
  readonly pid: number;
  readonly port: number;
  readonly log: () => string;
  /** Resolves when it has said so. */
  readonly said: (pattern: RegExp) => Promise<RegExpExecArray>;
}

async function serveWithFewFiles(t: Test, ...more: readonly string[]): Promise<Served> {
  const args = ['serve', '--port', '0', '--store', `embedded:${storeFolder(t)}`, ...more];
  const child = spawn(
    '/bin/bash',
    ['--norc', '-c', `ulimit -n ${OPEN_FILES}; exec "$0" "$@"`, process.execPath, PROGRAM, ...args],
    {
      env: {
        PATH: process.env['PATH'],
        PARLEY_OWNER_EMAIL: OWNER_EMAIL,
        PARLEY_OWNER_PASSWORD: OWNER_PASSWORD,
        PARLEY_RATE_LIMIT: 'off',
      },
    },
  );
  t.teardown(() => child.kill('SIGKILL'));
  let text = '';
  let look = (): void => undefined;
  const take = (chunk: Buffer): void => {
    text += chunk.toString();
    look();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const said = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error(text)));
      look = (): void => {
        const found = pattern.exec(text);
        if (found) resolve(found);
      };
      look();
    });
  const port = Number((await said(/listening on https?:\/\/[\d.]+:(\d+)/))[1]);
  return { pid: child.pid!, port, log: () => text, said };
}

/** Connections that begin the head of a request; resolves when the server has closed all but a number of them. */
async function crowd(t: Test, port: number): Promise<Socket[]> {
  let closed = 0;
  let enough = (): void => undefined;
  const done = new Promise<void>((resolve) => (enough = resolve));
  const sockets = Array.from({ length: ATTEMPTS }, (_, i) => {
    // Of an address each, because none gets more than are left for all.
    const localAddress = `127.0.${1 + Math.floor(i / 200)}.${1 + (i % 200)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed += 1;
      if (closed >= ATTEMPTS - CONNECTIONS) enough();
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    return socket;
  });
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  await done;
  return sockets;
}

/** Milliseconds of processor time that a process has taken. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

void t.test('connections are bounded by what the open files leave', async (t) => {
  const { pid, port, log } = await serveWithFewFiles(t);
  const owner = await ApiClient.login(`http://127.0.0.1:${port}`, OWNER_EMAIL, OWNER_PASSWORD);
  const { queue_id, last_event_id } = await owner.register({ event_types: ['message'] });
  const held = await owner.hold(queue_id, last_event_id);
  const before = processorTime(pid);
  const began = performance.now();
  const sockets = await crowd(t, port);
  t.ok(readdirSync(`/proc/${pid}/fd`).length < OPEN_FILES - 20, 'some files are left');
  // The connections that there were are served, and what needs files of the process goes on.
  const id = await owner.say('hello');
  t.match(await held.events, [{ type: 'message', message: { id } }]);
  const body = new FormData();
  body.append('file', new Blob(['text']), 'a.txt');
  for (const socket of sockets) socket.destroy();
  const headers = { Authorization: owner.authorization };
  const url = `${owner.url}/api/v1/user_uploads`;
  t.equal((await fetch(url, { method: 'POST', headers, body })).status, 200);
  t.match(log(), /raise the limit of open files/);
  const share = (processorTime(pid) - before) / (performance.now() - began);
  t.comment(`${share.toFixed(2)} of a processor`);

  // Sockets are counted until they close: many of them, one after another, take no place for ever.
  for (let i = 0; i < CONNECTIONS + 20; i++) {
    const socket = owner.socket({ queue_id, last_event_id });
    await new Promise((resolve, reject) => {
      socket.on('open', () => socket.terminate());
      socket.on('close', resolve);
      socket.on('error', reject);
    });
  }
  t.ok(await owner.say('and again'));
});

/** Ports at which a process listens, by the kernel. */
function portsOf(pid: number): number[] {
  const own = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
      if (inode !== undefined) own.add(inode);
    } catch {
      // It is closed by now.
    }
  }
  const lines = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1);
  const fields = lines.map((line) => line.trim().split(/\s+/));
  const listening = fields.filter(
    ([, , , state, , , , , , inode]) => state === '0A' && own.has(inode!),
  );
  return listening.map(([, local]) => parseInt(local!.split(':')[1]!, 16)).sort((a, b) => a - b);
}

/** Whether somebody at an address gets a word from a listener, by what they say first. */
function isHeard(port: number, first: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' });
    socket.on('data', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(socket.bytesRead > 0));
    if (first !== '') socket.write(first);
  });
}

void t.test(
  'no address takes all connections of a listener, at any that a start has',
  async (t) => {
    const tls = (name: string): string =>
      fileURLToPath(new URL(`../../../../test/fixtures/tls/first.${name}`, import.meta.url));
    const { pid, port, said } = await serveWithFewFiles(
      t,
      ...['--tls-cert', tls('pem'), '--tls-key', tls('key'), '--redirect-port', '0'],
      ...['--metrics', '127.0.0.1:0', '--node-address', `127.0.0.1:${await freePort()}`],
      ...['--incoming-mail', 'smtp://127.0.0.1:0', '--incoming-mail-address', '%s@mail.example'],
    );
    const get = 'GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const portOf = async (pattern: RegExp): Promise<number> => Number((await said(pattern))[1]);
    const mails = await portOf(/Mails are taken at smtp:\/\/[\d.]+:(\d+)/);
    const metrics = await portOf(/Metrics are served on http:\/\/[\d.]+:(\d+)/);
    const redirects = await portOf(/Plain HTTP is redirected at port (\d+)/);
    const ports = portsOf(pid);
    const [nodes] = ports.filter((one) => ![port, mails, metrics, redirects].includes(one));
    const listeners: Readonly<Record<string, [port: number, first: string]>> = {
      // TLS answers what is no greeting with an alert.
      clients: [port, 'no TLS'],
      redirects: [redirects, get],
      nodes: [nodes!, get],
      mails: [mails, ''],
      metrics: [metrics, get],
    };
    const known = Object.values(listeners).map(([one]) => one);
    t.same(
      ports,
      known.sort((a, b) => a - b),
      'these are all listeners of the process',
    );
    for (const [name, [at, first]] of Object.entries(listeners)) {
      const sockets = Array.from({ length: 300 }, () => {
        const socket = connect({ port: at, host: '127.0.0.1', localAddress: '127.0.0.2' });
        return socket.on('error', () => undefined);
      });
      await Promise.all(sockets.map((one) => once(one, 'connect')));
      t.ok(await isHeard(at, first), `${name}: somebody else is heard`);
      await said(
        new RegExp(`^(?=.*connections of an address that has as many)(?=.*\\b${name}\\b).*$`, 'm'),
      );
      for (const one of sockets) one.destroy();
    }
  },
);

void t.test('files that are sent count as connections do', async (t) => {
  const { pid, port, log } = await serveWithFewFiles(t);
  const owner = await ApiClient.login(`http://127.0.0.1:${port}`, OWNER_EMAIL, OWNER_PASSWORD);
  const headers = { Authorization: owner.authorization };
  const url = `${owner.url}/api/v1/user_uploads`;
  const upload = async (size: number): Promise<Response> => {
    const body = new FormData();
    body.append('file', new Blob([Buffer.alloc(size)]), 'a.bin');
    return fetch(url, { method: 'POST', headers, body });
  };
  const { uri } = (await (await upload(20 * 1024 * 1024)).json()) as { uri: string };
  const get = `GET ${uri} HTTP/1.1\r\nHost: x\r\nAuthorization: ${owner.authorization}\r\n\r\n`;
  // Each takes the head and nothing more, and holds the file.
  const answers = await Promise.all(
    Array.from({ length: CONNECTIONS - 20 }, (_, i) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.1.${1 + i}` });
      t.teardown(() => socket.destroy());
      socket.on('error', () => undefined);
      socket.write(get);
      return once(socket, 'data').then(([chunk]) => {
        socket.pause();
        return String(chunk).slice(0, 12);
      });
    }),
  );
  const sent = answers.filter((one) => one === 'HTTP/1.1 200').length;
  const refused = answers.filter((one) => one === 'HTTP/1.1 503').length;
  t.equal(sent + refused, CONNECTIONS - 20, 'everybody is answered');
  t.ok(sent > 10 && sent <= 20, `${sent} get the file: as many as there were places left`);
  t.ok(readdirSync(`/proc/${pid}/fd`).length < OPEN_FILES - 20, 'some files are left');
  t.equal((await upload(100)).status, 200, 'others can write theirs');
  t.match(log(), /"listener":"files"|listener: "?files/);
  t.notMatch(log(), /EMFILE/);
});
