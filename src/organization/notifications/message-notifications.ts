import type { PushTransport } from '../../services/push/push-service.js';
import { PushDelivery } from './push-delivery.js';
import { PushRemovals } from './push-removals.js';
import type { Deadlines } from '../../../actors/deadline-wheel.js';
import { VanishedUsers } from './vanished-users.js';
import type { Runtime, Transactor } from '../state/runtime.js';
import { Notifier, type Attentive } from './notifier.js';
import { MissedMessageMails, type NotificationLog } from './missed-message-mails.js';
import { earliest, NEVER } from '../state/scheduled/next-due.js';

/** The log says at most so often that messages found no room, milliseconds. */
const FULL_LOG_MS = 60_000;

/** Dependencies of {@link MessageNotifications}. */
interface MessageNotificationsOptions {
  readonly attention: Attentive;
  /** Keys of its own. */
  readonly wheel: Deadlines;
  readonly log: NotificationLog;
  /** Whether the server sends mails about messages. */
  readonly mails: boolean;
  /** Null where no service is configured. */
  readonly push: PushTransport | null;
  /** Told of each push that failed; absent: nobody. */
  readonly pushFailed: (error: Error) => void;
}

/**
 * Notifies users of messages that they would miss, while this node leads. Where neither mail nor push is
 * configured, messages cost nothing.
 */
export class MessageNotifications {
  private readonly notifier: Notifier;
  private readonly mails: MissedMessageMails;
  private readonly vanished: VanishedUsers;
  /** What sends pushes and takes them away; none where no service is configured. */
  private readonly pushes: readonly { start(): void; stop(): void; nextDue(): number }[];
  private fullSince = -Infinity;

  constructor(
    private readonly runtime: Transactor & Pick<Runtime, 'hooks'>,
    private readonly options: MessageNotificationsOptions,
  ) {
    const { attention, wheel, log, mails, push } = options;
    const onFull = (): void => this.full();
    const removals = push ? new PushRemovals(runtime, { wheel, log }) : null;
    this.notifier = new Notifier(runtime.org, {
      attention,
      mails,
      pushes: push !== null,
      onWithdrawn: (ids) => removals?.withdrawn(ids),
      onFull,
    });
    this.vanished = new VanishedUsers(runtime, { attention, notifier: this.notifier, wheel, log });
    this.mails = new MissedMessageMails(runtime, { notifier: this.notifier, wheel, log });
    this.pushes =
      push && removals
        ? [
            new PushDelivery(runtime, { transport: push, wheel, log, failed: options.pushFailed }),
            removals,
          ]
        : [];
  }

  /** Begins with what former leaders left. */
  start(): void {
    const { mails, push } = this.options;
    if (!mails && !push) return;
    this.runtime.hooks.notifier = this.notifier;
    this.mails.start();
    this.vanished.start();
    for (const service of this.pushes) service.start();
  }

  /** Tells nobody any more. */
  stop(): void {
    this.runtime.hooks.notifier = null;
    this.mails.stop();
    this.vanished.stop();
    for (const service of this.pushes) service.stop();
  }

  /** When somebody is to be told next. */
  nextDue(): number {
    const { mails, push } = this.options;
    if (!mails && !push) return NEVER;
    return earliest([this.mails, this.vanished, ...this.pushes].map((one) => one.nextDue()));
  }

  private full(): void {
    const now = this.runtime.org.now();
    if (now - this.fullSince < FULL_LOG_MS) return;
    this.fullSince = now;
    this.options.log.warn(
      {},
      'too many mails or pushes about messages wait: nobody is notified of new messages',
    );
  }
}
