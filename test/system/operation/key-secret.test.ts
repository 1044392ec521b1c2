/** API keys come from a secret outside the store: no process with another one ever leads. */
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, exchange } from '../harness/client.js';
import { embedded, exportTo, importFrom, serve } from '../harness/places.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, storeFolder } from '../harness/server.js';
import { underLoad } from '../../fixtures/machine-load.js';

const SECRET = 'api-keys.secret';

function owner(url: string): Promise<ApiClient> {
  return ApiClient.login(url, OWNER_EMAIL, OWNER_PASSWORD);
}

/** Starts a process that must not lead, and answers what it said when it had ended. */
async function refusedStart(t: Test, folder: string, store: string): Promise<string> {
  const server = RunningServer.spawn(folder, { store });
  t.teardown(() => server.kill());
  await t.rejects(server.listening(), /the server ended with 1/);
  t.notOk(server.running);
  t.notMatch(server.stdout, /is listening/, 'it never served');
  return server.stderr;
}

// Loaded machines take long to start processes.
t.setTimeout(300_000);

void t.test('the store knows the secret by a fingerprint, which is in an export', async (t) => {
  const here = embedded(t);
  const elsewhere = join(storeFolder(t), 'secret');
  const env = { PARLEY_SECRET_FILE: elsewhere };
  const first = await RunningServer.serve(t, here.folder, { store: here.store, env });
  const { key } = await owner(first.url);
  await first.stop();
  t.notOk(existsSync(join(here.folder, SECRET)), 'it lies where the operator wanted it');
  const file = join(storeFolder(t), 'a.jsonl');
  t.match(await exportTo(file, here), { code: 0 });
  const text = readFileSync(file, 'utf8');
  t.match(text, /\{"collection":"key_secret".*"fingerprint":"[0-9a-f]{64}","salt":"[0-9a-f]{32}"/);
  const secret = readFileSync(elsewhere);
  for (const form of ['hex', 'base64', 'base64url'] as const) {
    t.notOk(text.includes(secret.toString(form)), `and not the secret, ${form}`);
  }

  const there = embedded(t);
  const imported = await importFrom(file, there);
  t.match(imported, { code: 0, stderr: /only with the api-keys\.secret of the exported server/ });
  const why = await refusedStart(t, there.folder, there.store);
  t.match(
    why,
    /^Cannot start: .* has API keys, but the secret that they are derived from is missing here\. Copy/m,
  );
  t.match(why, `to ${join(there.folder, SECRET)}.`, 'it says where');
  t.notOk(existsSync(join(there.folder, SECRET)), 'and makes no other');
  copyFileSync(elsewhere, join(there.folder, SECRET));
  chmodSync(join(there.folder, SECRET), 0o644);
  const second = await serve(t, there);
  t.equal((await owner(second.url)).key, key, 'with the secret, the same keys');
  t.notMatch(first.stderr, /0600/);
  t.match(second.stderr, `${join(there.folder, SECRET)} is accessible to other accounts`, 'warned');
});

void t.test('another secret is refused, until the store is told to forget', async (t) => {
  const place = embedded(t);
  const first = await serve(t, place);
  const { key } = await owner(first.url);
  t.match(await run(['forget-secret', '--store', place.store]), {
    code: 1,
    stderr: /^Failed: Another process is writing to /,
  });
  await first.stop();
  writeFileSync(join(place.folder, SECRET), Buffer.alloc(32, 1));
  const why = await refusedStart(t, place.folder, place.store);
  t.match(why, /^Cannot start: The API keys of .* come from another secret than this process has/m);
  rmSync(join(place.folder, SECRET));
  t.match(await run(['forget-secret', '--store', place.store]), {
    code: 0,
    stderr: /accepts the secret of the next start; all API keys change/,
  });
  const second = await serve(t, place);
  t.not((await owner(second.url)).key, key);
  await second.stop();
  const third = await serve(t, place);
  t.ok(third.running, 'and the new one is known');
});

void t.test(
  'Redis: the process with the right secret leads',
  { skip: NO_REDIS ?? false },
  async (t) => {
    const redis = await startRedis(t);
    const store = freshUrl(redis.port);
    const env = { PARLEY_LEASE: '30' };
    const first = await RunningServer.start(t, { store, env });
    const client = await owner(first.url);
    const stranger = storeFolder(t);
    writeFileSync(join(stranger, SECRET), Buffer.alloc(32, 1));
    t.match(
      await refusedStart(t, stranger, store),
      /come from another secret than this process has/,
    );

    const second = RunningServer.spawn(first.folder, { store, env });
    t.teardown(() => second.kill());
    await second.listening();
    const began = Date.now();
    await first.stop();
    await second.ready();
    const took = Date.now() - began;
    t.ok(took < underLoad(15_000), `nobody held the lease meanwhile: ${took} ms`);
    t.equal((await exchange(second.url, 'GET', '/health')).status, 200);
    t.match(
      await client.at(second.url).ok('GET', '/users/me'),
      { email: OWNER_EMAIL },
      'the old key',
    );
  },
);

void t.test(
  'Redis: two first starts with secrets of their own',
  { skip: NO_REDIS ?? false },
  async (t) => {
    const redis = await startRedis(t);
    const options = { store: freshUrl(redis.port) };
    const both = [storeFolder(t), storeFolder(t)].map((folder) => {
      const server = RunningServer.spawn(folder, options);
      t.teardown(() => server.kill());
      return server;
    });
    // One of them leads; the other notices, when it has waited for a second, that it never may.
    const outcomes = await Promise.allSettled(both.map((server) => server.ready()));
    t.same(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const [led, refused] = both.sort((one, other) => Number(other.running) - Number(one.running));
    t.match(refused!.stderr, /come from another secret|is missing here/);
    await owner(led!.url);
  },
);
