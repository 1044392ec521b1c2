/**
 * The stored snapshot is what an actor is: where its `value` is changed while no server runs, the next start behaves as
 * the new value says; a snapshot of another machine, version or state is a damaged document.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { askLeader } from '../../../src/operator/admin/admin-client.js';
import { stateFolder } from '../../../src/host/data-folder/places.js';
import { openStore } from '../../../src/store/open.js';
import type { Document, DocumentKey, Write } from '../../../src/store/port.js';
import { NO_REDIS, startPlainRedis, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, type Body } from '../harness/client.js';
import { embedded, exportTo, onRedis, serve, type Place } from '../harness/places.js';
import { QueueReader } from '../harness/queue-reader.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run } from '../harness/server.js';
import { readFileSync } from 'node:fs';

// Loaded machines take long to start processes.
t.setTimeout(600_000);

const STATES = {
  queue: ['live', 'expired', 'deleted', 'overflowed', 'revoked'],
  presence_session: ['active', 'idle', 'offline', 'forgotten'],
  scheduled_message: ['pending', 'delivering', 'failed', 'sent', 'cancelled'],
  reminder: ['pending', 'delivering', 'failed', 'sent', 'cancelled'],
  topic_deletion: ['deleting', 'partial', 'complete', 'failed'],
} as const;

type Collection = keyof typeof STATES;
const COLLECTIONS = Object.keys(STATES) as Collection[];

/** The names by which commands know them. */
const KINDS: Readonly<Record<Collection, string>> = {
  queue: 'event-queue',
  presence_session: 'presence-session',
  scheduled_message: 'scheduled-message',
  reminder: 'reminder',
  topic_deletion: 'topic-deletion',
};

/** Ids of the documents of each collection, by the state that each is given. */
type Ids = Readonly<Record<Collection, Readonly<Record<string, string>>>>;

const HOUR_S = 3600;

/** Does something with a store that no server has open. */
async function whileStopped(
  { store: url }: Place,
  work: (
    read: (keys: DocumentKey[]) => Promise<readonly (Document | undefined)[]>,
  ) => Promise<Write[]>,
): Promise<void> {
  const store = await openStore(url);
  try {
    const lease = await store.acquireLease('test', 60_000);
    if (!lease) throw new Error('A server is running on the store');
    const writes = await work((keys) => store.getMany(keys));
    await store.commit(lease, { entries: [], writes, due: [] });
    await store.releaseLease(lease);
  } finally {
    await store.close();
  }
}

/** Changes stored documents. */
function alter(
  place: Place,
  changes: readonly (readonly [DocumentKey, (document: Document) => object])[],
): Promise<void> {
  return whileStopped(place, async (read) => {
    const documents = await read(changes.map(([key]) => key));
    return changes.map(([key, change], i) => ({
      ...{ op: 'set', key, document: change(documents[i]!) as Document },
    }));
  });
}

/** What the operator's commands say. */
async function ask<T>({ folder, store }: Place, command: string, ...args: string[]): Promise<T> {
  const state = stateFolder({ store, state: null });
  const at = { store, state: store.startsWith('embedded:') ? state : join(folder, state) };
  return (await askLeader(at, { command, args, flags: {} })) as T;
}

interface Row {
  readonly id: string;
  readonly state: string;
}

/** The states in which the actors of a kind are, by their ids. */
async function listed(place: Place, collection: Collection): Promise<Record<string, string>> {
  const rows = await ask<Row[]>(place, 'actors list', KINDS[collection]);
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
}

/** Makes an entity for each state of each kind, by the API. */
async function fill(owner: ApiClient, users: readonly ApiClient[]): Promise<Ids> {
  const ids = { queue: {}, presence_session: {}, scheduled_message: {}, reminder: {} };
  const made: Record<keyof typeof ids, Record<string, string>> = ids;
  for (const state of STATES.queue) {
    const { queue_id } = await owner.register({ event_types: ['message'] });
    made.queue[state] = queue_id;
  }
  for (const [i, state] of STATES.presence_session.entries()) {
    await users[i]!.ok('POST', '/users/me/presence', { status: 'active', new_user_input: true });
    made.presence_session[state] = String(users[i]!.userId);
  }
  const at = Math.ceil(Date.now() / 1000) + HOUR_S;
  for (const state of STATES.scheduled_message) {
    const { scheduled_message_id: id } = await owner.ok('POST', '/scheduled_messages', {
      ...{ type: 'channel', to: 1, topic: 'due', content: `scheduled ${state}` },
      scheduled_delivery_timestamp: at,
    });
    made.scheduled_message[state] = String(id);
    const message_id = await owner.say(`of the reminder ${state}`);
    const { reminder_id } = await owner.ok('POST', '/reminders', {
      ...{ message_id, note: `reminder ${state}`, scheduled_delivery_timestamp: at },
    });
    made.reminder[state] = String(reminder_id);
  }
  const topic_deletion: Record<string, string> = {};
  for (const state of STATES.topic_deletion)
    await owner.say(`in ${state}`, 'general', `t ${state}`);
  return { ...ids, topic_deletion };
}

/** A deletion lasts a moment: its document is written here as the program would. */
function deletion(state: string, recipient_id: number, owner: ApiClient): Document {
  const now = Date.now();
  return {
    ...{ machine: 'topic-deletion', version: 2, value: state },
    context: {
      ...{ recipient_id, topic: `t ${state}`, reader_id: null, actor_id: owner.userId },
      ...{ newest: 1_000_000, deleted: 0, started_at: now, until: now + HOUR_S * 1000 },
    },
  };
}

/** What a store has of the collections, read from its export. */
async function exported(place: Place): Promise<Map<string, Body>> {
  const file = join(place.folder, `export-${Date.now()}.jsonl`);
  const { code, stderr } = await exportTo(file, place);
  if (code !== 0) throw new Error(stderr);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1, -1);
  const rows = lines.map((line) => JSON.parse(line) as Body);
  return new Map(
    rows
      .filter(({ collection }) => COLLECTIONS.includes(collection as Collection))
      .map(({ collection, id, document }) => [
        `${String(collection)}:${String(id)}`,
        document as Body,
      ]),
  );
}

async function judge(t: Test, place: Place): Promise<void> {
  let server = await serve(t, place);
  let owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const users: ApiClient[] = [];
  for (const state of STATES.presence_session) users.push(await owner.createUser(state));
  const ids = (await fill(owner, users)) as { [C in Collection]: Record<string, string> };
  const sessions = Object.keys(await listed(place, 'presence_session'));
  for (const [state, userId] of Object.entries(ids.presence_session)) {
    ids.presence_session[state] = sessions.find((id) => id.startsWith(`${userId}:`))!;
  }
  t.same(await listed(place, 'scheduled_message'), {
    ...Object.fromEntries(Object.values(ids.scheduled_message).map((id) => [id, 'pending'])),
  });
  await server.stop();

  // Each is given another value; of each kind one keeps the one it has.
  let recipient = 0;
  await whileStopped(place, async (read) => {
    const [general] = await read([{ collection: 'channel', id: '1' }]);
    recipient = Number(general!.recipient_id);
    return STATES.topic_deletion.map((state) => {
      const id = `${recipient}::t ${state}`;
      ids.topic_deletion[state] = id;
      const key = { collection: 'topic_deletion', id };
      return { op: 'set', key, document: deletion(state, recipient, owner) };
    });
  });
  const ofAll = COLLECTIONS.flatMap((collection) =>
    Object.entries(ids[collection]).map(
      ([value, id]) =>
        [{ collection, id }, (document: Document) => ({ ...document, value })] as const,
    ),
  );
  await alter(place, ofAll);
  for (const [name, document] of await exported(place)) {
    const fields = Object.keys(document).sort();
    t.same(fields, ['context', 'machine', 'value', 'version'], `${name} is a snapshot`);
  }

  server = await serve(t, place);
  owner = owner.at(server.url);
  const messages = async (narrow: readonly object[]): Promise<string[]> => {
    const page = { anchor: 'newest', num_before: 100, num_after: 0, apply_markdown: false };
    const { messages } = await owner.ok('GET', '/messages', { ...page, narrow });
    return (messages as { content: string }[]).map(({ content }) => content);
  };
  const topic = (name: string) => messages([{ operator: 'topic', operand: name }]);

  // What begins by itself goes on after the start.
  while ((await topic('t deleting')).length > 0 || (await topic('due')).length === 0) {
    await pause(20);
  }
  const reminded = () => messages([{ operator: 'is', operand: 'dm' }]);
  while (!(await reminded()).some((text) => text.includes('reminder delivering'))) await pause(20);

  const poll = (queueId: string) =>
    owner.call('GET', '/events', { queue_id: queueId, last_event_id: -1, dont_block: true });
  t.match(await poll(ids.queue.live!), { status: 200 }, 'a live queue goes on');
  for (const state of ['expired', 'deleted', 'overflowed', 'revoked']) {
    const reply = await poll(ids.queue[state]!);
    t.match(reply, { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } }, `${state}: gone`);
  }

  t.same(await topic('t deleting'), [], 'a deletion that goes on has deleted');
  t.same(await topic('t partial'), ['in partial'], 'one that rests has not');
  t.same(await topic('t complete'), ['in complete'], 'nor one that has ended');
  t.same(await topic('t failed'), ['in failed']);

  t.same(await topic('due'), ['scheduled delivering'], 'what was being delivered is sent, once');
  const { scheduled_messages: waiting } = await owner.ok('GET', '/scheduled_messages');
  t.match(waiting, [
    { scheduled_message_id: Number(ids.scheduled_message.pending), failed: false },
    { scheduled_message_id: Number(ids.scheduled_message.failed), failed: true },
  ]);
  for (const state of ['sent', 'cancelled']) {
    const path = `/scheduled_messages/${ids.scheduled_message[state]}`;
    t.match(await owner.call('PATCH', path, { content: 'x' }), { status: 404 }, `${state}: gone`);
  }
  const { reminders } = await owner.ok('GET', '/reminders');
  t.match(reminders, [
    { reminder_id: Number(ids.reminder.pending), failed: false },
    { reminder_id: Number(ids.reminder.failed), failed: true },
  ]);
  const texts = (await reminded()).filter((text) => /reminder \w+/.test(text));
  t.equal(texts.length, 1, 'one reminder is sent, once');
  t.match(texts[0], 'reminder delivering');

  // Who was active stays so: only the others come online, of which everybody is told.
  const watcher = await QueueReader.open(owner, { event_types: ['presence'] });
  for (const user of users) {
    const report = { status: 'active', new_user_input: true };
    await user.at(server.url).ok('POST', '/users/me/presence', report);
  }
  await owner.at(server.url).ok('POST', '/users/me/presence', { status: 'active' });
  const seen = new Set<number>();
  while (!seen.has(owner.userId)) {
    for (const event of await watcher.next()) {
      if (event.type === 'presence') seen.add(Number(event.user_id));
    }
  }
  t.same(
    users.map(({ userId }) => seen.has(userId)),
    [false, true, true, true],
    'active, idle, offline, forgotten',
  );

  t.same(await listed(place, 'queue'), {
    ...{ [ids.queue.live!]: 'live', [watcher.queueId]: 'live' },
  });
  t.same(await listed(place, 'scheduled_message'), {
    [ids.scheduled_message.pending!]: 'pending',
    [ids.scheduled_message.failed!]: 'failed',
  });
  t.same(await listed(place, 'reminder'), {
    [ids.reminder.pending!]: 'pending',
    [ids.reminder.failed!]: 'failed',
  });
  t.same(await listed(place, 'topic_deletion'), { [ids.topic_deletion.partial!]: 'partial' });
  t.match(await ask(place, 'actors show', 'topic-deletion', ids.topic_deletion.partial!), {
    ...{ kind: 'topic-deletion', state: 'partial', deadline: 'none' },
    snapshot: { machine: 'topic-deletion', version: 2, value: 'partial', context: { deleted: 0 } },
    chart: { machine: 'topic-deletion' },
  });
  await server.stop();

  // What has ended has left no document.
  const left = [...(await exported(place)).keys()].filter((key) => !key.startsWith('presence_'));
  t.same(
    left.sort(),
    [
      `queue:${ids.queue.live}`,
      `queue:${watcher.queueId}`,
      ...['pending', 'failed'].map((state) => `reminder:${ids.reminder[state]}`),
      ...['pending', 'failed'].map((state) => `scheduled_message:${ids.scheduled_message[state]}`),
      `topic_deletion:${ids.topic_deletion.partial}`,
    ].sort(),
  );

  await damaged(t, place, {
    queue: [ids.queue.live!],
    presence_session: [ids.presence_session.active!],
    scheduled_message: [ids.scheduled_message.pending!],
    reminder: [ids.reminder.failed!],
    topic_deletion: [ids.topic_deletion.partial!],
  });
}

/** Snapshots that are none of the machine. */
const FAULTS = [{ machine: 'nonsense' }, { version: 1 }, { value: 'asleep' }] as const;

async function damaged(
  t: Test,
  place: Place,
  ids: Readonly<Record<Collection, readonly string[]>>,
): Promise<void> {
  const keys = COLLECTIONS.map((collection) => ({ collection, id: ids[collection][0]! }));
  let sound: readonly (Document | undefined)[] = [];
  await whileStopped(place, async (read) => {
    sound = await read(keys);
    return [];
  });
  for (const fault of FAULTS) {
    await alter(
      place,
      keys.map((key) => [key, (document) => ({ ...document, ...fault })]),
    );
    const { code, stdout } = await run(['verify', '--store', place.store]);
    t.equal(code, 1);
    const field = Object.keys(fault)[0]!;
    for (const { collection, id } of keys) {
      const named = `${collection}:${id}: it does not fit its schema: ${field} `;
      t.ok(stdout.includes(named), `verify names ${named}`);
    }
    const server = await serve(t, place);
    const health = (await (await fetch(`${server.url}/health`)).json()) as { set_aside: number };
    t.equal(health.set_aside, keys.length, `set aside: ${field}`);
    await server.stop();
    await alter(
      place,
      keys.map((key, at) => [key, () => sound[at]!]),
    );
  }
}

void t.test('an embedded store', (t) => judge(t, embedded(t)));

void t.test('Redis with JSON values', { skip: NO_REDIS ?? false }, async (t) => {
  const { port } = await startRedis(t);
  await judge(t, onRedis(t, port));
});

void t.test('Redis with text', { skip: NO_REDIS ?? false }, async (t) => {
  const { port } = await startPlainRedis(t);
  await judge(t, onRedis(t, port));
});
