/** What a client of the admin socket may do to the server: ask, and nothing else. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { run, RunningServer } from '../harness/server.js';

/** Sends bytes to the admin socket. @returns its lines, when it has closed the connection */
async function tell(folder: string, bytes: Buffer | string): Promise<string> {
  const socket = connect(join(folder, 'admin.sock'));
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(bytes);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  await once(socket, 'close');
  return text;
}

void t.test('whatever is sent to the admin socket ends nothing but itself', async (t) => {
  const server = await RunningServer.start(t);
  const { folder } = server;
  const refused = '{"kind":"error","message":"This is no request of the admin socket"}\n';
  const request = { command: 'users list', args: [], flags: {} };
  for (const garbage of [
    'garbage',
    '',
    'null',
    '[]',
    '{"command":"users list"}',
    JSON.stringify({ ...request, args: [7] }),
    JSON.stringify({ ...request, args: 'x' }),
    JSON.stringify({ ...request, flags: { count: {} } }),
    JSON.stringify({ ...request, flags: null }),
    JSON.stringify({ ...request, rows: [{ line: 'x' }] }),
    JSON.stringify({ ...request, command: ['users list'] }),
    Buffer.from([0, 0xff, 0xfe]),
  ]) {
    t.equal(await tell(folder, Buffer.concat([Buffer.from(garbage), Buffer.from('\n')])), refused);
  }
  const unknown = JSON.stringify({ ...request, command: '__proto__' });
  t.match(await tell(folder, `${unknown}\n`), 'This server knows no __proto__');
  t.equal(
    await tell(folder, 'x'.repeat(3_000_000)),
    '{"kind":"error","message":"The request has more than 131072 bytes"}\n',
    'a line without an end is bounded',
  );
  // The answer meets a closed socket, which the next read reports as a reset connection.
  for (let i = 0; i < 20; i++) {
    const socket = connect(join(folder, 'admin.sock'));
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.write(i % 2 === 0 ? 'garbage\n' : `${JSON.stringify(request)}\n`, () =>
      socket.destroy(),
    );
    await once(socket, 'close');
  }
  const done = await tell(folder, `${JSON.stringify(request)}\n`);
  t.match(done, /^\{"kind":"done","result":\[\{"id":/, 'the leader goes on');
  t.notMatch(server.stderr, /"level":(?:50|60)/, 'and has no faults');
});

void t.test('a table that is longer than a request is imported whole', async (t) => {
  const server = await RunningServer.start(t);
  const { folder } = server;
  const file = join(folder, 'people.csv');
  const people = Array.from(
    { length: 600 },
    (_, i) => `p${i}@example.org,${'Ann '.repeat(20)}${i}`,
  );
  writeFileSync(file, `email,name\n${people.join('\n')}\n`);
  const store = ['--store', `embedded:${folder}`, '--json'];
  const { code, stdout } = await run(['users', 'import', file, '--links', ...store]);
  t.equal(code, 0);
  t.match(stdout, /\n\{"created":600,"exists":0,"refused":0\}\n$/);
  const again = await run(['users', 'import', file, ...store]);
  t.match(again.stdout, /\n\{"created":0,"exists":600,"refused":0\}\n$/);
});
