/** What the people of several organizations at one process see of one another: nothing. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { configOf, create, placeFor, serve } from '../../fixtures/several.js';
import { agent, ApiClient } from '../../system/harness/client.js';
import { OWNER_EMAIL } from '../../system/harness/server.js';

void t.test('sockets and the console of one show nothing of another', async (t) => {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder);
  const { at } = await serve(t, config);
  const all = [];
  for (const name of ['birch', 'cedar']) {
    const { password } = await create(config, name);
    const owner = await ApiClient.login(at(`${name}.test`), OWNER_EMAIL, password);
    await owner.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'plans' }] });
    const { queue_id } = await owner.register({ event_types: ['message'] });
    all.push({ name, owner, queue_id, frames: (await listen(t, owner, queue_id)) as string[] });
  }
  const [birch, cedar] = [all[0]!, all[1]!];
  t.equal(birch.owner.userId, cedar.owner.userId, 'they have the same ids');
  const { key, userId } = birch.owner;
  const stranger = new ApiClient(cedar.owner.url, OWNER_EMAIL, key, userId);
  t.equal(await listen(t, stranger, cedar.queue_id), 401, 'the key of one opens no socket');
  t.equal(await listen(t, birch.owner, cedar.queue_id), 400, 'nor has it the queues');
  for (const { name, owner } of all) await owner.say(`told by ${name}`, 'plans');
  for (const { name, owner, frames } of all) {
    while (!frames.join('').includes('told by')) await owner.ok('GET', '/users/me');
    t.ok(frames.join('').includes(`told by ${name}`), name);
  }
  t.notOk(birch.frames.join('').includes('cedar'));
  t.notOk(cedar.frames.join('').includes('birch'));

  await cedar.owner.call('DELETE', '/messages/77777');
  const looks = { with_operation: true, with_log: true, with_troubles: true, with_queues: true };
  const { status: seen, text } = await birch.owner.call('GET', '/realm/console', looks);
  t.equal(seen, 200);
  for (const foreign of ['cedar', 'main.test', cedar.owner.key, cedar.queue_id, folder]) {
    t.notOk(text.includes(foreign), `the console shows no ${foreign}`);
  }
  t.notOk(text.includes('delete-message'), 'nor what was refused there');
  const theirs = await cedar.owner.ok('GET', '/realm/console', looks);
  t.match(theirs['troubles'], { refusals: [{ endpoint: 'delete-message' }] });
});

/** Opens a socket on a queue. @returns its frames, or the status with which it is refused */
function listen(t: Test, { url, authorization }: ApiClient, queue: string): Promise<unknown> {
  const query = `queue_id=${queue}&last_event_id=-1`;
  const headers = { Authorization: authorization };
  const address = `${url.replace('http', 'ws')}/api/v1/events?${query}`;
  const socket = new WebSocket(address, 'parley.v1', { agent, headers });
  t.teardown(() => socket.terminate());
  const frames: string[] = [];
  socket.on('message', (data: Buffer) => frames.push(data.toString()));
  return new Promise((resolve) => {
    socket.on('open', () => resolve(frames));
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    socket.on('error', () => undefined);
  });
}
