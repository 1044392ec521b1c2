import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type { OutgoingPushDocument } from '../../../schemas/notifications/push-notice-document.js';
import { MAX_PUSHED_MESSAGES } from '../../../schemas/limits.js';
import type { PushOutcome, PushTarget, PushTransport } from '../../services/push/push-service.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Organization } from '../state/organization.js';
import type { Runtime } from '../state/runtime.js';
import type { Transaction } from '../state/transaction.js';
import { queuePush, tokensOf } from '../personal/outgoing-pushes.js';
import { composePush, userUuid } from './push-text.js';

/** First pause after a failed attempt, milliseconds; each further one doubles it up to the longest. */
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 30 * 60_000;
/** Attempts per push: some two hours with the pauses above. Later nobody wants to hear of it. */
const MAX_ATTEMPTS = 12;
/** Concurrent attempts: one connection of HTTP/2 takes far more, and a bouncer answers within a second. */
const CONCURRENCY = 16;

const WAKE_UP = 'push';

/** Log of the delivery for operators. */
interface PushLog {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}

/** Dependencies of {@link PushDelivery}. */
interface PushDeliveryOptions {
  readonly transport: PushTransport;
  /** Keys of its own. */
  readonly wheel: Deadlines;
  readonly log: PushLog;
}

type Outcomes = ReadonlyMap<number, PushOutcome>;

/**
 * PushDelivery sends the pushes of the outbox, each once it is durable. What a device has got is taken off the document
 * when its service has said so: a crash loses no push, and may repeat one under the same ids, in place of the former. A
 * device that a service doesn't know any more is dropped. What fails is tried again for two hours.
 */
export class PushDelivery {
  private readonly inProgress = new Set<number>();
  /** Outcomes that could not be stored: a device that has it does not get it again while this process lives. */
  private readonly unrecorded = new Map<number, Outcomes>();
  private scheduled = false;
  private stopped = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly options: PushDeliveryOptions,
  ) {}

  /** Starts to send what is stored, and what comes. */
  start(): void {
    this.org.outgoingPushes.onAppear = () => this.wake();
    this.wake();
  }

  /** Starts no further attempts. */
  stop(): void {
    this.stopped = true;
    this.options.wheel.disarm(WAKE_UP);
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private wake(): void {
    if (this.scheduled || this.stopped) return;
    this.scheduled = true;
    // After the transaction that added the push.
    setImmediate(() => void this.round());
  }

  private async round(): Promise<void> {
    this.scheduled = false;
    const { outgoingPushes } = this.org;
    if (outgoingPushes.size === 0) return;
    const newest = this.org.counters.last('push');
    try {
      // What is in memory is durable after this, or was taken back. What comes meanwhile gets a round of its own.
      await this.runtime.journal.barrier();
    } catch (error) {
      this.later(error);
      return;
    }
    if (this.stopped) return;
    const now = this.org.now();
    let next = Infinity;
    for (const push of outgoingPushes.values()) {
      if (push.id > newest || this.inProgress.has(push.id)) continue;
      if (push.next_attempt_at > now) next = Math.min(next, push.next_attempt_at);
      else if (this.inProgress.size >= CONCURRENCY) return;
      else void this.attempt(push);
    }
    if (next < Infinity) this.options.wheel.arm(WAKE_UP, next, () => this.wake());
  }

  private later(error: unknown): void {
    if (this.stopped) return;
    this.options.log.warn({ err: error }, 'pushes wait for the store');
    this.options.wheel.arm(WAKE_UP, this.org.now() + FIRST_PAUSE_MS, () => this.wake());
  }

  private async attempt(push: OutgoingPushDocument): Promise<void> {
    const { id } = push;
    this.inProgress.add(id);
    try {
      const outcomes = this.unrecorded.get(id) ?? (await this.send(push));
      this.unrecorded.set(id, outcomes);
      this.record(push, outcomes);
      this.unrecorded.delete(id);
      this.wake();
    } catch (error) {
      this.later(error);
    } finally {
      this.inProgress.delete(id);
    }
  }

  /** @returns what became of it by device; none for a device that is gone, or where there is nothing to tell */
  private async send(push: OutgoingPushDocument): Promise<Outcomes> {
    const { transport } = this.options;
    if (push.content.kind === 'forget') return this.forget(push);
    const notice = await composePush(this.org, push);
    const targets = notice ? this.targetsOf(push) : [];
    return notice && targets.length > 0 ? transport.send(notice, targets) : new Map();
  }

  private targetsOf({ tokens, user_id }: OutgoingPushDocument): PushTarget[] {
    return tokens.flatMap((id) => {
      const known = this.org.pushTokens.get(id);
      // Registered by somebody else since.
      return known?.user_id === user_id ? [known] : [];
    });
  }

  private async forget({ user_id, content }: OutgoingPushDocument): Promise<Outcomes> {
    if (content.kind !== 'forget') return new Map();
    const { service, token } = content;
    // Registered again.
    if (this.org.pushTokens.byToken(service, token)?.user_id === user_id) return new Map();
    const user = { id: user_id, uuid: userUuid(this.org, user_id) };
    try {
      const { uuid } = this.org.realm.current;
      await this.options.transport.forget({ service, token, appid: null }, user, uuid);
      return new Map();
    } catch (error) {
      return new Map([[FORGOTTEN, { kind: 'failed', error: error as Error }]]);
    }
  }

  private record(push: OutgoingPushDocument, outcomes: Outcomes): void {
    const { log } = this.options;
    const attempts = push.attempts + 1;
    const failed = [...outcomes].filter(([, { kind }]) => kind === 'failed').map(([id]) => id);
    for (const [token, outcome] of outcomes) {
      const context = { push: push.id, user: push.user_id, token, attempts };
      if (outcome.kind === 'gone') log.info(context, 'a device is not known any more: dropped');
      else if (outcome.kind === 'refused') {
        log.error({ ...context, err: outcome.error }, 'a push was refused');
      } else if (outcome.kind === 'failed') {
        const text = attempts >= MAX_ATTEMPTS ? 'a push was given up' : 'a push was not sent';
        log.warn({ ...context, err: outcome.error }, text);
      }
    }
    this.runtime.transact((tx) => {
      const { org, now } = tx;
      for (const [id, { kind }] of outcomes) {
        if (kind === 'gone' && org.pushTokens.get(id)?.user_id === push.user_id) {
          org.pushTokens.delete(id);
        }
      }
      if ([...outcomes.values()].some(({ kind }) => kind === 'sent')) remember(tx, push);
      if (failed.length === 0 || attempts >= MAX_ATTEMPTS) org.outgoingPushes.delete(push.id);
      else {
        const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
        const tokens = push.content.kind === 'forget' ? [] : failed;
        org.outgoingPushes.update(push.id, { tokens, attempts, next_attempt_at: now + pause });
      }
    });
  }
}

/** Stands for the device of a `forget`, which has no registration any more. */
const FORGOTTEN = 0;

/** Remembers that devices show a message, or takes it away again where it was read meanwhile. */
function remember({ org }: Transaction, { user_id, content }: OutgoingPushDocument): void {
  if (content.kind !== 'message') return;
  const { message_id: id } = content;
  const user = org.users.get(user_id);
  if (!user || !new MessageAccess(org, user).isUnread(id)) {
    queuePush(org, user_id, { kind: 'remove', message_ids: [id] }, tokensOf(org, user_id));
    return;
  }
  const shown = org.pushedMessages.get(user_id)?.messages ?? [];
  if (shown.includes(id)) return;
  org.pushedMessages.insert({ user_id, messages: [...shown, id].slice(-MAX_PUSHED_MESSAGES) });
}
