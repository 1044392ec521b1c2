import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { useClockOfWork, work } from '../../turns/clock-of-work.js';
import { LineTurns } from '../../../../src/services/incoming-mail/line-turns.js';

/** A server whose connections are read in turns. */
async function listening(t: Test, serve: (socket: Socket) => void): Promise<() => Promise<Socket>> {
  const server = createServer((socket) => {
    LineTurns.between(socket);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return async () => {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
}

void t.test('what is sent arrives as it was, whatever lines it has', async (t) => {
  let arrived: Buffer[] = [];
  const client = await listening(t, (socket) => {
    const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
      arrived.push(chunk);
      // Some are slow.
      if (arrived.length % 3 === 0) setImmediate(done);
      else done();
    };
    socket.pipe(new Writable({ write }));
  });
  const text = fc.array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', 'NOOP\r\n', '.\r\n'),
      fc.string({ maxLength: 200 }),
      fc.constant('x'.repeat(100_000)),
    ),
    { maxLength: 300, size: 'max' },
  );
  const property = fc.asyncProperty(text, async (parts) => {
    arrived = [];
    const socket = await client();
    socket.write(parts.join(''));
    const wanted = Buffer.byteLength(parts.join(''));
    const size = (): number => arrived.reduce((sum, { length }) => sum + length, 0);
    while (size() < wanted) await new Promise(setImmediate);
    socket.destroy();
    const pieces = arrived.map((piece) => String(piece).split('\n').length - 1);
    if (Math.max(0, ...pieces) > 64) throw new Error(`${Math.max(...pieces)} lines at once`);
    if (Buffer.concat(arrived).toString() !== parts.join('')) throw new Error('other bytes');
  });
  await fc.assert(property, { numRuns: 8 });
  t.pass();
});

void t.test(
  'a reader that is behind gets nothing until it goes on, and then at a turn',
  async (t) => {
    const waiting: (() => void)[] = [];
    let pieces = 0;
    const client = await listening(t, (socket) => {
      const write = (_chunk: Buffer, _encoding: string, done: () => void): void => {
        pieces += 1;
        waiting.push(done);
      };
      socket.pipe(new Writable({ highWaterMark: 1, write }));
    });
    (await client()).write('NOOP\r\n'.repeat(640));
    for (let i = 1; i <= 10; i++) {
      while (waiting.length === 0) await new Promise(setImmediate);
      for (let round = 0; round < 5; round++) await new Promise(setImmediate);
      t.equal(pieces, i, 'one at a time');
      waiting.pop()!();
    }
  },
);

void t.test(
  'lines of very many clients are passed on by turns, and their replies together',
  async (t) => {
    useClockOfWork(t);
    let lines = 0;
    let apart = 0;
    const client = await listening(t, (socket) => {
      const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
        const count = chunk.toString('latin1').split('\n').length - 1;
        lines += count;
        work(0.005 * count);
        for (let i = 0; i < count; i++) socket.write('250 OK\r\n');
        if (count > 0 && socket.writableCorked === 0) apart += 1;
        done();
      };
      socket.pipe(new Writable({ write }));
    });
    const clients: Socket[] = [];
    for (let i = 0; i < 40; i++) clients.push(await client());
    let most = 0;
    let before = 0;
    for (const one of clients) one.write('NOOP\r\n'.repeat(1000));
    while (lines < 40_000) {
      await new Promise(setImmediate);
      most = Math.max(most, lines - before);
      before = lines;
    }
    t.ok(most <= 2 * (1600 + 64), `${most} lines in a round, of 5 µs`);
    t.equal(apart, 0, 'the replies go out together');
  },
);

void t.test('nothing is passed on for a client that has gone', async (t) => {
  let said = 0;
  let gone = 0;
  const client = await listening(t, (socket) => {
    const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
      said += chunk.length;
      socket.destroy();
      done();
    };
    socket.on('error', () => undefined);
    socket.on('close', () => (gone += 1));
    socket.pipe(new Writable({ write }));
  });
  (await client()).write('NOOP\r\n'.repeat(6400));
  while (gone === 0) await new Promise(setImmediate);
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  t.equal(said, 64 * 6, 'what was passed on before');
});
