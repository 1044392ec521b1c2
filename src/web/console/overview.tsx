import { useState } from 'preact/hooks';
import type { Client, ConsoleNode } from '../../client/index.js';
import { Chart, type ChartProps } from './chart.js';
import { History } from './operating/history.js';
import type { Look, Series } from './series.js';
import { Table } from './table.js';
import { durationOf, sizeOf, written } from './text.js';

interface Props {
  readonly client: Client;
  readonly look: Look;
  readonly series: ReadonlyMap<string, Series>;
}

/** Charts of a node, in their order. */
const CHARTS: readonly Omit<ChartProps, 'points'>[] = [
  {
    title: 'Events for queues',
    unit: 'events/s',
    lines: [
      { name: 'delivered', label: 'all' },
      { name: 'socket', label: 'by socket' },
      { name: 'poll', label: 'by poll' },
      { name: 'stream', label: 'by SSE' },
    ],
  },
  { title: 'Journal entries', unit: 'entries/s', lines: [{ name: 'entries', label: '' }] },
  {
    title: 'A commit takes the store',
    unit: 'ms',
    lines: [
      { name: 'commitP99', label: 'p99' },
      { name: 'commitP50', label: 'p50' },
    ],
  },
  {
    title: 'Sending a message takes',
    unit: 'ms',
    lines: [
      { name: 'sendP99', label: 'p99' },
      { name: 'sendP50', label: 'p50' },
    ],
  },
  { title: 'Event loop late by', unit: 'ms', lines: [{ name: 'delay', label: 'p99' }] },
  { title: 'Requests', unit: 'requests/s', lines: [{ name: 'requests', label: '' }] },
  { title: 'Memory', unit: 'MB', lines: [{ name: 'memory', label: 'resident' }] },
  { title: 'Queues', unit: 'queues', lines: [{ name: 'queues', label: '' }] },
  { title: 'Search index behind by', unit: 'entries', lines: [{ name: 'searchLag', label: '' }] },
];

/** A further one of a follower. */
const FOLLOWED: Omit<ChartProps, 'points'> = {
  title: 'Behind the leader',
  unit: 'ms',
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
      <h2 class="hidden">Overview</h2>
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
          <label for="node">Charts of node</label>{' '}
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
    ['Nodes', String(nodes.length)],
    ['Up', durationOf(leader.uptime_seconds)],
    ['Journal head', head.toLocaleString()],
    ['Entries kept', first === null ? '–' : (head - first + 1).toLocaleString()],
    ['Uncommitted', String(leader.pending_entries)],
    ['Sockets and streams', total('streaming').toLocaleString()],
    ['Polls', total('polling').toLocaleString()],
    ['Without a client', Math.max(0, without - (elsewhere - own)).toLocaleString()],
    ['Unacknowledged', total('events').toLocaleString()],
  ];
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
      label="Nodes"
      rows={nodes}
      keyOf={({ node_id }) => node_id}
      empty=""
      columns={[
        { title: 'Node', of: ({ node_id: id }) => id },
        { title: 'Role', of: ({ node_role: role }) => role },
        { title: 'Health', of: ({ health }) => health.replace('_', ' ') },
        { title: 'Behind, ms', isNumber: true, of: ({ lag_ms: lag }) => lag },
        { title: 'Up', of: ({ uptime_seconds: seconds }) => durationOf(seconds) },
        { title: 'Memory', of: ({ resident_bytes: bytes }) => sizeOf(bytes) },
        { title: 'Loop late, ms', isNumber: true, of: (node) => latest(node, 'delay') },
        { title: 'Requests/s', isNumber: true, of: (node) => latest(node, 'requests') },
        { title: 'Events/s', isNumber: true, of: (node) => latest(node, 'delivered') },
        { title: 'Search behind', isNumber: true, of: ({ search_lag: lag }) => lag },
        { title: 'Position', isNumber: true, of: ({ journal_head: head }) => head },
      ]}
    />
  );
}
