import { setImmediate } from '../../../platform/timers.js';
import type { Clock } from '../../../../actors/clock.js';
import type { DeadlineWheel, Deadlines } from '../../../../actors/deadline-wheel.js';
import { ActorHost } from '../../../../actors/host.js';
import {
  createTopicDeletionMachine,
  type TopicDeletionMachine,
} from '../../../../actors/topic-deletion.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import { deleteTopic } from '../../../../schemas/messages/message-deletion.js';
import type { TopicDeletionDocument } from '../../../../schemas/messages/topic-deletion-document.js';
import { storedTime } from '../../../../schemas/store/stored-time.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { ApiError, badRequest, mustBe, serviceUnavailable } from '../../../errors/index.js';
import { isStoreAway } from '../../../store/port.js';
import { checkAccess } from '../../access/endpoint-access.js';
import {
  deletionId,
  type TopicDeletionCollection,
} from '../../state/collections/topic-deletions.js';
import { intervalAtOrAfter, type Intervals } from '../../state/message-index/intervals.js';
import { wakeTogether } from '../../state/actor-collection.js';
import { recordTopicDeletion } from '../../state/audit.js';
import type { Organization } from '../../state/organization.js';
import type { Transaction } from '../../state/transaction.js';
import type { Runtime } from '../../state/runtime.js';
import { MessageAccess } from '../message-access.js';
import { removeMessages } from './remove-messages.js';
import { NEVER, NOW } from '../../state/scheduled/next-due.js';

/** Dependencies of the jobs. */
interface TopicDeletionsOptions {
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  readonly onError: (id: string, error: unknown) => void;
  /** Time limit of one request, milliseconds. */
  readonly limitMs: number;
}

/**
 * Messages per batch. With the channel's own event the ids of a batch fit into one journal position
 * (entry.ts), a million messages make 2,000 of the 10,000 events of a queue, and a batch costs a few
 * milliseconds.
 */
export const DELETION_BATCH = 500;
/** Personal flags that one batch removes at most, unless a single message has more. */
const MAX_FLAGS = 2000;

/** Pause before the next batch while the store is away, milliseconds. */
const RETRY_MS = 1000;

type Job = TopicDeletionDocument['context'];

/** A deletion that goes on. */
export interface DeletionProgress {
  readonly recipientId: number;
  readonly deleted: number;
  /** Messages of the topic that are left, those that came later too. */
  readonly remaining: number;
  readonly runningMs: number;
  /** Time limit of one request, milliseconds. */
  readonly limitMs: number;
}

/** A request that waits for its answer; it ends with the process. */
interface Waiting {
  readonly job: string;
  readonly resolve: (complete: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * TopicDeletions deletes topics (specification-endpoints.md#delete-topic), on the node that leads. Each batch is one
 * transaction, newest messages first, and the next one begins when it is durable, so that other requests are served in
 * between and progress is kept. A request deletes the messages that the topic had when it arrived; later
 * ones stay. Only messages that the actor may read are deleted, and the job ends when the actor loses the
 * right.
 *
 * A job is its stored snapshot. Beside it is what ends with the process: the requests that wait for their answers, and
 * whose batches are under way.
 */
export class TopicDeletions {
  private readonly host: ActorHost<TopicDeletionMachine>;
  private readonly times: Deadlines;
  private readonly waiting = new Map<number, Waiting>();
  private readonly underWay = new Set<string>();
  private requests = 0;

  constructor(
    private readonly runtime: Runtime,
    private readonly options: TopicDeletionsOptions,
  ) {
    const { clock, wheel, onError } = options;
    this.times = wheel.keySet();
    const kind = createTopicDeletionMachine({
      begin: (context) => this.go(deletionId(context)),
    });
    this.host = new ActorHost(kind, {
      ...{ clock, wheel, onError },
      wall: () => this.org.now(),
      snapshots: {
        get: (id) => this.jobs.get(id),
        put: (_id, next) => void this.jobs.insert(next as TopicDeletionDocument),
        end: (id) => void this.jobs.delete(id),
      },
      due: (ids) =>
        wakeTogether(ids, {
          ...{ host: this.host, clock },
          transact: (work) => runtime.transact(work),
          armAgain: (id) => this.host.arm(id, this.jobs.get(id)),
        }),
    });
  }

  /** Goes on with the stored jobs: this node leads. One that rests, but has nothing left to delete, ends. */
  restore(): void {
    this.jobs.onChange = (id, next) => this.host.arm(id, next);
    for (const [id, job] of [...this.jobs.byId()]) {
      this.host.restore(id, job);
      if (job.value === 'deleting') this.go(id);
      else this.tidy(id, job);
    }
  }

  /** Ends a job that rests and has nothing left to delete, and removes the document of one that has ended. */
  private tidy(id: string, job: TopicDeletionDocument): void {
    const { context } = job;
    if (this.host.hasEnded(job)) this.runtime.transact(() => this.jobs.delete(id));
    else if (newestMessages(this.org, context, context.newest, 1).length === 0) {
      this.runtime.transact(() => this.host.send(id, { type: 'emptied' }));
    }
  }

  /** How far the deletions are that go on. */
  progress(): DeletionProgress[] {
    const now = this.org.now();
    return [...this.jobs.values()].flatMap(({ value, context }) => {
      if (value !== 'deleting') return [];
      const { recipient_id: recipientId, topic, deleted, started_at } = context;
      return {
        ...{ recipientId, deleted, runningMs: Math.max(0, now - started_at) },
        remaining: this.org.messages.index.topic(recipientId, topic)?.list.length ?? 0,
        limitMs: this.options.limitMs,
      };
    });
  }

  /** Those that rest go on when their request is repeated. */
  nextDue(): number {
    return this.waiting.size + this.underWay.size + this.progress().length > 0 ? NOW : NEVER;
  }

  /** Jobs by state, those that rest too. */
  countByState(): Record<string, number> {
    return this.jobs.states.toRecord();
  }

  /**
   * Deletes the messages of a topic.
   * @returns whether all messages that were there are deleted; false at the time limit
   * @throws ApiError 503 when the store fails or the server stops
   */
  delete(channel: ChannelDocument, topic: string, actor: UserDocument): Promise<boolean> {
    if (this.host.isStopped) throw serviceUnavailable('The server is stopping');
    const { recipient_id } = channel;
    const entry = this.org.messages.index.topic(recipient_id, topic);
    if (!entry) {
      // What rested of the channel may have been renamed, moved or deleted since.
      for (const [id, job] of [...this.jobs.byId()]) {
        if (job.context.recipient_id === recipient_id && job.value === 'partial')
          this.tidy(id, job);
      }
      return Promise.resolve(true);
    }
    // Without shared history each user can read a different part.
    const reader_id = channel.history_public_to_subscribers ? null : actor.user_id;
    const which = { recipient_id, topic: entry.key, reader_id };
    const { limitMs, clock } = this.options;
    const now = this.org.now();
    const request = {
      actor_id: actor.user_id,
      newest: entry.list.last!,
      until: storedTime(now, limitMs),
    };
    const job = deletionId(which);
    this.runtime.transact(
      (tx) => {
        if (this.jobs.has(job)) return void this.host.send(job, { type: 'request', ...request });
        this.host.begin(job, { ...which, ...request, started_at: storedTime(now) });
        recordTopicDeletion(tx, channel);
      },
      { way: 'api', user: actor },
    );
    const id = ++this.requests;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { job, resolve, reject });
      this.times.arm(String(id), clock.now() + limitMs, (key) => this.answer(Number(key), false));
      // Taken back, the job is not there, and no batch says so.
      this.runtime.writer.whenDurable(
        () => this.go(job),
        (error) => this.storeFailed(job, error),
      );
    });
  }

  /** Answers all requests with the progress made, and deletes nothing more; the jobs go on at the next start. */
  stop(): void {
    this.host.stop();
    for (const id of [...this.waiting.keys()]) this.answer(id, false);
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private get jobs(): TopicDeletionCollection {
    return this.org.topicDeletions;
  }

  /** Begins the batches of a job, unless they are under way, after the work that the event loop has now. */
  private go(job: string): void {
    if (this.underWay.has(job)) return;
    this.underWay.add(job);
    this.soon(job);
  }

  private soon(job: string): void {
    setImmediate(() => this.deleteBatch(job));
  }

  private deleteBatch(job: string): void {
    if (this.host.isStopped) return;
    const snapshot = this.jobs.get(job);
    if (snapshot?.value !== 'deleting') return void this.underWay.delete(job);
    try {
      this.runtime.transact((tx) => {
        const { context } = snapshot;
        const deleted = deleteNewest(tx, context);
        const left = newestMessages(tx.org, context, context.newest, 1).length > 0;
        this.host.send(job, { type: 'batch', deleted, left, now: storedTime(tx.now) });
      });
    } catch (error) {
      if (isStoreAway(error)) this.storeFailed(job, error);
      else this.refused(job, error);
      return;
    }
    this.runtime.writer.whenDurable(
      () => this.batchEnded(job),
      (error) => this.storeFailed(job, error),
    );
  }

  /** What a job has become is durable: answers who waits, and goes on while it is deleting. */
  private batchEnded(job: string): void {
    const value = this.jobs.get(job)?.value;
    if (value === 'deleting') {
      if (!this.host.isStopped) this.soon(job);
      return;
    }
    this.underWay.delete(job);
    this.answerAll(job, ({ resolve }) => resolve(value === undefined));
  }

  /** Who waits is told; the job goes on when the store is back. */
  private storeFailed(job: string, error: unknown): void {
    this.underWay.delete(job);
    this.answerAll(job, ({ reject }) => reject(error));
    this.options.clock.setTimer(RETRY_MS, () => this.go(job));
  }

  /** The job ends: who asked may not delete the topic any more, or the program is at fault. */
  private refused(job: string, error: unknown): void {
    if (!(error instanceof ApiError)) this.options.onError(job, error);
    this.underWay.delete(job);
    try {
      this.runtime.transact(() => this.host.send(job, { type: 'refuse' }));
    } catch (second) {
      if (!isStoreAway(second)) this.options.onError(job, second);
    }
    this.answerAll(job, ({ reject }) => reject(error));
  }

  private answerAll(job: string, answer: (waiting: Waiting) => void): void {
    for (const [id, waiting] of [...this.waiting]) {
      if (waiting.job !== job) continue;
      this.forget(id);
      answer(waiting);
    }
  }

  private answer(id: number, complete: boolean): void {
    const waiting = this.waiting.get(id);
    this.forget(id);
    waiting?.resolve(complete);
  }

  private forget(id: number): void {
    this.waiting.delete(id);
    this.times.disarm(String(id));
  }
}

/** Deletes one batch. @returns how many messages were deleted */
function deleteNewest(tx: Transaction, job: Job): number {
  const { org } = tx;
  requireStillAllowed(org, job);
  const ids = newestMessages(org, job, job.newest, DELETION_BATCH).reverse();
  if (ids.length === 0) return 0;
  const { recipient_id: recipientId } = job;
  const topic = org.messages.index.topic(recipientId, job.topic)!.name;
  removeMessages(tx, { recipientId, ids, topic, actor: org.users.get(job.actor_id) ?? null });
  return ids.length;
}

/** @throws ApiError when the actor lost the right since the request was admitted */
function requireStillAllowed(org: Organization, job: Job): void {
  const actor = org.users.get(job.actor_id);
  if (!actor?.is_active) throw mustBe('administrator');
  checkAccess(deleteTopic, actor);
  if (visibleTo(org, job).length === 0) throw badRequest('Invalid channel ID');
}

function visibleTo(org: Organization, { actor_id, recipient_id }: Job): Intervals {
  const actor = org.users.get(actor_id);
  return actor ? new MessageAccess(org, actor).visible(recipient_id) : [];
}

/** The messages that the actor may read, newest first; fewer than `count` where many users flagged them. */
function newestMessages(org: Organization, job: Job, newest: number, count: number): number[] {
  const list = org.messages.index.topic(job.recipient_id, job.topic)?.list;
  const ids: number[] = [];
  if (!list) return ids;
  const visible = visibleTo(org, job);
  let flags = 0;
  for (let i = list.lowerBound(newest + 1) - 1; i >= 0 && ids.length < count; i--) {
    const id = list.at(i)!;
    const place = intervalAtOrAfter(visible, id);
    if (visible[place] === undefined || visible[place][0] > id) {
      // Continue at the end of the next older interval.
      const older = visible[place - 1];
      if (!older) break;
      i = list.lowerBound(older[1] + 1);
      continue;
    }
    flags += org.messageFlags.usersOf(id).length;
    if (ids.length > 0 && flags > MAX_FLAGS) break;
    ids.push(id);
  }
  return ids;
}
