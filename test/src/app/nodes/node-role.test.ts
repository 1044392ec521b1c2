import { join } from 'node:path';
import t from 'tap';
import { createApp } from '../../../../src/app/app.js';
import type { App, AppOptions } from '../../../../src/app/app-options.js';
import { readCommand } from '../../../../src/cli/command-line.js';

const DEADLINE_MS = 1000;
const NOTHING = (): void => undefined;
const OPTIONS: AppOptions = {
  log: { info: NOTHING, warn: NOTHING, error: NOTHING },
  announce: NOTHING,
  fatal: (error) => {
    throw error;
  },
};

function appOn(store: string): App {
  const args = ['serve', '--port', '0', '--keep-index', 'off', '--owner-password', 'correct horse'];
  const command = readCommand([...args, '--store', `embedded:${store}`], {});
  if (command.kind !== 'serve') throw new Error(`Not a server: ${command.kind}`);
  return createApp(command.config, OPTIONS);
}

void t.test('a follower tells of itself all the while it takes over', async (t) => {
  const folder = join(t.testdir(), 'data');
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
});
