import t from 'tap';
import { ReachableAddresses } from '../../../../src/services/outside/reachable-addresses.js';

void t.test('only public addresses are reachable', async (t) => {
  const addresses = new ReachableAddresses([]);
  for (const open of [
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '::ffff:1.1.1.1',
  ]) {
    t.ok(addresses.isReachable(open), open);
  }
  for (const closed of [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.8.8.8',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a00:1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
  ]) {
    t.notOk(addresses.isReachable(closed), closed);
  }
});

void t.test('what the operator allows is reachable too', async (t) => {
  const addresses = new ReachableAddresses(['10.1.2.0/24', '::1']);
  t.ok(addresses.isReachable('10.1.2.3'));
  t.ok(addresses.isReachable('::1'));
  t.notOk(addresses.isReachable('10.1.3.3'));
  t.notOk(addresses.isReachable('127.0.0.1'));
});

void t.test('every address of a name must be reachable', async (t) => {
  const names: Record<string, string[]> = {
    good: ['1.1.1.1', '2606:4700::1'],
    mixed: ['1.1.1.1', '10.0.0.1'],
    none: [],
  };
  const addresses = new ReachableAddresses([], async (host) =>
    names[host]!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
  t.same(await addresses.addressesOf('good'), [
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ]);
  t.same(await addresses.addressesOf('[2606:4700::1]'), [{ address: '2606:4700::1', family: 6 }]);
  await t.rejects(addresses.addressesOf('mixed'), { message: 'The address is not public' });
  await t.rejects(addresses.addressesOf('none'), { message: 'none has no address' });
  for (const literal of ['127.0.0.1', '[::1]', '[::ffff:7f00:1]']) {
    await t.rejects(addresses.addressesOf(literal), { message: 'The address is not public' });
  }
  // Other ways to write an address become this one before, or are names that do not resolve.
  t.equal(new URL('http://2130706433/').hostname, '127.0.0.1');
});
