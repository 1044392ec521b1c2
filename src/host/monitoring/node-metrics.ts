import { Counter, Gauge, type Registry } from 'prom-client';
import { setTimeout, clearTimeout } from '../../platform/timers.js';
import { BEHIND_SECONDS, type QueueCensus } from '../../journal/queues/queue-census.js';
import type { ReplicaCount } from '../../store/port.js';

/** Time limit of a scrape for the store; figures that come later are left out. Milliseconds. */
const STORE_PATIENCE_MS = 1000;

/** Figures of a node with an organization in memory. */
export interface NodeFigures {
  readonly leads: boolean;
  /** How long ago the node last had everything that was durable; 0 on the leader. Milliseconds. */
  readonly stalenessMs: number;
  readonly queues: QueueCensus;
  /** Position of the newest durable journal entry. */
  readonly head: number;
  /** Uncommitted journal entries. */
  readonly pending: number;
  /** Replicas of the store that have the newest change, of those that must; null where none must, and on a node that has a leader. */
  readonly replicas: ReplicaCount | null;
  /** Events that queues were given; an event counts for each. */
  readonly delivered: number;
  /** Mails that wait for their mail server; null where this node sends none. */
  readonly mails: MailFigures | null;
  /** Journal entries that the search index may lack, and messages that it was brought. */
  readonly search: { readonly lag: number; readonly indexed: number };
  /** The organization's actors by machine and state, also those of which nothing is in memory; of the leader alone. */
  readonly actors: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Mails that wait. */
export interface MailFigures {
  readonly waiting: number;
  /** How long the oldest one waits. Milliseconds. */
  readonly oldestMs: number;
}

/**
 * Registers metrics of the organization that the node has in memory.
 * @param figures null while it has none
 * @param firstSeq position of the oldest journal entry kept; null where there is none
 */
export function registerNodeMetrics(
  registers: Registry[],
  figures: () => NodeFigures | null,
  firstSeq: () => Promise<number | null>,
): void {
  const gaugeOf =
    <T>(part: (figures: NodeFigures | null) => T | null | undefined) =>
    (name: string, help: string, value: (known: T) => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          const known = part(figures());
          if (known) this.set(value(known));
          else this.remove();
        },
      });
    };
  const gauge = gaugeOf((known) => known);
  gauge('parley_leads', '1 on the node that writes', ({ leads }) => Number(leads));
  gauge(
    'parley_follower_staleness_seconds',
    'Time since the node last had all durable entries; 0 on the leader',
    ({ stalenessMs }) => stalenessMs / 1000,
  );
  gauge('parley_commits_pending', 'Entries on their way to the store', ({ pending }) => pending);
  gauge('parley_journal_head_seq', 'Position of the newest entry', ({ head }) => head);
  gauge(
    'parley_search_lag_entries',
    'Entries that are not in the search index yet',
    ({ search }) => search.lag,
  );
  gauge(
    'parley_search_indexed_messages',
    'Messages that this process added to the search index',
    ({ search }) => search.indexed,
  );
  gauge('parley_queue_events', 'Events not acknowledged, in all queues', (f) => f.queues.events);
  gauge('parley_queue_bytes', 'Their length in UTF-16 units', (f) => f.queues.bytes);
  gauge(
    'parley_queue_backlog_age_seconds',
    'Longest time that a client has not fetched events that wait for it',
    ({ queues }) => queues.longestBehindMs / 1000,
  );
  new Gauge({
    name: 'parley_queues_behind',
    help: 'Queues with events that their client has not fetched for longer than this many seconds',
    labelNames: ['older_than'],
    registers,
    collect() {
      this.reset();
      const behind = figures()?.queues.behind;
      if (!behind) return;
      for (const seconds of BEHIND_SECONDS) {
        this.set({ older_than: String(seconds) }, behind[seconds]);
      }
    },
  });
  new Counter({
    name: 'parley_events_delivered_total',
    help: 'Events delivered to queues of this node, counted once per queue',
    registers,
    collect() {
      this.reset();
      this.inc(figures()?.delivered ?? 0);
    },
  });
  const ofReplicas = gaugeOf(
    (known) => known?.replicas && { ...known.replicas, pending: known.pending },
  );
  ofReplicas(
    'parley_store_replicas',
    'Replicas of the store that have the newest change, when they were last asked',
    ({ have }) => have,
  );
  ofReplicas(
    'parley_store_replicas_wanted',
    'Replicas that must have a change before it counts',
    ({ wanted }) => wanted,
  );
  ofReplicas(
    'parley_commits_undecided',
    'Entries that the store has, and too few of its replicas',
    ({ have, wanted, pending }) => (have < wanted ? pending : 0),
  );
  const ofMails = gaugeOf((known) => known?.mails);
  ofMails('parley_mails_waiting', 'Mails no mail server has accepted', ({ waiting }) => waiting);
  ofMails(
    'parley_mail_oldest_age_seconds',
    'How long the oldest mail waits for its mail server',
    ({ oldestMs }) => oldestMs / 1000,
  );
  new Gauge({
    name: 'parley_journal_length',
    help: 'Positions between the oldest and newest entry',
    registers,
    async collect() {
      const first = await inTime(firstSeq());
      const head = figures()?.head;
      if (first !== null && head !== undefined) this.set(head - first + 1);
      else this.remove();
    },
  });
  new Gauge({
    name: 'parley_queues',
    help: 'Event queues by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      const queues = figures()?.queues;
      if (!queues) return;
      for (const state of ['idle', 'polling', 'streaming', 'unattached'] as const) {
        this.set({ state }, queues[state]);
      }
    },
  });
  new Gauge({
    name: 'parley_actors',
    help: 'Actors by machine and state, counted by the node that leads',
    labelNames: ['machine', 'state'],
    registers,
    collect() {
      this.reset();
      for (const [machine, states] of Object.entries(figures()?.actors ?? {})) {
        for (const [state, count] of Object.entries(states)) this.set({ machine, state }, count);
      }
    },
  });
}

/** The result, or null for one that failed or takes too long. */
async function inTime<T>(result: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), STORE_PATIENCE_MS);
  });
  try {
    return await Promise.race([result, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
