import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { ConnectionShares } from '../../../../src/http/limits/connection-shares.js';
import type { ConnectionCounts } from '../../../../src/http/limits/open-connections.js';
import { ROUTES, startToy } from '../toy-server.js';

const MOST = 100;

/** Connections of a simulated process: the system knows which there are, the shares are told of new ones only. */
class Connections {
  readonly held = new Map<string, number>();
  now = 0;
  readonly shares: ConnectionShares;

  constructor(exempt = '') {
    const counts = async (): Promise<ConnectionCounts> => new Map(this.held);
    const isExempt = (address: string): boolean => address === exempt;
    this.shares = new ConnectionShares(MOST, counts, isExempt, () => this.now);
  }

  get open(): number {
    let open = 0;
    for (const count of this.held.values()) open += count;
    return open;
  }

  /** Attempts to open connections. @returns how many may stay */
  async attempt(key: string, times: number, address = key): Promise<number> {
    let stayed = 0;
    for (let i = 0; i < times; i++) {
      // What was begun to be read has been read by then.
      await new Promise(setImmediate);
      this.now += 1000;
      if (this.open >= MOST || !this.shares.admits(this.open + 1, () => address)) continue;
      this.held.set(key, (this.held.get(key) ?? 0) + 1);
      stayed += 1;
    }
    return stayed;
  }

  /** A request of each connection of an address. @returns how many are closed after the reply */
  async ask(key: string): Promise<number> {
    const asking = this.held.get(key)!;
    let closed = 0;
    for (let i = 0; i < asking; i++) {
      await new Promise(setImmediate);
      this.now += 1000;
      if (this.shares.keeps(this.open, () => key)) continue;
      this.held.set(key, this.held.get(key)! - 1);
      closed += 1;
    }
    return closed;
  }
}

void t.test('an address gets as many connections as are left for all', async (t) => {
  const connections = new Connections();
  t.equal(await connections.attempt('192.0.2.1', 200), 50, 'half, where nobody else has any');
  t.equal(await connections.attempt('192.0.2.2', 200), 25, 'half of the rest');
  t.equal(await connections.attempt('192.0.2.3', 10), 10, 'some are left for others');
  t.equal(await connections.attempt('192.0.2.1', 5), 0);
  connections.held.set('192.0.2.1', 10);
  await connections.attempt('192.0.2.4', 1);
  t.equal(
    await connections.attempt('192.0.2.1', 5),
    5,
    'closed ones count no more once they are counted again',
  );
});

void t.test('a whole /64 of IPv6 is one address', async (t) => {
  const connections = new Connections();
  const net = '2001:db8:0:1';
  let stayed = 0;
  for (let i = 0; i < 200; i++) {
    stayed += await connections.attempt(net, 1, `${net}:0:0:0:${i.toString(16)}`);
  }
  t.equal(stayed, 50);
  t.equal(await connections.attempt('2001:db8:0:2', 1, '2001:db8:0:2:0:0:0:1'), 1);
});

void t.test('a trusted proxy, behind which all clients may be, has no share', async (t) => {
  const connections = new Connections('192.0.2.1');
  t.equal(await connections.attempt('192.0.2.1', 200), 100);
});

void t.test('those of one burst count before they are read from the system', async (t) => {
  const connections = new Connections();
  const admitted = Array.from({ length: MOST }, (_, i) =>
    connections.shares.admits(i + 1, () => '192.0.2.1'),
  );
  t.equal(admitted.filter(Boolean).length, 62, 'a quarter uncounted, and half of the rest');
});

void t.test(
  'who has more than are left, because others came, keeps none after its reply',
  async (t) => {
    const connections = new Connections('192.0.2.9');
    await connections.attempt('192.0.2.1', 200);
    t.equal(await connections.ask('192.0.2.1'), 0, 'half, and half are free');
    for (let i = 2; i < 9; i++) await connections.attempt(`192.0.2.${i}`, 200);
    t.equal(connections.open, 100, 'eight addresses have all');
    t.equal(
      await connections.ask('192.0.2.1'),
      25,
      'the greediest makes room, but for as many as are free',
    );
    t.equal(await connections.ask('192.0.2.2'), 0, '25, and 25 are free');
    t.equal(await connections.attempt('192.0.2.10', 20), 13, 'a newcomer gets some');
    t.equal(await connections.ask('192.0.2.8'), 0, 'who has one keeps it');
    connections.held.set('192.0.2.9', 17);
    t.equal(await connections.ask('192.0.2.9'), 0, 'nor does a trusted proxy lose any');
  },
);

void t.test('of one burst of requests as many connections are closed as are too many', (t) => {
  const connections = new Connections();
  for (let i = 1; i <= 60; i++) connections.shares.admits(i, () => '192.0.2.1');
  const kept = Array.from({ length: 36 }, () => connections.shares.keeps(70, () => '192.0.2.1'));
  t.equal(kept.filter((one) => !one).length, 5);
  t.end();
});

void t.test(
  'counts are read once at a time, and after 250 ms or fifty times as long as it took',
  async (t) => {
    let now = 0;
    let reading = 0;
    let done = (): void => undefined;
    const read = (): Promise<ConnectionCounts> => {
      reading += 1;
      return new Promise((resolve) => (done = () => resolve(new Map())));
    };
    const shares = new ConnectionShares(
      MOST,
      read,
      () => false,
      () => now,
    );
    const readingsAt = async (time: number): Promise<number> => {
      now = time;
      shares.admits(30, () => '192.0.2.1');
      await new Promise(setImmediate);
      return reading;
    };
    t.equal(await readingsAt(0), 1);
    t.equal(await readingsAt(4), 1, 'while it is read');
    done();
    await new Promise(setImmediate);
    t.equal(await readingsAt(253), 1, '250 ms after the 4 ms that it took');
    t.equal(await readingsAt(254), 2);
    now = 264;
    done();
    await new Promise(setImmediate);
    t.equal(await readingsAt(763), 2, 'fifty times the 10 ms that it took');
    t.equal(await readingsAt(764), 3);
  },
);

/** Opens silent connections from an address of this machine. @returns those that the server kept */
async function silent(t: Test, port: number, from: string, count: number): Promise<Socket[]> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      socket.on('error', () => undefined);
      t.teardown(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    }),
  );
  return sockets;
}

void t.test('who opens all connections leaves others some', async (t) => {
  const { port } = await startToy(t, { routes: ROUTES, maxConnections: 40 });
  const greedy = await silent(t, port, '127.0.0.2', 60);
  let refused = 0;
  for (const socket of greedy) socket.on('close', () => (refused += 1));
  const ask = async (from: string): Promise<string> => {
    const [socket] = await silent(t, port, from, 1);
    socket!.write('GET /api/v1/open HTTP/1.1\r\nHost: x\r\n\r\n');
    const [data] = (await Promise.race([once(socket!, 'data'), once(socket!, 'close')])) as [
      unknown,
    ];
    return String(data).slice(0, 15);
  };
  for (let i = 0; i < 8; i++) t.equal(await ask('127.0.0.3'), 'HTTP/1.1 200 OK', `request ${i}`);
  t.ok(refused >= 30, `${refused} of 60 were closed`);
});

/** Asks on an open connection. @returns the beginning of the answer; '' where it was closed */
async function answer(socket: Socket): Promise<string> {
  if (socket.destroyed) return '';
  socket.write('GET /api/v1/open HTTP/1.1\r\nHost: x\r\n\r\n');
  const [data = ''] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [
    unknown,
  ];
  return typeof data === 'boolean' ? '' : String(data);
}

void t.test('connections that are idle make room for an address that has none', async (t) => {
  const { port } = await startToy(t, { routes: ROUTES, maxConnections: 40 });
  const greediest: Socket[] = [];
  let open = 0;
  for (let i = 2; i < 8; i++) {
    for (const socket of await silent(t, port, `127.0.0.${i}`, 40)) {
      if (!(await answer(socket)).startsWith('HTTP/1.1 200')) continue;
      open += 1;
      if (i === 2) greediest.push(socket);
    }
  }
  t.ok(open >= 30, `${open} of 40 are taken`);
  const closing: string[] = [];
  for (const socket of greediest) {
    const text = await answer(socket);
    if (/connection: close/i.test(text)) closing.push(text);
  }
  t.ok(closing.length >= 3, `${closing.length} of ${greediest.length} are closed after the reply`);
  t.ok(
    closing.every((text) => text.startsWith('HTTP/1.1 200')),
    'which they get',
  );
  const [newcomer] = await silent(t, port, '127.0.0.99', 1);
  t.match(await answer(newcomer!), /^HTTP\/1\.1 200 OK/);
});
