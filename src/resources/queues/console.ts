import { wallTime } from '../../platform/time.js';
import { clearTimeout, pause, setTimeout } from '../../platform/timers.js';
import { shownCharts } from '../../../actors/kinds.js';
import {
  dropQueue,
  getConsole,
  type ActorStepRow,
  type ConsoleNodeRow,
  type ConsoleParams,
  type ConsolePartFields,
  type ConsoleReply,
  type PartParams,
  type StateChartRow,
} from '../../../schemas/queues/console.js';
import type { FiguresHistoryFields, LogRowFields } from '../../../schemas/queues/console-log.js';
import type { OperationFields } from '../../../schemas/queues/console-operation.js';
import type { TroublesFields } from '../../../schemas/queues/console-troubles.js';
import { badEventQueueId } from '../../errors/index.js';
import type { Queues } from '../../journal/queues/queues.js';
import { loginMethods } from '../../organization/accounts/login-methods.js';
import { twoFactorOf } from '../../organization/accounts/two-factor.js';
import { recordAction } from '../../organization/state/audit.js';
import type { Organization } from '../../organization/state/organization.js';
import { endQueues } from '../../organization/state/queue-documents.js';
import type { Runtime } from '../../organization/state/runtime.js';
import type { DeletionProgress } from '../../organization/messages/deletion/topic-deletions.js';
import { LoopDelay } from '../../turns/loop-delay.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { ConsoleNodes } from './console-nodes.js';
import { JournalTail } from './journal-tail.js';
import type { OtherNodesNow } from './other-nodes.js';
import { QueueTable } from './queue-table.js';
import { inBackground, untold } from '../../turns/background.js';

/** A console that has not asked for so long is closed: what is measured for it ends. Milliseconds. */
const FORGET_MS = 30_000;
/** Nodes that follow hear once a second what is asked. Milliseconds. */
const HEARD_MS = 3000;
const LOOK_AGAIN_MS = 50;
/** Steps of an opened queue's actor that are kept: it makes one or two a minute. */
const STEPS = 50;
/** Times until scheduled messages are due by which they are counted, seconds: a minute to a week. */
const DUE_SECONDS = [60, 600, 3600, 86_400, 604_800] as const;

type BackupPlan = NonNullable<OperationFields['backups']>;
/** What changes of the backups while the server runs. */
type BackupsNow = Pick<BackupPlan, 'backups_there' | 'is_making' | 'last_failure'>;
/** How the node is operated, but for that. */
export type OperationPlan = Omit<OperationFields, 'backups'> & {
  readonly backups: Omit<BackupPlan, keyof BackupsNow | 'newest_at'> | null;
};
type LogQuery = Pick<PartParams, 'log_level' | 'log_filter'>;

/** What the console asks of the node, beside its queues. */
export interface ConsoleSources {
  readonly nodeId: string;
  /** Figures of this node, but for the event loop. */
  readonly figures: () => Omit<ConsoleNodeRow, 'loop_delay_p50_ms' | 'loop_delay_p99_ms'>;
  readonly troubles: () => TroublesFields;
  readonly deletions: () => readonly DeletionProgress[];
  readonly firstSeq: () => Promise<number | null>;
  readonly operation: () => OperationPlan;
  /** What stands in the folder of backups; null where none is named. */
  readonly backups: () => Promise<BackupsNow | null>;
  /** Lines of this process's log. */
  readonly log: (query: LogQuery) => LogRowFields[];
  /** Figures of the last hours. */
  readonly history: () => FiguresHistoryFields;
  readonly runtime: () => Runtime;
  /** By the clock of the queues, milliseconds. */
  readonly now: () => number;
}

/**
 * Console looks into the node for `GET /realm/console`. Measures and keeps something only while somebody asks. Of the
 * others it has what they sent last: the leader's answers to their reports say what is asked (`wanted`), and they send
 * a part ({@link Console.part}) after each.
 */
export class Console {
  private readonly delay = new LoopDelay();
  private readonly tail = new JournalTail(wallTime);
  private readonly nodes: ConsoleNodes;
  private readonly table: QueueTable;
  private timer: NodeJS.Timeout | undefined;
  private first: number | null = null;
  private backups: BackupsNow | null = null;
  private asking = false;
  /** What was asked last, of every node. */
  private asked: PartParams | null = null;
  private steps: ActorStepRow[] = [];

  constructor(
    private readonly queues: Queues,
    private readonly sources: ConsoleSources,
  ) {
    this.table = new QueueTable(queues, sources.now);
    this.nodes = new ConsoleNodes(sources.now);
  }

  /** What an administrator is shown by the leader. */
  look(params: ConsoleParams): ConsoleReply {
    const { sources } = this;
    const own = this.part(params);
    inBackground(() => this.readFirst(), untold);
    const runtime = sources.runtime();
    runtime.watchers.add(this.tail.add);
    const { org, journal } = runtime;
    const after = params.events_after ?? journal.durableHead.seq;
    const { open_entry: opened } = params;
    const entry = opened === undefined ? undefined : this.tail.entry(opened);
    return {
      ...this.nodes.merged(own, params),
      journal_first: this.first,
      journal_events: this.tail.after(after),
      ...(entry ? { entry } : {}),
      ...(params.with_actors ? { due: dueOf(org), deletions: this.deletions(org) } : {}),
      ...(params.with_charts ? { charts: charts() } : {}),
      ...(params.with_operation ? { operation: this.operation() } : {}),
      ...(params.with_history ? { history: sources.history() } : {}),
      ...(params.with_logins ? { logins: loginsOf(org) } : {}),
    };
  }

  /** Reads what the disk alone has, for the next look. */
  async prepare({ with_operation }: Pick<ConsoleParams, 'with_operation'>): Promise<void> {
    if (with_operation) this.backups = await this.sources.backups();
  }

  /**
   * Asks the nodes that follow for their parts, with their logs, and waits until all have told, or for so long as one that
   * is there takes.
   */
  async hear(params: PartParams): Promise<void> {
    const { now } = this.sources;
    const since = now();
    this.watch(params);
    const isHeard = (): boolean => this.nodes.toldSince(since) >= this.queues.followers;
    while (!isHeard() && now() < since + HEARD_MS) await pause(LOOK_AGAIN_MS);
  }

  /** What this node tells of itself. */
  part(params: PartParams): ConsolePartFields {
    this.watch(params);
    const { nodeId, figures, troubles } = this.sources;
    const { p50, p99 } = this.delay.look();
    const queue =
      params.open_queue === undefined
        ? undefined
        : this.table.opened(params.open_queue, nodeId, this.steps);
    const listed = params.with_queues ? this.table.rows(params, nodeId) : null;
    return {
      figures: { ...figures(), loop_delay_p50_ms: p50, loop_delay_p99_ms: p99 },
      ...(listed ? { queues: listed.rows, queues_found: listed.found } : {}),
      ...(queue ? { queue } : {}),
      ...(params.with_troubles ? { troubles: troubles() } : {}),
      ...(params.with_log ? { log: this.sources.log(params) } : {}),
    };
  }

  /** What is asked of the nodes that follow; null while nobody looks. */
  get wanted(): PartParams | null {
    return this.asked;
  }

  /** Takes what a node that follows tells of itself. */
  told(node: string, part: ConsolePartFields): void {
    if (this.asked) this.nodes.told(node, part);
  }

  /** Ends what is measured. */
  stop(): void {
    clearTimeout(this.timer);
    this.delay.stop();
    this.tail.clear();
    this.nodes.clear();
    this.asked = null;
    this.sources.runtime().watchers.delete(this.tail.add);
    this.queues.actors.host.watcher = null;
  }

  private watch(params: PartParams): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.stop(), FORGET_MS).unref();
    const { open_queue: opened } = params;
    if (opened !== this.asked?.open_queue) {
      this.steps = [];
      this.queues.actors.host.watcher =
        opened === undefined ? null : (id, event, state) => this.step(opened, id, event, state);
    }
    this.asked = params;
    this.delay.start();
  }

  private step(opened: string, id: string, event: string, state: string): void {
    if (id !== opened) return;
    this.steps.push({ at: wallTime(), event, state });
    if (this.steps.length > STEPS) this.steps.shift();
  }

  /** How the server is operated; the backups are those that were read last. */
  private operation(): OperationFields {
    const { backups: plan, ...fields } = this.sources.operation();
    const now = this.backups ?? { backups_there: [], is_making: false, last_failure: null };
    const newest_at = now.backups_there[0]?.made_at ?? null;
    return { ...fields, backups: plan && { ...plan, ...now, newest_at } };
  }

  /** Reads the journal's oldest position, for the next look. */
  private async readFirst(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      this.first = await this.sources.firstSeq();
    } catch {
      this.first = null;
    }
    this.asking = false;
  }

  private deletions(org: Organization) {
    return this.sources.deletions().map(({ recipientId, deleted, remaining, ...one }) => ({
      ...{ stream_id: org.channels.byRecipient(recipientId)?.stream_id ?? null },
      ...{ deleted, remaining, running_ms: Math.round(one.runningMs), limit_ms: one.limitMs },
    }));
  }
}

/** Scheduled messages and reminders by when they are due. */
function dueOf({ scheduledMessages, reminders, now }: Organization) {
  const times = DUE_SECONDS.map((seconds) => now() + seconds * 1000);
  const [messages, others] = [scheduledMessages, reminders].map(({ index }) =>
    index.countUntil(times),
  );
  return [...DUE_SECONDS, null].map((within_seconds, place) => ({
    ...{ within_seconds, messages: messages![place]! + others![place]! },
  }));
}

/** By what people log in. */
function loginsOf(org: Organization) {
  let [people, withPassword, withTwoFactor] = [0, 0, 0];
  // In one pass: there may be a hundred thousand, and an open console asks every two seconds.
  for (const id of org.users.active) {
    const { is_bot, password_hash } = org.users.get(id)!;
    if (is_bot) continue;
    people += 1;
    if (password_hash !== null) withPassword += 1;
    if (twoFactorOf(org, id)) withTwoFactor += 1;
  }
  return {
    login_methods: Object.entries(loginMethods(org)).map(([name, { enabled, available }]) => ({
      ...{ login_method: name, is_enabled: enabled, is_available: available },
    })),
    login_services: (org.site.loginServices ?? []).map(({ display_name }) => display_name),
    active_people: people,
    people_with_password: withPassword,
    people_with_two_factor: withTwoFactor,
  };
}

/** Charts of the machines that run here, read from the machines; their effects are not called. */
function charts(): StateChartRow[] {
  return shownCharts().map((chart) => ({ ...chart, states: [...chart.states] }));
}

/** `GET /realm/console`, `DELETE /realm/console/queues/{queue_id}`. */
export function consoleHandlers(
  console: Console,
  queues: Queues,
  others: OtherNodesNow,
): AnyHandler[] {
  return [
    handlePrepared(
      getConsole,
      async (_org, { params }) => {
        const asked = others();
        if (asked) return asked.console(params);
        await console.prepare(params);
        return null;
      },
      (_tx, { params }, told) => told ?? console.look(params),
    ),
    handle(dropQueue, (tx, { params: { queue_id } }) => {
      const queue = queues.get(queue_id);
      if (!queue) throw badEventQueueId(queue_id);
      const { userId } = queue;
      const name = tx.org.users.get(userId)?.full_name ?? '';
      const fields = [{ name: 'queue_id', old: JSON.stringify(queue_id), new: null }];
      recordAction(tx, { kind: 'queue', id: userId, name, action: 'removed', fields });
      endQueues(tx, queues, [queue], 'delete');
      return {};
    }),
  ];
}
