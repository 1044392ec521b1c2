/** More connections than a process may have open files: it lives, serves those that it has, and goes on afterwards. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, PROGRAM, storeFolder } from '../harness/server.js';

t.setTimeout(300_000);

/** With these, 192 connections. */
const OPEN_FILES = 256;
const CONNECTIONS = 192;
const ATTEMPTS = 600;

async function serveWithFewFiles(
  t: Test,
): Promise<{ pid: number; port: number; log: () => string }> {
  const args = ['serve', '--port', '0', '--store', `embedded:${storeFolder(t)}`];
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
  let said = '';
  const port = await new Promise<number>((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      said += chunk.toString();
      const found = /listening on http:\/\/[\d.]+:(\d+)/.exec(said);
      if (found) resolve(Number(found[1]));
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', () => reject(new Error(said)));
  });
  return { pid: child.pid!, port, log: () => said };
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
