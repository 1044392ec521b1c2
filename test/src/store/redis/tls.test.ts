/** Encrypted connections, with certificates made for the test. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { risksOfStore } from '../../../../src/store/open.js';
import { openRedisStore } from '../../../../src/store/redis/store.js';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';
import { run } from '../../../system/harness/server.js';
import { commitOf, entry, one, set, TTL_MS } from '../contract/under-test.js';
import { freePort } from '../../../../bench/harness/processes/free-port.js';
import {
  freshUrl,
  NO_REDIS,
  startCluster,
  startRedis,
  startSentinel,
} from '../fixtures/redis-server.js';

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a certificate that vouches for itself. */
function makeCertificate(folder: string, name: string, as = 'IP:127.0.0.1'): Certificate {
  const cert = join(folder, `${name}.pem`);
  const key = join(folder, `${name}.key`);
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${as}`];
  const args = ['req', '-x509', ...kind, ...subject, '-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', args, { stdio: 'pipe' });
  return { cert, key };
}

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

/** Null where the server cannot encrypt. */
async function unlessWithoutTls<Started>(starting: Promise<Started>): Promise<Started | null> {
  try {
    return await starting;
  } catch (error) {
    if (!/\btls\b/i.test(String(error))) throw error;
    return null;
  }
}

/** A server that encrypts on one port; null where it cannot. */
async function startEncrypted(
  t: Test,
  clients: 'yes' | 'no',
  start: (t: Test, ...settings: string[]) => Promise<unknown> = startRedis,
) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tls-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const own = makeCertificate(folder, 'server');
  const client = makeCertificate(folder, 'client');
  const port = await freePort();
  const files = ['--tls-cert-file', own.cert, '--tls-key-file', own.key];
  const trust = ['--tls-ca-cert-file', client.cert, '--tls-auth-clients', clients];
  const started = await unlessWithoutTls(start(t, '--tls-port', String(port), ...files, ...trust));
  if (started === null) return null;
  const url = (options: Readonly<Record<string, string>>): string =>
    `${freshUrl(port, 'rediss')}&${new URLSearchParams(options).toString()}`;
  return { url, port, own, client, folder };
}

const skip = NO_REDIS ?? (hasOpenssl() ? false : 'openssl is not installed');
const NO_TLS = { skip: 'this Redis was built without TLS' };
const UNTRUSTED = /Cannot open the store rediss:.*self-signed certificate/;

void t.test('rediss: with the authorities to trust', { skip }, async (t) => {
  const server = await startEncrypted(t, 'no');
  if (!server) return t.pass('connects', NO_TLS);
  const { url, own, client, folder } = server;
  const open = (options: Readonly<Record<string, string>>) =>
    openRedisStore(parseRedisUrl(url(options)), { waitMs: 100 });

  const store = await open({ ca: own.cert });
  t.teardown(() => store.close());
  const lease = (await store.acquireLease('writer', TTL_MS))!;
  const writes = [set('users', '1', { name: 'Ann' })];
  await store.commit(lease, commitOf({ entries: [entry(1)], writes }));
  t.same(await one(store, 'users', '1'), { name: 'Ann' });
  t.same(await store.lastEntry(), entry(1));

  await t.rejects(open({}), { message: UNTRUSTED }, 'a stranger is not trusted');
  await t.rejects(
    open({ ca: client.cert }),
    { message: UNTRUSTED },
    'nor one of another authority',
  );
  await t.rejects(open({ ca: join(folder, 'none.pem') }), { message: /^Cannot open .*ENOENT/ });

  const plain = url({}).replace('rediss', 'redis');
  await t.rejects(
    openRedisStore(parseRedisUrl(plain), { waitMs: 100 }),
    'nothing goes in the clear',
  );
});

void t.test('a Cluster that encrypts is reached by its certificate', { skip }, async (t) => {
  const start = (t: Test, ...settings: string[]) =>
    startCluster(t, '--cluster-announce-ip', '127.0.0.1', '--tls-cluster', 'yes', ...settings);
  const server = await startEncrypted(t, 'no', start);
  if (!server) return t.pass('connects', NO_TLS);
  const url = (ca: string): string => server.url({ ca }).replace('rediss:', 'rediss+cluster:');
  const store = await openRedisStore(parseRedisUrl(url(server.own.cert)));
  t.teardown(() => store.close());
  const lease = (await store.acquireLease('writer', TTL_MS))!;
  await store.commit(lease, commitOf({ entries: [entry(1)] }));
  t.same(await store.lastEntry(), entry(1));
  const stranger = parseRedisUrl(url(server.client.cert));
  await t.rejects(openRedisStore(stranger, { waitMs: 100 }), /Redis is not available/);
});

void t.test(
  'masters of a Cluster are asked by the names in their certificates',
  { skip },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-tls-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const { cert, key } = makeCertificate(folder, 'server', 'DNS:localhost');
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    const encrypts = [...files, '--tls-auth-clients', 'no', '--tls-cluster', 'yes'];
    const named = [
      ...[
        '--cluster-announce-hostname',
        'localhost',
        '--cluster-preferred-endpoint-type',
        'hostname',
      ],
      ...['--cluster-enabled', 'yes', '--tls-replication', 'yes'],
    ];
    const start = async () => {
      const port = await freePort();
      return {
        port,
        server: await startRedis(t, '--tls-port', String(port), ...encrypts, ...named),
      };
    };
    const first = await unlessWithoutTls(start());
    if (!first) return t.pass('connects', NO_TLS);
    const [second, replica] = [await start(), await start()];
    await first.server.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16382');
    await second.server.command('CLUSTER', 'ADDSLOTS', '16383');
    for (const [i, { server }] of [second, replica].entries()) {
      await server.command('CLUSTER', 'SET-CONFIG-EPOCH', String(i + 2));
      await server.command('CLUSTER', 'MEET', '127.0.0.1', String(first.port));
    }
    await Promise.all(
      [first, second].map(({ server }) => server.says(/Cluster state changed: ok/)),
    );
    const id = String(await first.server.command('CLUSTER', 'MYID'));
    const follow = () => replica.server.command('CLUSTER', 'REPLICATE', id).catch(() => null);
    while ((await follow()) === null);
    await replica.server.says(/sync: Finished with success/);
    const url = `rediss+cluster://localhost:${first.port}?organization=x&ca=${cert}`;
    const risks = (await risksOfStore(url, { replicas: 1 })).join('\n');
    t.notMatch(risks, /No majority of the masters/);
    const store = await openRedisStore(parseRedisUrl(url), { replicas: 1, waitMs: 2000 });
    t.teardown(() => store.close());
    const lease = (await store.acquireLease('writer', TTL_MS))!;
    await store.commit(lease, commitOf({ entries: [entry(1)] }));
    t.same(await store.lastEntry(), entry(1));
    // One that does not let nodes in does not say that the other is a master.
    await second.server.command('CONFIG', 'SET', 'requirepass', 'other');
    t.match((await risksOfStore(url, { replicas: 1 })).join('\n'), /No majority of the masters/);
  },
);

void t.test('a Sentinel that encrypts leads to its server', { skip }, async (t) => {
  const server = await startEncrypted(t, 'no');
  if (!server) return t.pass('connects', NO_TLS);
  const { own, port } = server;
  const sentinel = await startSentinel(t, 'chat', port, [
    `tls-cert-file ${own.cert}`,
    `tls-key-file ${own.key}`,
    `tls-ca-cert-file ${own.cert}`,
    'tls-auth-clients no',
    'tls-replication yes',
  ]);
  const { searchParams } = new URL(server.url({ ca: own.cert }));
  const url = `rediss+sentinel://127.0.0.1:${sentinel.port}/chat?${searchParams.toString()}`;
  const store = await openRedisStore(parseRedisUrl(url));
  t.teardown(() => store.close());
  const lease = (await store.acquireLease('writer', TTL_MS))!;
  await store.commit(lease, commitOf({ entries: [entry(1)] }));
  t.same(await store.lastEntry(), entry(1));
});

void t.test('a server that asks for a certificate is shown one', { skip }, async (t) => {
  const server = await startEncrypted(t, 'yes');
  if (!server) return t.pass('connects', NO_TLS);
  const { url, own, client } = server;
  const target = parseRedisUrl(url({ ca: own.cert, ...client }));
  const store = await openRedisStore(target);
  t.equal(await store.lastEntry(), null);
  await store.close();
  const without = parseRedisUrl(url({ ca: own.cert }));
  await t.rejects(openRedisStore(without, { waitMs: 100 }), /Redis is not available/);
});

void t.test('the program trusts what NODE_EXTRA_CA_CERTS names', { skip }, async (t) => {
  const server = await startEncrypted(t, 'no');
  if (!server) return t.pass('connects', NO_TLS);
  const { url, own } = server;
  const args = ['export', '--store', url({})];
  t.match(await run(args, { NODE_EXTRA_CA_CERTS: own.cert }), { stderr: /is empty/ });
});
