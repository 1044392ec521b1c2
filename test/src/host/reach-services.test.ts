import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import t from 'tap';
import { runConfigCheck } from '../../../src/operator/config-check.js';
import { reachLazyServices } from '../../../src/host/reach-services.js';
import type { Config } from '../../../src/config/config.js';
import { freshUrl, NO_REDIS, startRedis } from '../store/fixtures/redis-server.js';
import { testFolder } from '../../fixtures/test-folder.js';

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

void t.test('what can be lost with a store is noted', { skip: NO_REDIS ?? false }, async (t) => {
  const server = await startRedis(t);
  const folder = testFolder(t);
  const config = {
    ...{ store: freshUrl(server.port), storeWaitMs: 5000, storeReplicas: 1, state: folder },
    ...{
      files: { kind: 'folder', path: folder },
      mail: null,
      ldap: null,
      oidc: null,
      nodeAddress: { host: 'n1', port: 1 },
    },
  } as unknown as Config;
  const said: string[] = [];
  const check = { config, options: [], faults: [], connect: true };
  const { status } = await runConfigCheck(check, {
    say: (line) => void said.push(line),
    note: (line) => void said.push(line),
  });
  t.equal(status, undefined, 'it is no fault');
  const risk =
    '--store-replicas is 1, and Redis has 0 replicas that can be counted: all changes wait and get 503';
  t.ok(said.includes(`Note: ${risk}`), said.join('\n'));
});
