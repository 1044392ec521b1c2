import { register } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { readCommand } from '../../../src/cli/command-line.js';
import { ApiClient, exchange } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../harness/server.js';
import { testFolder } from '../../fixtures/test-folder.js';

/*
 * Whatever a server does beside its requests fails here, as soon as it has begun: each promise that is left to itself
 * is given to `inBackground`, which the server of this process has in another form.
 */

const DEADLINE_MS = 1000;

/** Where that was called. */
const begun = new Set<string>();
Object.assign(globalThis, { begunInBackground: begun });
const BROKEN = `
  export function inBackground(work, failed) {
    const [, , caller] = new Error().stack.split('\\n');
    globalThis.begunInBackground.add(/[\\w-]+(?=\\.[jt]s:)/.exec(caller)[0]);
    work()?.catch(() => undefined);
    setImmediate(() => failed(new Error('Broken by the test')));
  }
  export function onceSettled(work, done, failed) {
    work.then(done, failed);
  }
  export function untold() {}
`;
const HOOK = `
  export async function load(url, context, next) {
    if (!url.endsWith('/src/turns/background.js')) return next(url, context);
    return { format: 'module', shortCircuit: true, source: ${JSON.stringify(BROKEN)} };
  }
`;
register(`data:text/javascript,${encodeURIComponent(HOOK)}`);

void t.test('a server goes on where all that it does in the background fails', async (t) => {
  const { createApp } = await import('../../../src/app/app.js');
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  t.teardown(() => process.off('unhandledRejection', note));

  const args = ['serve', '--port', '0', '--rate-limit', 'off', '--owner-email', OWNER_EMAIL];
  const store = `embedded:${join(testFolder(t), 'data')}`;
  const command = readCommand([...args, '--owner-password', OWNER_PASSWORD, '--store', store], {});
  if (command.kind !== 'serve') throw new Error(`Not a server: ${command.kind}`);
  const lines: string[] = [];
  const tell = (_fields: object, line?: string): void => void lines.push(line ?? '');
  const app = createApp(command.config, {
    log: { info: tell, warn: tell, error: tell },
    announce: () => undefined,
    fatal: note,
  });
  await app.start();
  const client = await ApiClient.login(app.url, OWNER_EMAIL, OWNER_PASSWORD);
  const queue = await client.register({ event_types: ['message'] });
  const waiting = client.poll(queue.queue_id, queue.last_event_id);
  await client.say('goes on');
  t.match(await waiting, [{ message: { content: 'goes on' } }]);
  const events = 'x'.repeat(9000);
  await client.say(events);
  t.equal((await client.poll(queue.queue_id, -1)).length, 2, 'a poll with a compressed reply');
  await client.ok('POST', '/export/realm');
  await client.ok('POST', '/realm/deactivate');
  t.equal((await exchange(app.url, 'GET', '/health')).status, 200);
  await app.stop(DEADLINE_MS);
  t.same(unhandled, [], 'every rejection has a handler');
  t.comment([...begun].sort().join(' '));
  t.ok(begun.size >= 5, `the background was broken: ${[...begun].join()}`);
  t.ok(lines.length > 0, 'and the log tells of it');
});
