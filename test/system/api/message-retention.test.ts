import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { positionOf } from '../../../src/journal/entry-reading.js';
import { encodeEntry } from '../../../src/journal/entry-text.js';
import { openStore } from '../../../src/store/open.js';
import type { Write } from '../../../src/store/port.js';
import { withLease } from '../../../src/store/transfer/held.js';
import type { ApiClient, Body } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { run } from '../harness/server.js';
import { upload } from '../harness/uploading.js';
import { LEGACY, MODERN, Viewer } from '../harness/viewers.js';

const DAY_SECONDS = 86_400;
const PATIENCE_MS = 30_000;

/** Makes messages of a store that nobody serves older than they are. */
async function age(url: string, ids: readonly number[], days: number): Promise<void> {
  const store = await openStore(url);
  try {
    await withLease(store, async ({ lease }) => {
      const keys = ids.map((id) => ({ collection: 'message', id: String(id) }));
      const writes = (await store.getMany(keys)).map((document, i): Write => {
        const timestamp = Number(document!.timestamp) - days * DAY_SECONDS;
        return { op: 'set', key: keys[i]!, document: { ...document, timestamp } };
      });
      const last = positionOf((await store.lastEntry())!);
      const entry = encodeEntry(last.seq + last.span, Date.now(), { writes, events: [], due: [] });
      await store.commit(lease, { entries: [entry], writes, due: [] });
    });
  } finally {
    await store.close();
  }
}

/** Ids of the messages of a channel up to one of them. */
async function idsUpTo(client: ApiClient, channel: string, id: number): Promise<number[]> {
  const { messages } = await client.ok('GET', '/messages', {
    anchor: id,
    num_before: 100,
    num_after: 0,
    narrow: [{ operator: 'channel', operand: channel }],
  });
  return (messages as { id: number }[]).map((message) => message.id);
}

/** Waits until a message is gone for its author. */
async function untilGone(client: ApiClient, id: number): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(50)) {
    const { status } = await client.call('GET', `/messages/${id}`);
    if (status === 400) return;
  }
  throw new Error(`message ${id} is still there`);
}

/** Says which process serves, and no event tells of another one. */
const OF_PROCESS = ['realm_url', 'realm_uri', 'server_emoji_data_url', 'server_generation'];

function withoutProcess(snapshot: Body): Body {
  return Object.fromEntries(
    Object.entries(snapshot).filter(([name]) => !OF_PROCESS.includes(name)),
  );
}

// Loaded machines take long to start processes.
t.setTimeout(180_000);

void t.test('retention: snapshot and events meet; what went can be restored', async (t) => {
  const { server: first, owner, hamlet, iago } = await startOrganization(t);
  const { store } = first;
  const subscribe = (name: string, more: Body = {}) =>
    owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: [owner.userId, hamlet.userId],
      ...more,
    });
  await subscribe('brief', { message_retention_days: 5 });
  await subscribe('records', { message_retention_days: 'unlimited' });
  const { uri } = await upload(hamlet, '/user_uploads', 'plan.txt', Buffer.from('plan'));
  const old = {
    general: [
      await hamlet.say('@**Iago** one', 'general', 'a'),
      await owner.say('two', 'general', 'b'),
      await owner.say('three', 'general', ''),
      await hamlet.say(`[plan](${String(uri)})`, 'general', 'a'),
    ],
    direct: [await hamlet.tell([iago.userId], 'psst')],
  };
  const records = await owner.say('kept', 'records');
  const brief = await owner.say('brief', 'brief');
  const young = await owner.say('young', 'general', 'b');
  await iago.ok('POST', '/messages/flags', { messages: old.general, op: 'add', flag: 'starred' });
  const aged = [
    ...(await idsUpTo(owner, 'general', old.general[3]!)),
    ...(await idsUpTo(owner, 'records', records)),
    ...old.direct,
  ];
  const agedBrief = await idsUpTo(owner, 'brief', brief);
  await first.stop();
  await age(store, aged, 40);
  await age(store, agedBrief, 6);

  // Nothing is over but in `brief`, until the organization gets a period.
  const second = await first.restart(t);
  await untilGone(owner.at(second.url), brief);
  const viewers: Viewer[] = [];
  for (const [name, account] of Object.entries({ owner, hamlet, iago })) {
    const client = account.at(second.url);
    viewers.push(await Viewer.open(`${name}, modern`, client, MODERN));
    viewers.push(await Viewer.open(`${name}, legacy`, client, LEGACY));
  }
  await owner.at(second.url).ok('PATCH', '/realm', { message_retention_days: 30 });
  await second.kill();

  const third = await second.restart(t);
  await untilGone(hamlet.at(third.url), old.direct[0]!);
  await untilGone(owner.at(third.url), old.general[3]!);
  for (const viewer of viewers) {
    viewer.move(third.url);
    const { believed, actual, events } = await viewer.compare();
    t.ok(events.some(({ type }) => type === 'delete_message'));
    t.strictSame(withoutProcess(believed), withoutProcess(actual), viewer.name);
  }
  for (const id of [records, young]) await owner.at(third.url).ok('GET', `/messages/${id}`);
  const served = await run(['restore-messages', '--store', store]);
  t.match(served, { code: 1, stderr: /^Failed: Another process is writing to / });
  await third.stop();

  const early = await run(['restore-messages', '--store', store, 'general']);
  t.match(early, {
    code: 1,
    stderr: /Left \d+ messages of #general: they are kept for 30 days only/,
  });
  const fourth = await third.restart(t);
  await owner.at(fourth.url).ok('PATCH', '/realm', { message_retention_days: 60 });
  await fourth.stop();
  const back = await run(['restore-messages', '--store', store]);
  t.match(back, {
    code: 0,
    stderr: /Restored \d+ messages of #general\n(.*\n)*Restored 1 message of direct messages\n/,
  });
  const fifth = await fourth.restart(t);
  const starred = await iago.at(fifth.url).ok('GET', '/messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow: [{ operator: 'is', operand: 'starred' }],
  });
  t.same(
    (starred.messages as { id: number }[]).map(({ id }) => id),
    old.general,
    'with their ids and stars',
  );
  await iago.at(fifth.url).ok('GET', `/messages/${old.direct[0]}`);
  const { url } = await iago.at(fifth.url).ok('GET', String(uri));
  t.equal((await fetch(`${fifth.url}${String(url)}`)).status, 200, 'and their files');
  t.equal((await owner.at(fifth.url).call('GET', `/messages/${brief}`)).status, 400);
});
