import { heapBytes, residentBytes } from '../../platform/figures.js';
import { uptime } from '../../platform/time.js';
import { sendMessage } from '../../../schemas/messages/messages.js';
import type { ConsoleNodeRow, LatencyCounts } from '../../../schemas/queues/console.js';
import { LATENCY_BOUNDS, type ReplyCounts } from '../../http/reply/reply-counts.js';
import type { Queues } from '../../journal/queues/queues.js';
import type { TroublesFields } from '../../../schemas/queues/console-troubles.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Runtime } from '../../organization/state/runtime.js';
import { COMMIT_BOUNDS } from '../../store/metered.js';
import { tooFewReplicas } from '../../store/too-few-replicas.js';
import type { MailFigures, NodeFigures } from '../../host/monitoring/node-metrics.js';
import type { NodeParts } from '../node-parts.js';
import { shortId } from '../../host/node-id.js';

/** Figures of a node but for the event loop, which is measured only while somebody looks. */
export type NodeLook = Omit<ConsoleNodeRow, 'loop_delay_p50_ms' | 'loop_delay_p99_ms'>;

/** The organization that the node has in memory. */
interface Served {
  readonly queues: Queues;
  readonly runtime: Runtime;
  figures(): Pick<NodeFigures, 'queues' | 'actors' | 'search' | 'delivered'>;
}

/**
 * What a node does, for the console and for `parley top`: counters since the process began, of which each of them
 * subtracts what it saw before. Visits every queue once.
 */
export function lookAt(
  served: Served,
  parts: Pick<NodeParts, 'nodeId' | 'site' | 'recentCommits' | 'store'>,
  role: { readonly leads: boolean; readonly stalenessMs: number },
): NodeLook {
  const { site, recentCommits, store } = parts;
  const { search, queues: census, actors, delivered } = served.figures();
  const { idle, polling, streaming, unattached, events, bytes } = census;
  const { runtime } = served;
  const { journal } = runtime;
  const { replicas } = store;
  const isReadOnly = role.leads && (runtime.writer.isReadOnly || tooFewReplicas(store) !== null);
  return {
    node_id: shortId(parts.nodeId),
    node_role: role.leads ? 'leader' : 'follower',
    health: isReadOnly ? 'read_only' : 'ready',
    ...(role.leads && replicas ? { store_replicas: replicas } : {}),
    lag_ms: Math.max(0, Math.round(role.stalenessMs)),
    uptime_seconds: Math.round(uptime()),
    resident_bytes: residentBytes(),
    heap_bytes: heapBytes(),
    journal_head: journal.durableHead.seq,
    pending_entries: journal.pending,
    search_lag: search.lag,
    requests: requestsOf(site.replies),
    delivered_events: delivered,
    delivered_by: { ...served.queues.fanOut.deliveredBy },
    sends: sendsOf(site.replies),
    commits: latencies(COMMIT_BOUNDS, recentCommits.latencies()),
    queue_counts: { idle, polling, streaming, unattached, events, bytes },
    actors: Object.fromEntries(
      Object.entries(actors).map(([name, states]) => [name, { ...states }]),
    ),
  };
}

function requestsOf(replies: Iterable<ReplyCounts>): number {
  let total = 0;
  for (const counts of replies) for (const [, count] of counts.byStatus()) total += count;
  return total;
}

/** How long `POST /messages` took. */
function sendsOf(replies: Iterable<ReplyCounts>): LatencyCounts {
  for (const counts of replies) {
    if (counts.operation !== sendMessage.operation) continue;
    return latencies(LATENCY_BOUNDS, counts.latencies() ?? { within: [], count: 0 });
  }
  return latencies(LATENCY_BOUNDS, { within: [], count: 0 });
}

function latencies(
  bounds: readonly number[],
  { within, count }: { readonly within: readonly number[]; readonly count: number },
): LatencyCounts {
  return { bounds: [...bounds], within: [...within], count };
}

/** Mails that wait for a mail server. */
export function mailFigures({ mails, now }: Organization): MailFigures {
  let oldest = Infinity;
  for (const { created_at } of mails.values()) oldest = Math.min(oldest, created_at);
  return { waiting: mails.size, oldestMs: mails.size === 0 ? 0 : Math.max(0, now() - oldest) };
}

/** What went wrong on a node, and what waits to be sent, for the console. */
export function troublesOf(
  org: Organization,
  { troubles, nodeId }: Pick<NodeParts, 'troubles' | 'nodeId'>,
): TroublesFields {
  const { waiting, oldestMs } = mailFigures(org);
  return {
    ...troubles.lists(shortId(nodeId)),
    mails_waiting: waiting,
    oldest_mail_seconds: Math.round(oldestMs / 1000),
    pushes_waiting: org.outgoingPushes.size,
  };
}
