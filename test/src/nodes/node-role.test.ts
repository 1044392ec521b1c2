import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createApp } from '../../../src/app/app.js';
import type { App, AppOptions } from '../../../src/host/app-options.js';
import { readCommand } from '../../../src/cli/command-line.js';
import { ApiClient } from '../../system/harness/client.js';
import { OWNER_EMAIL } from '../../system/harness/server.js';
import { testFolder } from '../../fixtures/test-folder.js';

const DEADLINE_MS = 1000;
const PASSWORD = 'correct horse';
/** Event id beyond all that any node has given. */
const BEYOND_ALL = 2 ** 42;
const NOTHING = (): void => undefined;
const OPTIONS: AppOptions = {
  log: { info: NOTHING, warn: NOTHING, error: NOTHING },
  announce: NOTHING,
  fatal: (error) => {
    throw error;
  },
};

function appOn(store: string, options = OPTIONS): App {
  const args = ['serve', '--port', '0', '--keep-index', 'off', '--owner-email', OWNER_EMAIL];
  const command = readCommand(
    [...args, '--owner-password', PASSWORD, '--store', `embedded:${store}`],
    {},
  );
  if (command.kind !== 'serve') throw new Error(`Not a server: ${command.kind}`);
  return createApp(command.config, options);
}

void t.test('a follower tells of itself all the while it takes over', async (t) => {
  const folder = join(testFolder(t), 'data');
  const leader = appOn(folder);
  await leader.start();
  const follower = appOn(folder);
  await follower.start();
  t.teardown(() => follower.stop(DEADLINE_MS));
  const stopped = leader.stop(DEADLINE_MS);
  const roles = new Set<unknown>();
  for (let last: unknown = null; last !== 'leader';) {
    const { health, node } = await follower.report(false);
    last = node.role;
    roles.add(`${health} ${String(last)}`);
    await new Promise((done) => setImmediate(done));
  }
  t.strictSame([...roles], ['ready follower', 'ready leader']);
  await stopped;
  // Before its folder is removed, in which it keeps writing.
  await follower.stop(DEADLINE_MS);
});

void t.test(
  'a node that has followed and leads now may not have heard of all who serve queues',
  async (t) => {
    const folder = join(testFolder(t), 'data');
    const refusal = async (url: string): Promise<unknown> => {
      const client = await ApiClient.login(url, OWNER_EMAIL, PASSWORD);
      const { queue_id } = await client.register();
      const cursor = { queue_id, last_event_id: BEYOND_ALL };
      return (await client.call('GET', '/events', cursor)).body.code;
    };
    const first = appOn(folder);
    await first.start();
    t.equal(await refusal(first.url), 'BAD_REQUEST', 'a node that was never beside others');
    const second = appOn(folder);
    await second.start();
    t.teardown(() => second.stop(DEADLINE_MS));
    await first.stop(DEADLINE_MS);
    while ((await second.report(false)).node.role !== 'leader') {
      await new Promise((done) => setImmediate(done));
    }
    t.equal(await refusal(second.url), 'BAD_EVENT_QUEUE_ID', 'the cursor may be of another node');
    await second.stop(DEADLINE_MS);
  },
);

void t.test(
  'a node that cannot read what it has seen leads when it can, and goes on',
  async (t) => {
    const folder = join(testFolder(t), 'data');
    const leader = appOn(folder);
    await leader.start();
    const told: string[] = [];
    const follower = appOn(folder, { ...OPTIONS, announce: (text) => told.push(text) });
    await follower.start();
    t.teardown(() => follower.stop(DEADLINE_MS));
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const name = names.find((one) => one.endsWith('witness.json'));
    const witness = join(folder, String(name));
    // As a file of a disk that fails: it is there, and cannot be read.
    renameSync(witness, join(folder, 'aside'));
    mkdirSync(witness);
    await leader.stop(DEADLINE_MS);
    const state = async () => {
      const { health, node } = await follower.report(false);
      await new Promise((done) => setImmediate(done));
      return `${health} ${String(node.role)}`;
    };
    while ((await state()).startsWith('ready')) continue;
    t.not((await state()).split(' ')[1], 'leader', 'what it gave out may be given again');
    t.match(told.at(-1), /^Parley waits on .* for a file of its own: .*witness/);
    rmdirSync(witness);
    renameSync(join(folder, 'aside'), witness);
    while ((await state()) !== 'ready leader') continue;
    const client = await ApiClient.login(follower.url, OWNER_EMAIL, PASSWORD);
    t.equal((await client.call('GET', '/users/me')).status, 200);
    await follower.stop(DEADLINE_MS);
  },
);
