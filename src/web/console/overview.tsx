import { useState } from 'preact/hooks';
import type { Client, ConsoleNode } from '../../client/index.js';
import { Chart, type ChartProps } from './chart.js';
import { History } from './operating/history.js';
import type { Look, Series } from './series.js';
import { Table } from './table.js';
import { durationOf, say, sizeOf, written } from './text.js';

interface Props {
  readonly client: Client;
  readonly look: Look;
  readonly series: ReadonlyMap<string, Series>;
}

/** Charts of a node, in their order. */
const CHARTS: readonly Omit<ChartProps, 'points'>[] = [
  {
    title: say('chart.events'),
    unit: say('unit.events'),
    lines: [
      { name: 'delivered', label: say('line.all') },
      { name: 'socket', label: say('line.socket') },
      { name: 'poll', label: say('line.poll') },
      { name: 'stream', label: say('line.stream') },
    ],
  },
  {
    title: say('chart.entries'),
    unit: say('unit.entries-rate'),
    lines: [{ name: 'entries', label: '' }],
  },
  {
    title: say('chart.commit'),
    unit: say('unit.milliseconds'),
    lines: [
      { name: 'commitP99', label: 'p99' },
      { name: 'commitP50', label: 'p50' },
    ],
  },
  {
    title: say('chart.send'),
    unit: say('unit.milliseconds'),
    lines: [
      { name: 'sendP99', label: 'p99' },
      { name: 'sendP50', label: 'p50' },
    ],
  },
  {
    title: say('chart.loop'),
    unit: say('unit.milliseconds'),
    lines: [{ name: 'delay', label: 'p99' }],
  },
  {
    title: say('chart.requests'),
    unit: say('unit.requests'),
    lines: [{ name: 'requests', label: '' }],
  },
  {
    title: say('chart.memory'),
    unit: say('unit.megabytes'),
    lines: [{ name: 'memory', label: say('line.resident') }],
  },
  { title: say('chart.queues'), unit: say('unit.queues'), lines: [{ name: 'queues', label: '' }] },
  {
    title: say('chart.search'),
    unit: say('unit.entries'),
    lines: [{ name: 'searchLag', label: '' }],
  },
];

/** A further one of a follower. */
const FOLLOWED: Omit<ChartProps, 'points'> = {
  title: say('chart.behind'),
  unit: say('unit.milliseconds'),
  lines: [{ name: 'lag', label: '' }],
};

/** The nodes, and charts of one of them. */
export function Overview({ client, look, series }: Props) {
  const { nodes } = look;
  const [chosen, choose] = useState('');
  const node = nodes.find(({ node_id }) => node_id === chosen) ?? nodes[0]!;
  const { points } = series.get(node.node_id) ?? { points: [] };
  const charts = node.node_role === 'follower' ? [...CHARTS, FOLLOWED] : CHARTS;
  return (
    <>
      <h2 class="hidden">{say('overview.title')}</h2>
      <dl class="facts">
        {factsOf(look).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Nodes {...{ nodes, series }} />
      {nodes.length > 1 && (
        <p>
          <label for="node">{say('overview.charts-of')}</label>{' '}
          <select id="node" onChange={(event) => choose(event.currentTarget.value)}>
            {nodes.map(({ node_id: id, node_role: role }) => (
              <option key={id} value={id} selected={id === node.node_id}>
                {id} ({role})
              </option>
            ))}
          </select>
        </p>
      )}
      <div class="charts">
        {charts.map((chart) => (
          <Chart key={chart.title} {...chart} points={points} />
        ))}
      </div>
      <History client={client} />
    </>
  );
}

function factsOf({ nodes, journal_first: first }: Look): [string, string][] {
  const leader = nodes[0]!;
  const { journal_head: head } = leader;
  const total = (name: string): number =>
    nodes.reduce((sum, { queue_counts: counts }) => sum + (counts[name] ?? 0), 0);
  // Each node that follows knows every queue, and serves some.
  const without = (leader.queue_counts['idle'] ?? 0) + (leader.queue_counts['unattached'] ?? 0);
  const elsewhere = total('streaming') + total('polling');
  const own = (leader.queue_counts['streaming'] ?? 0) + (leader.queue_counts['polling'] ?? 0);
  return [
    [say('overview.nodes'), String(nodes.length)],
    [say('overview.up'), durationOf(leader.uptime_seconds)],
    [say('overview.head'), written(head)],
    [say('overview.kept'), written(first === null ? null : head - first + 1)],
    [say('overview.uncommitted'), String(leader.pending_entries)],
    [say('overview.sockets'), written(total('streaming'))],
    [say('overview.polls'), written(total('polling'))],
    [say('overview.without-client'), written(Math.max(0, without - (elsewhere - own)))],
    [say('overview.unacknowledged'), written(total('events'))],
  ];
}

function healthOf({ health, store_replicas: replicas }: ConsoleNode): string {
  const word = health.replace('_', ' ');
  return replicas ? `${word} (${replicas.have} of ${replicas.wanted} replicas)` : word;
}

function Nodes({
  nodes,
  series,
}: {
  nodes: readonly ConsoleNode[];
  series: ReadonlyMap<string, Series>;
}) {
  const latest = (node: ConsoleNode, name: Parameters<Series['latest']>[0]): string =>
    written(series.get(node.node_id)?.latest(name) ?? null);
  return (
    <Table
      label={say('overview.nodes')}
      rows={nodes}
      keyOf={({ node_id }) => node_id}
      empty=""
      columns={[
        { title: say('column.node'), of: ({ node_id: id }) => id },
        { title: say('column.role'), of: ({ node_role: role }) => role },
        { title: say('overview.health'), of: healthOf },
        { title: say('overview.behind'), isNumber: true, of: ({ lag_ms: lag }) => lag },
        { title: say('overview.up'), of: ({ uptime_seconds: seconds }) => durationOf(seconds) },
        {
          title: say('chart.memory'),
          of: ({ resident_bytes: bytes }) => (bytes === null ? '' : sizeOf(bytes)),
        },
        { title: say('overview.late'), isNumber: true, of: (node) => latest(node, 'delay') },
        { title: say('overview.requests'), isNumber: true, of: (node) => latest(node, 'requests') },
        { title: say('overview.events'), isNumber: true, of: (node) => latest(node, 'delivered') },
        { title: say('overview.search'), isNumber: true, of: ({ search_lag: lag }) => lag },
        { title: say('column.position'), isNumber: true, of: ({ journal_head: head }) => head },
      ]}
    />
  );
}
