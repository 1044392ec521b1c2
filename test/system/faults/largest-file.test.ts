/** A process that may write no larger file: LMDB never meets the limit, and prints nothing beside the log. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { ApiClient, exchange } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

const skip =
  process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0
    ? false
    : 'prlimit is not here';

void t.test('a limit of file size counts as a full disk', { skip }, async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await owner.say('before');
  const limit = (soft: number | string): void => {
    const { status } = spawnSync('prlimit', ['--pid', String(server.pid), `--fsize=${soft}:`]);
    t.equal(status, 0);
  };
  // Half of the reserve: what is written before room is looked for again fits.
  limit(statSync(join(server.folder, 'data.mdb')).size + 8 * 1024 * 1024);
  const text = 'a'.repeat(9000);
  const refused = async () => (await send(text)) === 503;
  // Room is looked for ten times a second.
  while (!(await refused())) await pause(20);
  for (let i = 0; i < 10; i++) t.equal(await send(`${text}${i}`), 503);
  t.match(await owner.ok('GET', '/users/me'), { email: OWNER_EMAIL }, 'reads go on');
  t.match((await exchange(server.url, 'GET', '/health')).body, { status: 'read_only' });
  limit('unlimited');
  while ((await send('after')) !== 200) await pause(20);
  const { stderr } = await server.stop();
  const plain = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  t.strictSame(plain, []);
  t.match(server.stderr, /could not commit: no space left on the disk/);

  async function send(content: string): Promise<number> {
    const message = { type: 'channel', to: 'general', topic: 'room', content };
    return (await owner.call('POST', '/messages', message)).status;
  }
});
