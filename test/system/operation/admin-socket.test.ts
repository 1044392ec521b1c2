/** What a client of the admin socket may do to the server: ask, and nothing else. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { RunningServer } from '../harness/server.js';

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
    '{"kind":"error","message":"The request has more than 2 MiB: import a longer table in parts"}\n',
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
