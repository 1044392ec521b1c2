/** `GET /metrics`: what is there, that it moves with what happens, and that it is not on the API's port. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { RawConnection } from '../../src/http/raw-connection.js';
import { ApiClient, exchange } from '../harness/client.js';
import {
  OWNER_EMAIL,
  OWNER_PASSWORD,
  RunningServer,
  type ServerOptions,
} from '../harness/server.js';

const OWN = [
  'parley_actors',
  'parley_backup_last_success_timestamp_seconds',
  'parley_build_info',
  'parley_commit_duration_seconds',
  'parley_commit_group_entries',
  'parley_commits_pending',
  'parley_commits_total',
  'parley_commits_undecided',
  'parley_events_delivered_total',
  'parley_follower_staleness_seconds',
  'parley_health',
  'parley_http_request_duration_seconds',
  'parley_http_requests_total',
  'parley_http_requests_waiting',
  'parley_incoming_mails_total',
  'parley_incoming_mails_waiting',
  'parley_journal_head_seq',
  'parley_journal_length',
  'parley_leads',
  'parley_link_preview_fetches_total',
  'parley_mail_oldest_age_seconds',
  'parley_mails_waiting',
  'parley_organization_wakes_total',
  'parley_organization_waking_seconds_total',
  'parley_organizations',
  'parley_queue_backlog_age_seconds',
  'parley_queue_bytes',
  'parley_queue_events',
  'parley_queues',
  'parley_queues_behind',
  'parley_search_indexed_messages',
  'parley_search_lag_entries',
  'parley_store_errors_total',
  'parley_store_replicas',
  'parley_store_replicas_wanted',
  'parley_tls_certificate_expiry_timestamp_seconds',
];

/** Values by name and labels, as a scraper reads them. */
async function look(url: string): Promise<Map<string, number>> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`metrics answered ${response.status}`);
  const lines = (await response.text()).split('\n').filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

const METRICS: ServerOptions = { env: { PARLEY_METRICS: '127.0.0.1:0' } };

async function urlOf(server: RunningServer): Promise<string> {
  return (await server.printed(/^Metrics are served on (\S+)$/m))[1]!;
}

void t.test('metrics have a listener of their own, and only where asked for', async (t) => {
  const server = await RunningServer.start(t, METRICS);
  const url = await urlOf(server);
  const response = await fetch(url);
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  const names = [...text.matchAll(/^# TYPE (parley_\w+) /gm)].map((match) => match[1]!);
  t.same(names.sort(), OWN);
  t.match(
    text,
    `parley_build_info{version="0.1.0",feature_level="500",node_version="${process.versions.node}"} 1`,
  );
  for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']) {
    t.match(text, new RegExp(`^${name} `, 'm'));
  }
  t.equal((await fetch(url, { method: 'HEAD' })).status, 200);
  t.equal((await fetch(url, { method: 'POST' })).status, 405);
  t.equal((await fetch(new URL('/', url))).status, 404);
  // Of requests that come together the first is computed for, if any.
  const several = await RawConnection.open(Number(new URL(url).port));
  several.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000));
  await several.closed;
  t.ok(several.unread.toString('latin1').split('HTTP/1.1 200').length <= 2);
  t.equal((await exchange(server.url, 'GET', '/metrics')).status, 404, 'not on the public port');

  const without = await RunningServer.start(t);
  t.equal((await exchange(without.url, 'GET', '/metrics')).status, 404);
  t.notMatch(without.stdout, /Metrics/);
});

void t.test('metrics move with what happens', async (t) => {
  const server = await RunningServer.start(t, METRICS);
  const url = await urlOf(server);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const before = await look(url);
  const moved = async (): Promise<(name: string) => number> => {
    const now = await look(url);
    return (name) => (now.get(name) ?? 0) - (before.get(name) ?? 0);
  };
  t.equal(before.get('parley_health{state="ready"}'), 1);
  t.equal(before.get('parley_health{state="follower"}'), 0);
  t.equal(before.get('parley_queues{state="idle"}'), 0);

  const polled = await owner.register({ event_types: ['message'] });
  const pushed = await owner.register({ event_types: ['message'] });
  await owner.register({ event_types: ['message'] });
  for (let i = 0; i < 3; i++) await owner.say(`message ${i}`);
  const change = await moved();
  t.equal(change('parley_queues{state="idle"}'), 3);
  t.equal(change('parley_queue_events'), 9, 'three events in each of three queues');
  const bytes = change('parley_queue_bytes');
  t.ok(bytes > 9 * 300 && bytes < 9 * 3000, `${bytes} of nine events`);
  const entries = change('parley_commits_total');
  t.ok(entries >= 6, 'an entry for each registration and message');
  const positions = change('parley_journal_head_seq');
  t.ok(
    positions >= entries,
    'each entry takes a position for each of its events, and at least one',
  );
  t.equal(change('parley_journal_length'), positions);
  t.equal(change('parley_commit_group_entries_sum'), entries);
  const groups = change('parley_commit_group_entries_count');
  t.ok(groups >= 1 && groups <= entries);
  t.equal(change('parley_commit_duration_seconds_count'), groups);
  t.ok(change('parley_commit_duration_seconds_sum') > 0);
  t.equal(change('parley_commit_duration_seconds_bucket{le="+Inf"}'), groups);
  // A queue's state may just be on its way.
  t.ok(change('parley_commits_pending') <= 1);
  t.equal(change('parley_http_requests_total{operation="register-queue",status="200"}'), 3);
  t.equal(change('parley_http_requests_total{operation="send-message",status="200"}'), 3);

  await t.rejects(owner.poll(polled.queue_id, 2 ** 40), /was not in this queue/);
  await exchange(server.url, 'GET', '/nowhere');
  const refused = await moved();
  t.equal(refused('parley_http_requests_total{operation="get-events",status="400"}'), 1);
  t.equal(refused('parley_http_requests_total{operation="other",status="404"}'), 1);

  const socket = owner.socket({ queue_id: pushed.queue_id, last_event_id: pushed.last_event_id });
  await new Promise((open) => socket.on('message', open));
  const newest = (await owner.poll(polled.queue_id, polled.last_event_id)).at(-1)!.id;
  const gone = new AbortController();
  const { events } = await owner.hold(polled.queue_id, newest, gone.signal);
  const attached = await moved();
  t.equal(attached('parley_queues{state="polling"}'), 1);
  t.equal(attached('parley_queues{state="streaming"}'), 1);
  t.equal(attached('parley_queues{state="idle"}'), 1);
  t.equal(attached('parley_http_requests_waiting'), 1, 'the poll');
  t.equal(attached('parley_http_requests_total{operation="open-event-socket",status="101"}'), 1);
  gone.abort();
  await t.rejects(events);
  socket.terminate();
});

void t.test('after a restart queues are unattached until their clients come back', async (t) => {
  const server = await RunningServer.start(t, METRICS);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const queue = await owner.register();
  await owner.register();
  await server.stop();
  const again = await server.restart(t);
  const url = await urlOf(again);
  t.equal((await look(url)).get('parley_queues{state="unattached"}'), 2);
  await owner.at(again.url).poll(queue.queue_id, queue.last_event_id, { dontBlock: true });
  const after = await look(url);
  t.equal(after.get('parley_queues{state="unattached"}'), 1);
  t.equal(after.get('parley_queues{state="idle"}'), 1);
});

void t.test('a follower tells of its own queues, and that it does not lead', async (t) => {
  const server = await RunningServer.start(t, METRICS);
  const follower = RunningServer.spawn(server.folder, METRICS);
  t.teardown(() => follower.kill());
  const url = await urlOf(follower);
  await follower.printed(/follows/);
  const seen = await look(url);
  t.equal(seen.get('parley_health{state="ready"}'), 1);
  t.equal(seen.get('parley_leads'), 0);
  t.equal(seen.get('parley_queues{state="polling"}'), 0);
  const staleness = seen.get('parley_follower_staleness_seconds') ?? Infinity;
  t.ok(staleness < 5, `${staleness} s`);
  t.equal((await look(await urlOf(server))).get('parley_leads'), 1);
});

/** How often threads of a process went to sleep until now: each has to be woken as often. */
function sleepsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((id) => readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))
    .map((status) => Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(status)![1]))
    .reduce((sum, sleeps) => sum + sleeps, 0);
}

const NOT_IDLE =
  process.env['PARLEY_TEST_THROUGH'] === 'follower'
    ? 'a follower looks at its leader more often'
    : !existsSync('/proc/self/status') && 'there is no /proc';
/** What is done at the start is over then, or in a later window. Milliseconds. */
const WINDOW_MS = 3000;

void t.test('an idle server wakes a few times a second', { skip: NOT_IDLE }, async (t) => {
  const server = await RunningServer.start(t);
  const { pid } = server;
  const rates: number[] = [];
  // Collection of garbage, and a machine short of memory, wake it too, now and then.
  for (let window = 0; window < 12 && !(rates.at(-1)! <= 10); window++) {
    const [before, began] = [sleepsOf(pid), performance.now()];
    await pause(WINDOW_MS);
    rates.push((sleepsOf(pid) - before) / ((performance.now() - began) / 1000));
  }
  t.ok(rates.at(-1)! <= 10, `${rates.map(Math.round).join(', ')} times a second`);
});
