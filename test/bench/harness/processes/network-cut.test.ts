import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { NetworkCut } from '../../../../bench/harness/processes/network-cut.js';

/** A server that says what it hears in capitals, behind a network that can be cut. */
async function start(t: Test) {
  const server = createServer((socket) => {
    socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase()));
    socket.on('error', () => undefined);
    t.teardown(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  const network = await NetworkCut.open((server.address() as AddressInfo).port);
  t.teardown(() => network.close());
  return network;
}

async function heard(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

void t.test(
  'a cut holds what is sent, on old and new connections, until it is restored',
  async (t) => {
    const network = await start(t);
    const open = async (): Promise<Socket> => {
      const socket = connect(network.port, '127.0.0.1');
      t.teardown(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
    const before = await open();
    before.write('one');
    t.equal(await heard(before), 'ONE');
    network.cut();
    const during = await open();
    let quiet = true;
    for (const socket of [before, during]) {
      socket.once('data', () => (quiet = false));
      socket.write('two');
    }
    // A round trip past the cut, through this process and its network: longer than an echo takes.
    const other = await start(t);
    const elsewhere = connect(other.port, '127.0.0.1');
    t.teardown(() => elsewhere.destroy());
    for (const word of ['a', 'b', 'c']) {
      elsewhere.write(word);
      t.equal(await heard(elsewhere), word.toUpperCase());
    }
    t.ok(quiet, 'nothing passes');
    const both = Promise.all([heard(before), heard(during)]);
    network.restore();
    t.same(await both, ['TWO', 'TWO']);
  },
);
