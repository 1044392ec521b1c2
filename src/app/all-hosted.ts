import type { Hosted } from '../host/hosted.js';
import type { MailSink } from '../services/incoming-mail/mail-protocol.js';
import type { NodeFigures } from '../host/monitoring/node-metrics.js';

/** What organizations had counted that are not in memory any more. */
interface Gone {
  readonly delivered: number;
  readonly indexed: number;
}
const NONE: Gone = { delivered: 0, indexed: 0 };

/**
 * What a process hosts, as one: the state is that of the main organization, the figures are sums.
 * @param gone of those that were hosted before
 * @param mails takes the mails of all; null: those that come are the main organization's
 */
export function allHosted(
  main: Hosted,
  others: readonly Hosted[],
  gone = NONE,
  mails: MailSink | null = null,
): Hosted {
  if (mails === null && others.length === 0 && gone.delivered + gone.indexed === 0) return main;
  const all = [main, ...others];
  return {
    state: () => main.state(),
    nodeHealth: () => main.nodeHealth(),
    figures: () => {
      const [first, ...more] = all.flatMap((one) => one.figures() ?? []);
      return first ? withGone(more.reduce(sum, first), gone) : null;
    },
    firstSeq: () => main.firstSeq(),
    fetches: () => all.flatMap((one) => [...one.fetches()]),
    mailSink: () => mails ?? main.mailSink(),
  };
}

function withGone(figures: NodeFigures, gone: Gone): NodeFigures {
  const { search, delivered } = figures;
  return {
    ...figures,
    delivered: delivered + gone.delivered,
    search: { ...search, indexed: search.indexed + gone.indexed },
  };
}

/** Positions of journals are those of the first: a sum of them would say nothing. */
function sum(one: NodeFigures, other: NodeFigures): NodeFigures {
  const { queues: a } = one;
  const { queues: b } = other;
  return {
    leads: one.leads && other.leads,
    stalenessMs: Math.max(one.stalenessMs, other.stalenessMs),
    queues: {
      ...added(a, b, ['idle', 'polling', 'streaming', 'unattached', 'events', 'bytes']),
      behind: added(a.behind, b.behind, [10, 60, 600]),
      longestBehindMs: Math.max(a.longestBehindMs, b.longestBehindMs),
    },
    head: one.head,
    pending: one.pending + other.pending,
    replicas: one.replicas,
    delivered: one.delivered + other.delivered,
    mails: one.mails &&
      other.mails && {
        waiting: one.mails.waiting + other.mails.waiting,
        oldestMs: Math.max(one.mails.oldestMs, other.mails.oldestMs),
      },
    search: added(one.search, other.search, ['lag', 'indexed']),
    actors: actorsOf(one.actors, other.actors),
  };
}

function added<K extends string | number>(
  one: Readonly<Record<K, number>>,
  other: Readonly<Record<K, number>>,
  names: readonly K[],
): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as Record<
    K,
    number
  >;
}

function actorsOf(one: NodeFigures['actors'], other: NodeFigures['actors']): NodeFigures['actors'] {
  const machines = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const states = (machine: string): [string, Record<string, number>] => {
    const [a, b] = [one[machine] ?? {}, other[machine] ?? {}];
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return [
      machine,
      Object.fromEntries(names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)])),
    ];
  };
  return Object.fromEntries(machines.map(states));
}
