import t from 'tap';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

/*
 * A start on a system that tells nothing of itself, as without /proc, or where no file descriptor is free: a process,
 * because everything that asks at a start asks here, libraries too.
 */

/** What the process runs first: figures throw what Node throws then, and no file of /proc can be read. */
const UNTOLD = `
  import fs from 'node:fs';
  import os from 'node:os';
  import { syncBuiltinESMExports } from 'node:module';
  const fail = (syscall) => {
    throw Object.assign(new Error('ENOENT: no such file or directory, ' + syscall), { code: 'ENOENT', syscall });
  };
  process.memoryUsage = Object.assign(() => fail('uv_resident_set_memory'), { rss: () => fail('uv_resident_set_memory') });
  process.cpuUsage = () => fail('uv_getrusage');
  process.resourceUsage = () => fail('uv_getrusage');
  os.totalmem = () => fail('uv_get_total_memory');
  os.availableParallelism = () => fail('uv_available_parallelism');
  for (const name of ['readFileSync', 'readlinkSync', 'readdirSync']) {
    const real = fs[name];
    fs[name] = (path, ...more) => (String(path).startsWith('/proc') ? fail('open') : real(path, ...more));
  }
  const read = fs.promises.readFile;
  fs.promises.readFile = async (path, ...more) =>
    String(path).startsWith('/proc') ? fail('open') : read(path, ...more);
  syncBuiltinESMExports();
`;

void t.test('a server starts and serves where the system tells no figures', async (t) => {
  const server = await RunningServer.start(t, {
    env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(UNTOLD)}` },
  });
  const client = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const queue = await client.register({ event_types: ['message'] });
  await client.say('goes on');
  t.match(await client.poll(queue.queue_id, -1), [{ message: { content: 'goes on' } }]);
  const { nodes } = (await client.ok('GET', '/realm/console')) as unknown as {
    readonly nodes: readonly { readonly resident_bytes: unknown }[];
  };
  t.match(nodes, [{ resident_bytes: null }], 'what is not told is null');
  const { history } = (await client.ok('GET', '/realm/console', {
    with_history: true,
  })) as unknown as {
    readonly history: { readonly memory_bytes: unknown };
  };
  t.same(history.memory_bytes, [null], 'the minute of the start has none');
});
