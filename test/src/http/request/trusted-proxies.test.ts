import t, { type Test } from 'tap';
import { createRequestLimiter } from '../../../../src/http/limits/rate-limit.js';
import { addressKey } from '../../../../src/services/auth/address-key.js';
import { canonicalAddress, TrustedProxies } from '../../../../src/http/request/trusted-proxies.js';
import { RawConnection } from '../raw-connection.js';
import { startToy } from '../toy-server.js';

const NONE = { addresses: '', protocols: '', forwarded: '' };

void t.test('an address has one form', async (t) => {
  for (const [text, expected] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['2001:DB8::0:7', '2001:db8:0:0:0:0:0:7'],
    ['2001:0db8:0000:0001:0000:0000:0000:0002', '2001:db8:0:1:0:0:0:2'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['0000:0000:0000:0000:0000:ffff:c000:0201', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
    ['192.0.2.256', null],
    ['192.0.2', null],
    ['0x7f.1', null],
    ['example.org', null],
    ['::1]/x?[', null],
    ['', null],
    ['1'.repeat(10_000), null],
  ] as const) {
    t.equal(canonicalAddress(text), expected, text.slice(0, 50));
  }
});

void t.test('headers are read from the right, as far as each writer is trusted', async (t) => {
  const proxies = new TrustedProxies(['10.0.0.0/8', '2001:db8::/32', '192.0.2.9', '::1']);
  const client = (peer: string, addresses: string) =>
    proxies.clientOf(canonicalAddress(peer)!, { ...NONE, addresses }).address;
  for (const [peer, header, expected, why] of [
    ['203.0.113.5', '198.51.100.7', '203.0.113.5', 'a stranger is not believed'],
    ['10.1.2.3', '198.51.100.7', '198.51.100.7', 'a proxy is'],
    ['10.1.2.3', '', '10.1.2.3', 'a proxy that says nothing, such as a health check'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.7', '198.51.100.7', 'not what the client claims'],
    ['10.1.2.3', '198.51.100.7, 192.0.2.9', '198.51.100.7', 'two hops'],
    ['10.1.2.3', '6.6.6.6,198.51.100.7,10.9.9.9,192.0.2.9', '198.51.100.7', 'three hops'],
    ['10.1.2.3', '6.6.6.6, 192.0.2.8, 10.9.9.9', '192.0.2.8', 'only as far as trusted'],
    ['10.1.2.3', '10.4.4.4, 10.5.5.5', '10.4.4.4', 'all trusted: the farthest'],
    ['2001:db8::1', '2001:db8:1::2, fe80::7', 'fe80:0:0:0:0:0:0:7', 'IPv6'],
    ['::1', '2606:4700::1', '2606:4700:0:0:0:0:0:1', 'IPv6 loopback'],
    ['::ffff:10.1.2.3', '::ffff:198.51.100.7', '198.51.100.7', 'mapped addresses'],
    ['10.1.2.3', '198.51.100.7:4711', '198.51.100.7', 'with a port'],
    ['10.1.2.3', '[2606:4700::1]:4711', '2606:4700:0:0:0:0:0:1', 'IPv6 with a port'],
    ['10.1.2.3', '6.6.6.6, nonsense', '10.1.2.3', 'a proxy that writes nonsense'],
    ['10.1.2.3', '6.6.6.6, ,10.9.9.9', '10.9.9.9', 'the last hop that can be read'],
    ['10.1.2.3', ',,,', '10.1.2.3', 'only commas'],
    ['10.1.2.3', 'unknown', '10.1.2.3', 'unknown'],
    ['10.1.2.3', '0177.0.0.1', '10.1.2.3', 'no odd numbers'],
  ] as const) {
    t.equal(client(peer, header), expected, why);
  }
});

void t.test('Forwarded is read by RFC 7239', async (t) => {
  const proxies = new TrustedProxies(['127.0.0.1', '10.0.0.0/8']);
  const client = (forwarded: string) => proxies.clientOf('127.0.0.1', { ...NONE, forwarded });
  for (const [header, address, protocol] of [
    ['for=198.51.100.7', '198.51.100.7', null],
    ['For="198.51.100.7:80";Proto=HTTPS;by=10.0.0.1', '198.51.100.7', 'https'],
    ['for="[2606:4700::1]:4711";proto=http', '2606:4700:0:0:0:0:0:1', 'http'],
    ['for=6.6.6.6, for=198.51.100.7;proto=https, for=10.2.2.2', '198.51.100.7', 'https'],
    ['for="6.6.6.6, for=198.51.100.7', '198.51.100.7', null],
    ['for=6.6.6.6, for=_hidden', '127.0.0.1', null],
    ['for=6.6.6.6;for=7.7.7.7', '127.0.0.1', null],
    ['proto=https', '127.0.0.1', null],
    ['for=', '127.0.0.1', null],
    [';;;==,', '127.0.0.1', null],
  ] as const) {
    t.same(client(header), { address, protocol }, header);
  }
});

void t.test('of two headers that disagree neither is believed', async (t) => {
  const proxies = new TrustedProxies(['127.0.0.1']);
  const client = (addresses: string, forwarded: string) =>
    proxies.clientOf('127.0.0.1', { ...NONE, addresses, forwarded }).address;
  t.equal(client('198.51.100.7', 'for=198.51.100.7'), '198.51.100.7');
  t.equal(client('6.6.6.6', 'for=198.51.100.7'), '127.0.0.1');
  t.equal(client('198.51.100.7', 'for=nonsense'), '127.0.0.1');
});

void t.test('the protocol is that of the hop of the client', async (t) => {
  const proxies = new TrustedProxies(['127.0.0.1', '10.0.0.1']);
  const protocol = (addresses: string, protocols: string, peer = '127.0.0.1') =>
    proxies.clientOf(peer, { ...NONE, addresses, protocols }).protocol;
  t.equal(protocol('198.51.100.7', 'https'), 'https');
  t.equal(protocol('198.51.100.7, 10.0.0.1', 'https'), 'https', 'one value for all hops');
  t.equal(protocol('198.51.100.7, 10.0.0.1', 'https, http'), 'https');
  t.equal(protocol('6.6.6.6, 198.51.100.7', 'https, http'), 'http', 'not what the client claims');
  t.equal(protocol('', 'https'), 'https', 'no address');
  t.equal(protocol('198.51.100.7', 'gopher'), null);
  t.equal(protocol('198.51.100.7', 'https', '203.0.113.5'), null, 'a stranger');
});

void t.test('a network may be written in mapped form', async (t) => {
  const proxies = new TrustedProxies(['::ffff:10.0.0.0/104', '::ffff:192.0.2.1']);
  for (const [address, trusted] of [
    ['10.200.0.1', true],
    ['11.0.0.1', false],
    ['192.0.2.1', true],
    ['192.0.2.2', false],
    ['unknown', false],
  ] as const) {
    t.equal(proxies.trusts(address), trusted, address);
  }
});

async function limited(t: Test, trustedProxies: readonly string[]) {
  const limiter = createRequestLimiter({ addresses: [{ max: 2, seconds: 60 }] }, () => 1e12);
  const { port } = await startToy(t, { limiter, trustedProxies });
  return async (...headers: string[]) => {
    const connection = await RawConnection.open(port);
    connection.request('GET', '/api/v1/open', ...headers);
    const { status, body } = (await connection.response())!;
    connection.destroy();
    return status === 200 ? (JSON.parse(body) as { address: string }).address : status;
  };
}

void t.test('limits count the client behind the proxy, whatever it claims', async (t) => {
  const call = await limited(t, ['127.0.0.0/8']);
  t.equal(await call('X-Forwarded-For: 6.6.6.6, 198.51.100.7'), '198.51.100.7');
  // A proxy that adds a line of its own behind the client's.
  t.equal(await call('X-Forwarded-For: 6.6.6.7', 'X-Forwarded-For: 198.51.100.7'), '198.51.100.7');
  t.equal(await call('X-Forwarded-For: 6.6.6.8, 198.51.100.7'), 429);
  t.equal(await call('X-Forwarded-For: 198.51.100.8'), '198.51.100.8', 'others are not locked out');
  t.equal(await call('Forwarded: for="[2606:4700::1]"'), '2606:4700:0:0:0:0:0:1');
  t.equal(await call('X-Forwarded-For: 2606:4700::2'), '2606:4700:0:0:0:0:0:2');
  t.equal(
    await call('X-Forwarded-For: 2606:4700:0:0:ffff::3'),
    429,
    'an IPv6 network is one client',
  );
});

void t.test('without trusted proxies the headers mean nothing', async (t) => {
  const call = await limited(t, []);
  t.equal(await call('X-Forwarded-For: 198.51.100.7'), '127.0.0.1');
  t.equal(await call('Forwarded: for=198.51.100.8'), '127.0.0.1');
  t.equal(await call('X-Forwarded-For: 198.51.100.9'), 429);
});

void t.test('a peer that is no trusted proxy is not believed', async (t) => {
  const call = await limited(t, ['10.0.0.0/8']);
  t.equal(await call('X-Forwarded-For: 198.51.100.7'), '127.0.0.1');
});

void t.test('the key of an IPv6 address is its network', async (t) => {
  t.equal(addressKey('192.0.2.1'), '192.0.2.1');
  t.equal(addressKey('2001:db8:0:1:0:0:0:2'), addressKey('2001:db8:0:1:ffff:0:0:3'));
  t.not(addressKey('2001:db8:0:1:0:0:0:2'), addressKey('2001:db8:0:2:0:0:0:2'));
});
