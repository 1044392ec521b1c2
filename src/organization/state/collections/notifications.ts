import type {
  MissedMessagesDocument,
  NotificationSweepDocument,
} from '../../../../schemas/notifications/missed-messages-document.js';
import type { OutgoingPushDocument } from '../../../../schemas/notifications/push-notice-document.js';
import { Collection, type Recorder } from '../collection.js';

/** Messages that wait to be told by mail, by user. */
export class MissedMessagesCollection extends Collection<number, MissedMessagesDocument> {
  /** Messages that wait, of all users. */
  waiting = 0;
  /** Called when a user's list appears, even if its transaction is reverted later. */
  onAppear: (document: MissedMessagesDocument) => void = () => undefined;

  constructor(recorder: Recorder) {
    super('missed_messages', recorder, (document) => document.user_id);
  }

  protected override reindex(
    previous?: MissedMessagesDocument,
    next?: MissedMessagesDocument,
  ): void {
    this.waiting += (next?.messages.length ?? 0) - (previous?.messages.length ?? 0);
    if (!previous && next) this.onAppear(next);
  }
}

/** Pushes to be sent, by id; they commit with what they are about. */
export class OutgoingPushCollection extends Collection<number, OutgoingPushDocument> {
  /** Called when a push is added, even if its transaction is reverted later. */
  onAppear: () => void = () => undefined;

  constructor(recorder: Recorder) {
    super('outgoing_push', recorder, (push) => push.id);
  }

  protected override reindex(previous?: OutgoingPushDocument, next?: OutgoingPushDocument): void {
    if (!previous && next) this.onAppear();
  }
}

/** Messages whose receivers are still asked one after the other. */
export class NotificationSweepCollection extends Collection<number, NotificationSweepDocument> {
  /** Called when a sweep appears, even if its transaction is reverted later. */
  onAppear: () => void = () => undefined;

  constructor(recorder: Recorder) {
    super('notification_sweep', recorder, (sweep) => sweep.message_id);
  }

  protected override reindex(
    previous?: NotificationSweepDocument,
    next?: NotificationSweepDocument,
  ): void {
    if (!previous && next) this.onAppear();
  }
}
