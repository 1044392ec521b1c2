import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { hostNames, type NamedAddress } from '../../../../src/services/outside/host-names.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const A = 1;
/** `NXDOMAIN`. */
const NO_SUCH_NAME = 3;

/**
 * A name server on this machine: an address, `none`, or undefined for no answer at all.
 * @returns its address, and the names asked for
 */
async function nameServer(
  t: Test,
  addressOf: (name: string) => string | undefined,
): Promise<{ server: string; asked: string[] }> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  t.teardown(() => socket.close());
  socket.on('message', (query, { port }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const type = query.readUInt16BE(at + 1);
    const name = labels.join('.');
    if (type === A) asked.push(name);
    const address = addressOf(name);
    if (address === undefined) return;
    const hasAnswer = address !== 'none' && type === A;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (address === 'none' ? NO_SUCH_NAME : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(hasAnswer ? 1 : 0, 6);
    head.writeUInt32BE(0, 8);
    const answer = hasAnswer
      ? Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
      : Buffer.alloc(0);
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), answer]), port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { server: `127.0.0.1:${socket.address().port}`, asked };
}

void t.test('name servers are asked, and what they do not know is looked for', async (t) => {
  const known: Record<string, string> = { 'a.example': '93.184.216.34', 'gone.example': 'none' };
  const { server, asked } = await nameServer(t, (name) => known[name] ?? 'none');
  const hostsFile = join(testFolder(t), 'hosts');
  writeFileSync(hostsFile, '# own\n::1 Own\n10.1.2.3\town own.example # x\nnonsense b\n');
  const looked: string[] = [];
  const system = async (host: string): Promise<NamedAddress[]> => {
    looked.push(host);
    return [{ address: '10.0.0.9', family: 4 }];
  };
  const resolve = hostNames({ servers: [server], hostsFile, system });
  t.same(await resolve('a.example'), [{ address: '93.184.216.34', family: 4 }]);
  t.same(await resolve('own'), [
    { address: '10.1.2.3', family: 4 },
    { address: '::1', family: 6 },
  ]);
  t.same(await resolve('OWN.example.'), [{ address: '10.1.2.3', family: 4 }]);
  t.strictSame(asked, ['a.example'], 'own names are not asked for');
  t.strictSame(looked, []);
  t.same(await resolve('gone.example'), [{ address: '10.0.0.9', family: 4 }]);
  t.strictSame(looked, ['gone.example']);
  const nobody = hostNames({ servers: ['127.0.0.1:1'], hostsFile: '/nowhere', system });
  t.same(await nobody('gone.example'), [{ address: '10.0.0.9', family: 4 }], 'no name server');
});

void t.test('a name that nobody answers for ends, and keeps no thread', async (t) => {
  const { server, asked } = await nameServer(t, () => undefined);
  const system = (): never => t.fail('asked the system') as never;
  const resolve = hostNames({ servers: [server], attemptMs: 200, hostsFile: '/nowhere', system });
  const all = Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      t.rejects(resolve(`${i}.example`), { code: 'ETIMEOUT' }, `${i}.example`),
    ),
  );
  while (asked.length < 8) await new Promise((done) => setImmediate(done));
  t.notOk(process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap'));
  await all;

  const patient = hostNames({
    servers: [server],
    attemptMs: 60_000,
    hostsFile: '/nowhere',
    system,
  });
  const giving = new AbortController();
  const given = t.rejects(patient('late.example', giving.signal), { code: 'ECANCELLED' });
  while (!asked.includes('late.example')) await new Promise((done) => setImmediate(done));
  giving.abort();
  await given;
  await t.rejects(patient('never.example', giving.signal), { name: 'AbortError' });
  t.notOk(asked.includes('never.example'));
});

void t.test(
  'the system looks for one name at a time, and for none whose asker gave up',
  async (t) => {
    const { server } = await nameServer(t, () => 'none');
    const looked: string[] = [];
    const found: ((addresses: NamedAddress[]) => void)[] = [];
    const system = (host: string): Promise<NamedAddress[]> => {
      looked.push(host);
      return new Promise((resolve) => found.push(resolve));
    };
    const resolve = hostNames({ servers: [server], hostsFile: '/nowhere', system });
    const first = resolve('first');
    while (looked.length < 1) await new Promise((done) => setImmediate(done));
    const giving = new AbortController();
    const second = resolve('second', giving.signal);
    const third = resolve('third');
    const refused = t.rejects(second);
    giving.abort();
    found[0]!([]);
    await refused;
    t.same(await first, []);
    while (looked.length < 2) await new Promise((done) => setImmediate(done));
    t.strictSame(looked, ['first', 'third']);
    found[1]!([{ address: '1.1.1.1', family: 4 }]);
    t.same(await third, [{ address: '1.1.1.1', family: 4 }]);
  },
);
