import { ConnectionLimit } from '../../../../src/http/limits/connection-limit.js';
import t from 'tap';
import { Metrics, type MetricsSources } from '../../../../src/host/monitoring/metrics.js';
import type { NodeFigures } from '../../../../src/host/monitoring/node-metrics.js';
import type { Health } from '../../../../src/http/health.js';
import { ReplyCounts } from '../../../../src/http/reply/reply-counts.js';
import { RawConnection } from '../../http/raw-connection.js';

const FIGURES: NodeFigures = {
  leads: true,
  stalenessMs: 0,
  queues: {
    idle: 1,
    polling: 2,
    streaming: 3,
    unattached: 4,
    events: 5,
    bytes: 6,
    behind: { 10: 13, 60: 14, 600: 0 },
    longestBehindMs: 61_000,
  },
  delivered: 15,
  mails: { waiting: 16, oldestMs: 17_000 },
  head: 107,
  pending: 8,
  replicas: { have: 1, wanted: 2 },
  search: { lag: 11, indexed: 12 },
  actors: { 'event-queue': { idle: 9, polling: 10 }, 'topic-deletion': { deleting: 0 } },
};

async function served(sources: Partial<MetricsSources>) {
  const metrics = new Metrics({
    health: () => 'ready',
    node: () => FIGURES,
    firstSeq: async () => 101,
    replies: () => [],
    waiting: () => 0,
    ...sources,
  });
  const url = await metrics.listen({ host: '127.0.0.1', port: 0 }, limit);
  const lines = async (): Promise<string[]> =>
    (await (await fetch(url)).text()).split('\n').filter((line) => line.startsWith('parley_'));
  return { metrics, lines };
}

const limit = new ConnectionLimit({ error: () => undefined });

void t.test('tells what its sources say when somebody looks', async (t) => {
  const sends = new ReplyCounts('send-message');
  let looks = 0;
  const { metrics, lines } = await served({
    replies: () => [sends, new ReplyCounts('get-events')],
    node: () => {
      looks += 1;
      return FIGURES;
    },
    waiting: () => 11,
    fetches: () => [{ kind: 'page', outcome: 'failed', count: 12 }],
    incomingMails: () => [['refused_circle', 18]],
    incomingWaiting: () => 19,
  });
  t.teardown(() => metrics.close());
  sends.add(200, 64);
  sends.add(200, 64 * 30);
  sends.add(503, 64 * 11_000);
  const told = await lines();
  t.equal(looks, 1, 'queues are looked through once per look');
  for (const line of [
    'parley_health{state="ready"} 1',
    'parley_health{state="draining"} 0',
    'parley_queues{state="idle"} 1',
    'parley_queues{state="polling"} 2',
    'parley_queues{state="streaming"} 3',
    'parley_queues{state="unattached"} 4',
    'parley_queue_events 5',
    'parley_queue_bytes 6',
    'parley_queues_behind{older_than="10"} 13',
    'parley_queues_behind{older_than="600"} 0',
    'parley_queue_backlog_age_seconds 61',
    'parley_events_delivered_total 15',
    'parley_mails_waiting 16',
    'parley_mail_oldest_age_seconds 17',
    'parley_http_request_duration_seconds_bucket{operation="send-message",le="0.0005"} 0',
    'parley_http_request_duration_seconds_bucket{operation="send-message",le="0.001"} 1',
    'parley_http_request_duration_seconds_bucket{operation="send-message",le="0.025"} 1',
    'parley_http_request_duration_seconds_bucket{operation="send-message",le="0.05"} 2',
    'parley_http_request_duration_seconds_bucket{operation="send-message",le="10"} 2',
    'parley_http_request_duration_seconds_bucket{operation="send-message",le="+Inf"} 3',
    'parley_http_request_duration_seconds_sum{operation="send-message"} 11.031',
    'parley_http_request_duration_seconds_count{operation="send-message"} 3',
    'parley_journal_head_seq 107',
    'parley_journal_length 7',
    'parley_commits_pending 8',
    'parley_store_replicas 1',
    'parley_store_replicas_wanted 2',
    'parley_commits_undecided 8',
    'parley_actors{machine="event-queue",state="idle"} 9',
    'parley_actors{machine="topic-deletion",state="deleting"} 0',
    'parley_http_requests_total{operation="send-message",status="200"} 2',
    'parley_http_requests_total{operation="send-message",status="503"} 1',
    'parley_http_requests_waiting 11',
    'parley_link_preview_fetches_total{kind="page",outcome="failed"} 12',
    'parley_incoming_mails_total{outcome="refused_circle"} 18',
    'parley_incoming_mails_waiting 19',
  ]) {
    t.ok(told.includes(line), line);
  }
  t.notOk(
    told.some((line) => line.includes('get-events')),
    'what never occurred is not told',
  );
  sends.add(200, 64);
  t.ok((await lines()).some((line) => line.endsWith('send-message",status="200"} 3')));
});

void t.test('commits, their groups and failures of the store are counted', async (t) => {
  const { metrics, lines } = await served({});
  t.teardown(() => metrics.close());
  metrics.committed(3, 0.003);
  metrics.committed(40, 0.02);
  metrics.failed('commit', 'StoreUnavailableError');
  const told = await lines();
  for (const line of [
    'parley_commits_total 43',
    'parley_commit_group_entries_bucket{le="2"} 0',
    'parley_commit_group_entries_bucket{le="4"} 1',
    'parley_commit_group_entries_count 2',
    'parley_commit_duration_seconds_bucket{le="0.004"} 1',
    'parley_commit_duration_seconds_bucket{le="0.03"} 2',
    'parley_store_errors_total{operation="commit",kind="StoreUnavailableError"} 1',
  ]) {
    t.ok(told.includes(line), line);
  }
});

void t.test('a store that is away, or another leader, leaves out what is not known', async (t) => {
  let firstSeq: () => Promise<number | null> = async () => 101;
  let leader: NodeFigures | null = FIGURES;
  const { metrics, lines } = await served({ firstSeq: () => firstSeq(), node: () => leader });
  t.teardown(() => metrics.close());
  const known = async (name: string) => (await lines()).some((line) => line.startsWith(name));
  t.equal(await known('parley_journal_length'), true);
  firstSeq = () => Promise.reject(new Error('away'));
  t.equal(await known('parley_journal_length'), false);
  firstSeq = () => new Promise(() => undefined);
  t.equal(await known('parley_journal_length'), false, 'it does not wait for ever');
  t.equal(await known('parley_queues'), true);
  firstSeq = async () => 101;
  leader = null;
  const told = await lines();
  t.notOk(told.some((line) => /^parley_(queue|journal|actors|commits_pending)/.test(line)));
});

void t.test('health checks may speak HTTP/1.0, and leave out the Host', async (t) => {
  let health: Health = 'ready';
  const metrics = new Metrics({
    health: () => health,
    node: () => FIGURES,
    firstSeq: async () => 101,
    replies: () => [],
    waiting: () => 0,
  });
  const url = await metrics.listen({ host: '127.0.0.1', port: 0 }, limit);
  t.teardown(() => metrics.close());
  const check = async (head: string) => {
    const connection = await RawConnection.open(Number(new URL(url).port));
    connection.write(`${head}\r\n\r\n`);
    const { status, body } = (await connection.response())!;
    connection.destroy();
    return [status, JSON.parse(body) as unknown];
  };
  for (const head of ['GET /health HTTP/1.0', 'GET /health HTTP/1.1\r\nHost: x']) {
    health = 'ready';
    t.same(await check(head), [200, { result: 'success', msg: '', status: 'ready' }]);
    health = 'draining';
    t.match(await check(head), [503, { code: 'SERVICE_UNAVAILABLE', status: 'draining' }]);
  }
});
