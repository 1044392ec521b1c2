/** What becomes of event ids, and of those who have some, where another term begins (architecture.md#event-ids). */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createApp, type RunningApp } from '../../../src/app/app.js';
import type { AppOptions } from '../../../src/host/app-options.js';
import { readCommand } from '../../../src/cli/command-line.js';
import { ApiClient } from '../../system/harness/client.js';
import { OWNER_EMAIL } from '../../system/harness/server.js';
import { testFolder } from '../../fixtures/test-folder.js';

const DEADLINE_MS = 1000;
/** Between two looks at a condition that comes to be true. */
const LOOK_MS = 10;
const PASSWORD = 'correct horse';
/** Why such a term ends, as the log has it. */
const USED_UP = 'Event ids are used up: they begin anew';
const NOTHING = (): void => undefined;

/** A node over a folder that others may have, too, and what it warns of. */
async function nodeOn(t: Test, store: string): Promise<{ app: RunningApp; warned: string[] }> {
  const args = ['serve', '--port', '0', '--keep-index', 'off', '--owner-email', OWNER_EMAIL];
  const command = readCommand(
    [...args, '--owner-password', PASSWORD, '--store', `embedded:${store}`],
    {},
  );
  if (command.kind !== 'serve') throw new Error(`Not a server: ${command.kind}`);
  const warned: string[] = [];
  const options: AppOptions = {
    log: {
      info: NOTHING,
      warn: (fields) => warned.push(String((fields as { err?: Error }).err?.message)),
      error: NOTHING,
    },
    announce: NOTHING,
    fatal: (error) => {
      throw error;
    },
  };
  const app = createApp(command.config, options);
  await app.start();
  t.teardown(() => app.stop(DEADLINE_MS));
  return { app, warned };
}

/** Lets work of other parts go on until something is so. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(LOOK_MS);
}

/** Waiting events of a queue, and their newest id. */
async function poll(client: ApiClient, queue_id: unknown, last_event_id: number) {
  const query = { queue_id, last_event_id, dont_block: true };
  return client.call('GET', '/events', query);
}

/** Moves the origin of ids back, as if so many had been used. */
async function use({ role }: RunningApp, used: number): Promise<void> {
  const { runtime } = role.leading!.served;
  runtime.transact((tx) => {
    const { current } = tx.org.history;
    tx.org.history.insert({ ...current!, ids_from: tx.seq - used });
  });
}

void t.test(
  'a new leader goes on with the ids of the former one, in the same queues',
  async (t) => {
    const folder = join(testFolder(t), 'data');
    const first = (await nodeOn(t, folder)).app;
    const second = (await nodeOn(t, folder)).app;
    const owner = await ApiClient.login(first.url, OWNER_EMAIL, PASSWORD);
    const { queue_id, last_event_id } = await owner.register({ event_types: ['user_status'] });
    await owner.ok('POST', '/users/me/status', { status_text: 'one' });
    const before = await poll(owner, queue_id, Number(last_event_id));
    const [one] = before.body.events as { id: number; status_text: string }[];
    t.equal(one!.status_text, 'one');
    await first.stop(DEADLINE_MS);
    await until(() => second.role.leads);
    const there = await ApiClient.login(second.url, OWNER_EMAIL, PASSWORD);
    await there.ok('POST', '/users/me/status', { status_text: 'two' });
    const { body } = await poll(there, queue_id, one!.id);
    const [two, ...rest] = body.events as { id: number; status_text: string }[];
    t.same(rest, []);
    t.equal(two!.status_text, 'two');
    t.ok(two!.id > one!.id && two!.id < 1000, `${two!.id}, behind ${one!.id}`);
  },
);

for (const nodes of [1, 2]) {
  void t.test(
    `a term that comes near 2^31 ends itself, and clients register once: ${nodes} nodes`,
    async (t) => {
      const folder = join(testFolder(t), 'data');
      const all = [await nodeOn(t, folder)];
      if (nodes > 1) all.push(await nodeOn(t, folder));
      const { app, warned } = all[0]!;
      const owner = await ApiClient.login(app.url, OWNER_EMAIL, PASSWORD);
      await use(app, 2 ** 31 - 2 ** 28 - 1000);
      const former = await owner.register({ event_types: ['user_status'] });
      t.ok(former.last_event_id > 2 ** 30, 'the term goes on');
      const term = app.role.leading;
      await use(app, 2 ** 31 - 2 ** 28);
      const leader = (): RunningApp | undefined => all.find(({ app }) => app.role.leads)?.app;
      await until(() => {
        const next = leader()?.role.leading;
        return next !== undefined && next?.leadership !== term?.leadership;
      });
      t.ok(warned.includes(USED_UP));
      const there = await ApiClient.login(leader()!.url, OWNER_EMAIL, PASSWORD);
      for (const cursor of [former.last_event_id, -1]) {
        const refused = await poll(there, former.queue_id, cursor);
        t.match(refused, { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
      }
      const { queue_id, last_event_id } = await there.register({ event_types: ['user_status'] });
      t.ok(last_event_id < 1000, `${last_event_id} is far below 2^31`);
      await there.ok('POST', '/users/me/status', { status_text: 'back' });
      const { body } = await poll(there, queue_id, last_event_id);
      t.match(body.events, [{ type: 'user_status', status_text: 'back' }]);
    },
  );
}

void t.test('a node that takes over where half of the ids are used begins them anew', async (t) => {
  const folder = join(testFolder(t), 'data');
  const first = (await nodeOn(t, folder)).app;
  const second = (await nodeOn(t, folder)).app;
  await use(first, 2 ** 30);
  const owner = await ApiClient.login(first.url, OWNER_EMAIL, PASSWORD);
  const former = await owner.register({ event_types: ['user_status'] });
  t.ok(former.last_event_id >= 2 ** 30);
  // Both move on with the housekeeping of the leader.
  const { position } = first.role.leading!.leadership;
  await until(() => (second.role.nodeHealth().position ?? 0) >= position);
  await first.stop(DEADLINE_MS);
  await until(() => second.role.leads);
  const there = await ApiClient.login(second.url, OWNER_EMAIL, PASSWORD);
  for (const cursor of [-1, former.last_event_id]) {
    const refused = await poll(there, former.queue_id, cursor);
    t.equal(refused.body.code, 'BAD_EVENT_QUEUE_ID', `the queue of before is gone: ${cursor}`);
  }
  const { last_event_id } = await there.register({ event_types: ['user_status'] });
  t.ok(last_event_id < 1000, `${last_event_id}`);
});

void t.test(
  'a store of earlier software with positions far beyond 2^31 is led with ids from 0 on',
  async (t) => {
    const folder = join(testFolder(t), 'data');
    const first = (await nodeOn(t, folder)).app;
    const { runtime } = first.role.leading!.served;
    runtime.writer.skipTo(2 ** 40);
    runtime.transact(({ org }) => {
      const { ids_from: _, ...former } = org.history.current!;
      org.history.insert(former);
      const { versions } = org.schemaVersions.get('schema_versions')!;
      // Its documents are migrated before anything else is done.
      org.schemaVersions.insert({ versions: { ...versions, history: 1 } });
    });
    await first.stop(DEADLINE_MS);
    const second = await nodeOn(t, folder);
    await until(() => second.app.role.leads);
    t.notOk(second.warned.includes(USED_UP), 'its term is not taken for one that used up ids');
    const owner = await ApiClient.login(second.app.url, OWNER_EMAIL, PASSWORD);
    const { last_event_id } = await owner.register();
    t.ok(last_event_id < 1000, `${last_event_id}`);
    t.ok(second.app.role.leading!.leadership.position > 2 ** 40);
  },
);
