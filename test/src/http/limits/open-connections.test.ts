import t from 'tap';
import { connectionCounts } from '../../../../src/http/limits/open-connections.js';

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue\n';

void t.test('connections of a port are counted by address, and by /64 of IPv6', async (t) => {
  const tables: Readonly<Record<string, string>> = {
    '/proc/self/net/tcp':
      HEAD +
      '   0: 0100007F:1F90 00000000:0000 0A 0:0\n' +
      '   1: 0100007F:1F90 020000C0:9C40 01 0:0\n' +
      '   2: 0100007F:1F90 020000C0:9C41 08 0:0\n' +
      '   3: 0100007F:1F90 020000C0:9C42 06 0:0\n' +
      '   4: 0100007F:1F91 020000C0:9C43 01 0:0\n',
    '/proc/self/net/tcp6':
      HEAD +
      '   0: 00000000000000000000000001000000:1F90 B80D0120010000000000000001000000:9C40 01 0:0\n' +
      '   1: 00000000000000000000000001000000:1F90 B80D0120010000000000000002000000:9C40 01 0:0\n' +
      '   2: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF0000020000C0:9C44 01 0:0\n',
  };
  const counts = await connectionCounts(8080, async (path) => tables[path]!);
  t.strictSame(
    [...counts],
    [
      ['192.0.0.2', 3],
      ['2001:db8:0:1', 2],
    ],
  );
});

void t.test('a machine without IPv6 is counted, and one that tells nothing is not', async (t) => {
  const missing = async (path: string): Promise<string> => {
    if (path.endsWith('tcp')) return HEAD;
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  };
  t.equal((await connectionCounts(8080, missing)).size, 0);
  await t.rejects(
    connectionCounts(8080, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
});
