/** What the console at `/console` is made of; `stories/console.ts` looks at the page. */
import t from 'tap';
import { ApiClient, type Body } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';

interface Figures {
  readonly node_role: string;
  readonly journal_head: number;
  readonly pending_entries: number;
  readonly delivered_events: number;
}

/** The program of each of a user's queues, as the console names it. */
async function clientsOf(owner: ApiClient, userId: number): Promise<Record<string, string>> {
  const asked = { with_queues: true, queue_filter: String(userId) };
  const { queues } = await owner.ok('GET', '/realm/console', asked);
  const rows = queues as { queue_id: string; client: string }[];
  return Object.fromEntries(rows.map(({ queue_id, client }) => [queue_id, client]));
}

void t.test('a queue has the name of its program, whoever registered it', async (t) => {
  const { server, owner, hamlet } = await startOrganization(t);
  const { queue_id: registered } = await hamlet.register({ event_types: ['message'] });
  const first = { event_types: ['message'], dont_block: true };
  const { queue_id: polled } = await hamlet.ok('GET', '/events', first);
  const before = await clientsOf(owner, hamlet.userId);
  t.strictSame(Object.keys(before).sort(), [registered, polled].sort());
  t.notOk(Object.values(before).includes(''));
  await server.stop();
  const { url } = await server.restart(t);
  const [ownerNow, hamletNow] = [owner, hamlet].map(
    ({ email, key, userId }) => new ApiClient(url, email, key, userId),
  );
  for (const queue_id of [registered, polled]) {
    await hamletNow!.ok('GET', '/events', { queue_id, last_event_id: -1, dont_block: true });
  }
  t.strictSame(await clientsOf(ownerNow!, hamlet.userId), before, 'after a restart, from its poll');
});

void t.test('what administrators see of the server, and a queue that they end', async (t) => {
  const { owner, hamlet } = await startOrganization(t);
  const { queue_id } = await hamlet.register({ event_types: ['message'] });
  let first = await owner.ok('GET', '/realm/console');
  // What the organization's making left may still be on its way to the store.
  while ((first.nodes as Figures[])[0]!.pending_entries > 0) {
    first = await owner.ok('GET', '/realm/console');
  }
  const [before] = first.nodes as Figures[];
  t.match(before, { node_role: 'leader', health: 'ready', lag_ms: 0, pending_entries: 0 });
  t.same(first.journal_events, []);
  const asked = ['queues', 'queue', 'entry', 'troubles', 'due', 'deletions', 'charts', 'operation'];
  t.notOk(
    asked.some((name) => name in first),
    'only what is asked for',
  );
  await hamlet.say('nobody else shall read this', 'general', 'secret topic');
  await hamlet.call('GET', '/realm/audit_log');
  await hamlet.call('GET', '/realm/audit_log');
  const second = await owner.ok('GET', '/realm/console', {
    ...{
      events_after: before!.journal_head,
      with_queues: true,
      queue_filter: String(hamlet.userId),
    },
    ...{
      open_queue: queue_id,
      with_troubles: true,
      with_actors: true,
      with_charts: true,
      with_operation: true,
    },
  });
  const events = second.journal_events as Body[];
  const [message] = events.filter(({ event_type }) => event_type === 'message');
  t.match(message, { audience: 'subscribers', user_count: 3 });
  const row = { queue_id, user_id: hamlet.userId, state: 'live', transport: 'none', events: 1 };
  t.match(second.queues, [row]);
  t.equal(second.queues_found, 1);
  t.match(second.queue, { ...row, event_types: ['message'], held: [{ event_type: 'message' }] });
  const { snapshot } = second.queue as { snapshot: { context: { deadline: number } } };
  t.match(snapshot, {
    machine: 'event-queue',
    value: 'live',
    context: { idle_timeout_ms: 600_000 },
  });
  const left = snapshot.context.deadline - Date.now();
  t.ok(left > 0 && left <= 600_000, `acts by itself in ${left} ms`);
  t.equal((second.nodes as Figures[])[0]!.delivered_events - before!.delivered_events, 1);
  t.match((second.troubles as Body).refusals, [
    { user_id: hamlet.userId, status: 400, endpoint: 'get-audit-log', count: 2 },
  ]);
  t.match(second.due, [{ within_seconds: 60, messages: 0 }]);
  t.match(second.operation, { software_version: /^\d+\.\d+\.\d+$/, backups: null });
  const { options } = second.operation as { options: { option: string }[] };
  t.match(
    options.filter(({ option }) => ['port', 'lease', 'owner-password'].includes(option)),
    [
      { option: 'port', value: '0', source: '--port' },
      { option: 'owner-password', value: '***', source: 'PARLEY_OWNER_PASSWORD' },
      { option: 'lease', value: '2', source: 'default' },
    ],
  );
  t.same(second.deletions, []);
  t.same(
    (second.charts as { machine: string }[]).map(({ machine }) => machine),
    ['event-queue', 'presence-session', 'scheduled-message', 'topic-deletion', 'node-role'],
  );
  const { entry } = await owner.ok('GET', '/realm/console', { open_entry: message!.seq });
  const { seq, ...opened } = entry as { seq: number; events: Body[]; changes: Body[] };
  t.equal(seq, message!.seq);
  t.match(
    opened.events.find(({ event_type }) => event_type === 'message'),
    { variants: [{ queues: 1 }] },
  );
  t.match(opened.changes, [
    { collection: 'counter', document_id: '…', change: 'set' },
    { collection: 'message', change: 'set' },
    { collection: 'user_topic', document_id: `${hamlet.userId}…` },
  ]);
  t.notMatch(
    JSON.stringify([second, entry]),
    /nobody else|secret topic/,
    'nothing that people write',
  );

  const path = `/realm/console/queues/${queue_id}`;
  t.match((await hamlet.call('DELETE', path)).body, { code: 'UNAUTHORIZED_PRINCIPAL' });
  await owner.ok('DELETE', path);
  const poll = await hamlet.call('GET', '/events', { queue_id, last_event_id: -1 });
  t.match(poll.body, { code: 'BAD_EVENT_QUEUE_ID' });
  t.match((await owner.call('DELETE', path)).body, { code: 'BAD_EVENT_QUEUE_ID' });
  const { records } = await owner.ok('GET', '/realm/audit_log', { kind: 'queue' });
  t.match(records, [
    {
      user_id: owner.userId,
      changes: [
        {
          ...{ kind: 'queue', id: hamlet.userId, name: 'Hamlet', action: 'removed' },
          fields: [{ name: 'queue_id', old: JSON.stringify(queue_id), new: null }],
        },
      ],
    },
  ]);
});
