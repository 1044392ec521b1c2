import { setImmediate } from '../../../platform/timers.js';
import type { Clock } from '../../../../actors/clock.js';
import type { DeadlineWheel } from '../../../../actors/deadline-wheel.js';
import { ActorHost } from '../../../../actors/host.js';
import {
  createTopicDeletionMachine,
  type TopicDeletionMachine,
  type TopicDeletionOutcome,
} from '../../../../actors/topic-deletion.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { ApiError, badRequest, mustBe, serviceUnavailable } from '../../../errors/index.js';
import { MessageAccess } from '../message-access.js';
import { intervalAtOrAfter, type Intervals } from '../../state/message-index/intervals.js';
import { removeMessages } from './remove-messages.js';
import type { Organization } from '../../state/organization.js';
import { deleteTopic } from '../../../../schemas/messages/message-deletion.js';
import { checkAccess } from '../../access/endpoint-access.js';
import type { Runtime, Transaction } from '../../state/transaction.js';

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

/** A topic reader messages are being deleted. */
interface Job {
  readonly recipientId: number;
  readonly topic: string;
  /** The user of the first request. */
  readonly actorId: number;
  /** By the clock of the jobs, milliseconds. */
  readonly startedAt: number;
  deleted: number;
  /** Why the job failed. */
  error: unknown;
}

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

interface Waiting {
  resolve(complete: boolean): void;
  reject(error: unknown): void;
}

/**
 * TopicDeletions deletes topics (specification-endpoints.md#delete-topic). Each batch is one transaction,
 * newest messages first, and the next one begins when it is durable, so that other requests are served in
 * between and progress is kept. A request deletes the messages that the topic had when it arrived; later
 * ones stay. Only messages that the actor may read are deleted, and the job ends when the actor loses the
 * right.
 */
export class TopicDeletions {
  private readonly host: ActorHost<TopicDeletionMachine>;
  private readonly jobs = new Map<string, Job>();
  private readonly waiting = new Map<number, Waiting>();
  private requests = 0;
  private stopped = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly options: TopicDeletionsOptions,
  ) {
    const { clock, wheel, onError } = options;
    const kind = createTopicDeletionMachine({
      deleteBatch: (key, newest) => {
        // After the pending work of the event loop, so that requests which arrived meanwhile are served
        // first.
        setImmediate(() => this.deleteBatch(key, newest));
      },
      answer: (key, requests, outcome) => this.answer(key, requests, outcome),
    });
    this.host = new ActorHost(kind, {
      clock,
      wheel,
      onError,
      onDone: (key) => this.jobs.delete(key),
    });
  }

  /** How far the deletions are that go on. */
  progress(): DeletionProgress[] {
    const now = this.options.clock.now();
    return [...this.jobs.values()].map(({ recipientId, topic, deleted, startedAt }) => ({
      ...{ recipientId, deleted, runningMs: Math.max(0, now - startedAt) },
      remaining: this.org.messages.index.topic(recipientId, topic)?.list.length ?? 0,
      limitMs: this.options.limitMs,
    }));
  }

  /** Topics reader messages are being deleted now. */
  get running(): number {
    return this.jobs.size;
  }

  /**
   * Deletes the messages of a topic.
   * @returns whether all messages that were there are deleted; false at the time limit
   * @throws ApiError 503 when the store fails or the server stops
   */
  delete(channel: ChannelDocument, topic: string, actor: UserDocument): Promise<boolean> {
    if (this.stopped) throw serviceUnavailable('The server is stopping');
    const recipientId = channel.recipient_id;
    const entry = this.org.messages.index.topic(recipientId, topic);
    if (!entry) return Promise.resolve(true);
    const newest = entry.list.last!;
    // Without shared history each user can read a different part.
    const reader = channel.history_public_to_subscribers ? '' : `${actor.user_id}:`;
    const key = `${recipientId}:${reader}${entry.key}`;
    const id = ++this.requests;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      const request = { id, until: this.options.clock.now() + this.options.limitMs };
      if (this.host.send(key, { type: 'request', request, newest })) return;
      const actorId = actor.user_id;
      const job = { recipientId, topic: entry.key, actorId, deleted: 0, error: null };
      this.jobs.set(key, { ...job, startedAt: this.options.clock.now() });
      this.host.spawn(key, { topic: key, newest, request });
    });
  }

  /** Answers all requests with the progress made, and deletes nothing more. */
  stop(): void {
    this.stopped = true;
    for (const key of [...this.jobs.keys()]) this.host.send(key, { type: 'stop' });
    this.host.stopAll();
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private deleteBatch(key: string, newest: number): void {
    const job = this.jobs.get(key);
    if (!job) return;
    let deleted: number;
    try {
      deleted = this.runtime.transact((tx) => deleteNewest(tx, job, newest));
    } catch (error) {
      this.failed(key, job, error);
      return;
    }
    this.runtime.writer.whenDurable(
      () => {
        const left = newestMessages(this.org, job, newest, 1).length > 0;
        const now = this.options.clock.now();
        job.deleted += deleted;
        this.host.send(key, { type: 'batch', deleted, left, now });
      },
      (error) => this.failed(key, job, error),
    );
  }

  private failed(key: string, job: Job, error: unknown): void {
    if (!(error instanceof ApiError)) this.options.onError(key, error);
    job.error = error;
    this.host.send(key, { type: 'failed' });
  }

  private answer(key: string, requests: readonly number[], outcome: TopicDeletionOutcome): void {
    for (const id of requests) {
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (outcome === 'failed') waiting?.reject(this.jobs.get(key)?.error);
      else waiting?.resolve(outcome === 'complete');
    }
  }
}

/** Deletes one batch. @returns how many messages were deleted */
function deleteNewest(tx: Transaction, job: Job, newest: number): number {
  const { org } = tx;
  requireStillAllowed(org, job);
  const ids = newestMessages(org, job, newest, DELETION_BATCH).reverse();
  if (ids.length === 0) return 0;
  const { recipientId } = job;
  const topic = org.messages.index.topic(recipientId, job.topic)!.name;
  removeMessages(tx, { recipientId, ids, topic, actor: org.users.get(job.actorId) ?? null });
  return ids.length;
}

/** @throws ApiError when the actor lost the right since the request was admitted */
function requireStillAllowed(org: Organization, job: Job): void {
  const actor = org.users.get(job.actorId);
  if (!actor?.is_active) throw mustBe('administrator');
  checkAccess(deleteTopic, actor);
  if (visibleTo(org, job).length === 0) throw badRequest('Invalid channel ID');
}

function visibleTo(org: Organization, { actorId, recipientId }: Job): Intervals {
  const actor = org.users.get(actorId);
  return actor ? new MessageAccess(org, actor).visible(recipientId) : [];
}

/** The messages that the actor may read, newest first; fewer than `count` where many users flagged them. */
function newestMessages(org: Organization, job: Job, newest: number, count: number): number[] {
  const list = org.messages.index.topic(job.recipientId, job.topic)?.list;
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
