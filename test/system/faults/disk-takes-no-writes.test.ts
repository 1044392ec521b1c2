import { spawnSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import t, { type Test } from 'tap';
import { ApiClient, exchange } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';

/** A size with room for the reserves of a store, 16 MiB, and for the journal of the file system. */
const DISK_BYTES = 64 * 1024 * 1024;
const LEASE_S = 1;
const FOLLOWS = /^Parley follows on/m;
const LEADS = /^Parley is listening on/m;

function output(command: string, ...args: string[]): string {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? stdout : '';
}

/** A file system of its own, in a file; '' where this account, or the machine, cannot mount one. */
function disk(t: Test): string {
  const folder = storeFolder(t);
  const image = join(folder, 'image');
  const mounted = join(folder, 'disk');
  const descriptor = openSync(image, 'w');
  ftruncateSync(descriptor, DISK_BYTES);
  closeSync(descriptor);
  mkdirSync(mounted);
  spawnSync('mkfs.ext4', ['-q', '-F', '-m', '0', image]);
  const { status } = spawnSync('mount', ['-o', 'loop,errors=remount-ro', image, mounted]);
  if (status !== 0) return '';
  t.teardown(() => void spawnSync('umount', ['--lazy', mounted]));
  return mounted;
}

const CANNOT = (() => {
  if (process.getuid?.() !== 0) return 'only root mounts file systems';
  if (output('losetup', '--find') === '') return 'this machine has no loop devices';
  return spawnSync('mkfs.ext4', ['-V']).status === 0 ? false : 'there is no mkfs.ext4';
})();

async function state(url: string) {
  const { status, body } = await exchange(url, 'GET', '/health');
  return { status, state: body['status'] };
}

async function contents(client: ApiClient): Promise<string[]> {
  const asked = { anchor: 'newest', num_before: 9, num_after: 0, apply_markdown: false };
  const { messages } = await client.ok('GET', '/messages', asked);
  return (messages as { content: string }[]).slice(1).map(({ content }) => content);
}

const LATE = { type: 'channel', to: 'general', topic: 'x', content: 'late' };

function form(fields: Record<string, string>) {
  return {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
}

void t.test('a file system that turned read-only', { skip: CANNOT }, async (t) => {
  const mounted = disk(t);
  if (mounted === '') return void t.comment('skipped: a loop device cannot be mounted here');
  const leader = await RunningServer.serve(t, join(mounted, 'data'), {
    env: { PARLEY_LEASE: String(LEASE_S) },
  });
  const client = await ApiClient.login(leader.url, OWNER_EMAIL, OWNER_PASSWORD);
  await client.say('before');
  const follower = RunningServer.spawn(leader.folder, leader.options);
  t.teardown(() => follower.kill());
  await follower.printed(FOLLOWS);
  await follower.listening();
  const there = client.at(follower.url);

  // As after an error of the disk.
  const device = basename(output('findmnt', '-n', '-o', 'SOURCE', mounted).trim());
  writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, '1');
  t.throws(() => writeFileSync(join(mounted, 'x'), ''), { code: 'EROFS' });
  t.equal((await client.call('POST', '/messages', LATE)).status, 503);
  // Far longer than a lease, and than one that could not be renewed was kept.
  const until = performance.now() + 10 * LEASE_S * 1000;
  const seen = new Set<string>();
  while (performance.now() < until) {
    for (const one of [client, there]) {
      const { status } = await one.call('POST', '/messages', LATE);
      seen.add(`${(await contents(one)).join()} ${status}`);
    }
    seen.add(JSON.stringify(await state(leader.url)));
  }
  t.same([...seen].sort(), ['before 503', '{"status":200,"state":"read_only"}']);
  t.same(await state(follower.url), { status: 200, state: 'read_only' });
  t.ok(leader.running && follower.running);
  const lines = (leader.stderr + follower.stderr).split('\n').slice(1, -1);
  t.same(
    lines.filter((line) => !line.startsWith('{')),
    [],
    'lmdb says nothing beside the log',
  );
});

void t.test('a start on a disk without room', { skip: CANNOT }, async (t) => {
  const mounted = disk(t);
  if (mounted === '') return void t.comment('skipped: a loop device cannot be mounted here');
  const first = await RunningServer.serve(t, join(mounted, 'data'));
  const client = await ApiClient.login(first.url, OWNER_EMAIL, OWNER_PASSWORD);
  await client.say('before');
  t.equal((await first.stop()).code, 0);
  const { folder, options } = first;
  const ballast = join(mounted, 'ballast');
  /** Leaves so much room on the disk. */
  const leave = (bytes: number): void => {
    rmSync(ballast, { force: true });
    const { bavail, bsize } = statfsSync(mounted);
    try {
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
    } catch (error) {
      t.match(error, { code: 'ENOSPC' });
    }
  };
  for (const [left, line] of [
    [12 * 1024 * 1024, LEADS],
    [1024 * 1024, FOLLOWS],
    [0, FOLLOWS],
  ] as const) {
    leave(left);
    const server = RunningServer.spawn(folder, options);
    t.teardown(() => server.kill());
    await server.printed(line);
    await server.listening();
    const here = client.at(server.url);
    t.same(await contents(here), ['before'], `with ${left} bytes`);
    t.equal((await here.call('POST', '/messages', LATE)).status, 503);
    let health = await state(server.url);
    // Who leads learns at its first commit that there is no room; who cannot lead knows from the beginning.
    if (line === FOLLOWS) t.equal(health.state, 'read_only');
    while (health.state !== 'read_only') health = await state(server.url);
    t.equal(health.status, 200);
    const again = await here.call('POST', '/messages', LATE);
    t.match(again, { status: 503, body: { msg: 'The store is not available' } });
    rmSync(ballast, { force: true });
    while ((await here.call('POST', '/users/me/muted_users/5')).status === 503);
    while ((await state(server.url)).state !== 'ready');
    await server.printed(LEADS);
    const login = form({ username: OWNER_EMAIL, password: OWNER_PASSWORD });
    t.equal((await exchange(server.url, 'POST', '/api/v1/fetch_api_key', login)).status, 200);
    const beside = RunningServer.spawn(folder, options);
    await beside.printed(FOLLOWS);
    await beside.listening();
    t.equal(
      (await client.at(beside.url).call('POST', '/typing', {})).status,
      400,
      'it knows who leads',
    );
    t.equal((await beside.stop()).code, 0);
    t.equal((await server.stop()).code, 0);
  }
});

void t.test(
  'a first start on a disk without room tells nothing that is not kept',
  { skip: CANNOT },
  async (t) => {
    const mounted = disk(t);
    if (mounted === '') return void t.comment('skipped: a loop device cannot be mounted here');
    const ballast = join(mounted, 'ballast');
    const { bavail, bsize } = statfsSync(mounted);
    // Room for the lease, and not for what is committed.
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 12 * 1024 * 1024));
    const server = RunningServer.spawn(join(mounted, 'data'), { env: { PARLEY_LOG: 'info' } });
    t.teardown(() => server.kill());
    await server.listening();
    const url = server.url;
    for (const path of [
      '/',
      '/login/',
      '/console',
      '/accounts/password/reset/',
      '/nothing',
      '/health',
    ]) {
      const reply = await fetch(`${url}${path}`);
      t.equal(reply.status, 503, path);
      await reply.text();
    }
    t.equal((await exchange(url, 'GET', '/api/v1/server_settings')).status, 503);
    t.ok(server.running);
    t.notMatch(server.stdout, /was created|password/);
    rmSync(ballast);
    await server.printed(/^Organization ".*" was created/m);
    t.equal((await fetch(`${url}/login/`)).status, 200);
    await ApiClient.login(url, OWNER_EMAIL, OWNER_PASSWORD);
  },
);
