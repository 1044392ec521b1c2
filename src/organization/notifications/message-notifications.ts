import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type { Runtime } from '../state/runtime.js';
import type { Attention } from './attention.js';
import { MissedMessageMails, type NotificationLog } from './missed-message-mails.js';
import { Notifier } from './notifier.js';

/** The log says at most so often that messages found no room, milliseconds. */
const FULL_LOG_MS = 60_000;

/** Dependencies of {@link MessageNotifications}. */
interface MessageNotificationsOptions {
  readonly attention: Pick<Attention, 'isAway'>;
  /** Keys of its own. */
  readonly wheel: Deadlines;
  readonly log: NotificationLog;
  /** Whether the server sends mails about messages. */
  readonly mails: boolean;
}

/**
 * Tells people of messages that they would miss, while this node leads. Where nothing is configured by which they
 * could be told, messages cost nothing.
 */
export class MessageNotifications {
  private readonly notifier: Notifier;
  private readonly worker: MissedMessageMails;
  private fullSince = -Infinity;

  constructor(
    private readonly runtime: Runtime,
    private readonly options: MessageNotificationsOptions,
  ) {
    const { attention, wheel, log } = options;
    this.notifier = new Notifier(runtime.org, { attention, onFull: () => this.full() });
    this.worker = new MissedMessageMails(runtime, { notifier: this.notifier, wheel, log });
  }

  /** Begins with what former leaders left. */
  start(): void {
    if (!this.options.mails) return;
    this.runtime.org.notifier = this.notifier;
    this.worker.start();
  }

  /** Tells nobody any more. */
  stop(): void {
    this.runtime.org.notifier = null;
    this.worker.stop();
  }

  private full(): void {
    const now = this.runtime.org.now();
    if (now - this.fullSince < FULL_LOG_MS) return;
    this.fullSince = now;
    this.options.log.warn(
      {},
      'too many messages wait to be told by mail: people are not told of new ones',
    );
  }
}
