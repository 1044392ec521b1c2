import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import t from 'tap';
import { reachLazyServices } from '../../../src/app/config-connect.js';
import type { Config } from '../../../src/config/config.js';

void t.test('services are tried at once, and a silent one has a fault in time', async (t) => {
  const connections = new Set<{ destroy(): void }>();
  const silent = createServer((socket) => void connections.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => {
    for (const socket of connections) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const mail = `smtp://127.0.0.1:${port}`;
  const config = { mail, ldap: null, oidc: null } as Config;
  t.strictSame(await reachLazyServices(config, 100), [
    { service: `the mail server ${mail}`, fault: '--mail: no answer within 0.1 seconds' },
  ]);
});
