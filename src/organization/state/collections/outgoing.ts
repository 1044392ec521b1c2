import type { OutgoingMailDocument } from '../../../../schemas/mail/outgoing-mail-document.js';
import { addTo, Collection, type Recorder, release, removeFrom } from '../collection.js';
import type { PushTokenDocument, PushService } from '../../../../schemas/personal/push.js';
import { OwnedCollection } from '../user-collections.js';
import type { ConfirmationDocument } from '../../../../schemas/accounts/confirmation-document.js';
import type { ReceivedMailDocument } from '../../../../schemas/mail/received-mail-document.js';
import type { OutgoingHookDocument } from '../../../../schemas/hooks/outgoing-hook-document.js';
import type {
  MissedMessagesDocument,
  NotificationSweepDocument,
  NotificationWatchDocument,
} from '../../../../schemas/notifications/missed-messages-document.js';
import type { OutgoingPushDocument } from '../../../../schemas/notifications/push-notice-document.js';

/** Mails to be sent, by id; they commit with the change that they report. */
export class OutgoingMailCollection extends Collection<number, OutgoingMailDocument> {
  /** Called with the id when a mail is added, even if its transaction is reverted later, or is there again. */
  onAppear: (id: number) => void = () => undefined;

  constructor(recorder: Recorder) {
    super('outgoing_mail', recorder, (mail) => mail.id);
  }

  protected override reindex(previous?: OutgoingMailDocument, next?: OutgoingMailDocument): void {
    if (!previous && next) this.onAppear(next.id);
  }
}

/** Mailed links that were not used yet, by the digest of their key; some have expired. */
export class ConfirmationCollection extends Collection<string, ConfirmationDocument> {
  constructor(recorder: Recorder) {
    super('confirmation', recorder, (confirmation) => confirmation.key_hash);
  }
}

/** Mails that became messages, by digest. */
export class ReceivedMailCollection extends Collection<string, ReceivedMailDocument> {
  constructor(recorder: Recorder) {
    super('received_mail', recorder, (mail) => mail.digest);
  }
}

/** Messages to be told to outgoing webhooks, by id; they commit with the message. */
export class OutgoingHookCollection extends Collection<number, OutgoingHookDocument> {
  /** How many wait for each bot. */
  private readonly waiting = new Map<number, number>();
  /** Called with the id when one is added, even if its transaction is reverted later, or is there again. */
  onAppear: (id: number) => void = () => undefined;

  constructor(recorder: Recorder) {
    super('outgoing_hook', recorder, (hook) => hook.id);
  }

  /** How many wait for a bot. */
  waitingFor(botId: number): number {
    return this.waiting.get(botId) ?? 0;
  }

  protected override reindex(previous?: OutgoingHookDocument, next?: OutgoingHookDocument): void {
    if (previous) this.count(previous.bot_id, -1);
    if (next) this.count(next.bot_id, 1);
    if (!previous && next) this.onAppear(next.id);
  }

  private count(botId: number, change: number): void {
    const count = this.waitingFor(botId) + change;
    if (count === 0) this.waiting.delete(botId);
    else this.waiting.set(botId, count);
  }
}

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
  /** Called with the id when a push is added, even if its transaction is reverted later, or is there again. */
  onAppear: (id: number) => void = () => undefined;

  constructor(recorder: Recorder) {
    super('outgoing_push', recorder, (push) => push.id);
  }

  protected override reindex(previous?: OutgoingPushDocument, next?: OutgoingPushDocument): void {
    if (!previous && next) this.onAppear(next.id);
  }
}

function watchId({ message_id, first }: NotificationWatchDocument): string {
  return `${message_id}:${first}`;
}

/** Receivers who are asked again if their clients vanish, by message. */
export class NotificationWatchCollection extends Collection<string, NotificationWatchDocument> {
  private readonly byUser = new Map<number, Set<string>>();
  /** Called when a watch appears, even if its transaction is reverted later. */
  onAppear: (id: string, document: NotificationWatchDocument) => void = () => undefined;

  constructor(recorder: Recorder) {
    super('notification_watch', recorder, watchId);
  }

  /** The watches that a user is on, in the order of their messages. */
  of(userId: number): string[] {
    return [...(this.byUser.get(userId) ?? [])];
  }

  /** Takes users off a watch, which goes with the last of them. */
  take(id: string, users: ReadonlySet<number>): void {
    const document = this.get(id);
    if (!document || users.size === 0) return;
    const rest = document.users.filter((userId) => !users.has(userId));
    const pushed = document.pushed.filter((userId) => !users.has(userId));
    if (rest.length === 0) this.delete(id);
    else this.update(id, { users: rest, pushed });
  }

  protected override reindex(
    previous?: NotificationWatchDocument,
    next?: NotificationWatchDocument,
  ): void {
    for (const userId of previous?.users ?? []) removeFrom(this.byUser, userId, watchId(previous!));
    for (const userId of next?.users ?? []) addTo(this.byUser, userId, watchId(next!));
    if (!previous && next) this.onAppear(watchId(next), next);
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

/** Push tokens of the legacy API; each belongs to one user at a time. */
export class PushTokenCollection extends OwnedCollection<PushTokenDocument> {
  private readonly idByToken = new Map<string, number>();

  constructor(recorder: Recorder) {
    super('push_token', recorder);
  }

  byToken(service: PushService, token: string): PushTokenDocument | undefined {
    const id = this.idByToken.get(`${service}:${token}`);
    return id === undefined ? undefined : this.get(id);
  }

  protected override reindex(previous?: PushTokenDocument, next?: PushTokenDocument): void {
    super.reindex(previous, next);
    if (previous && !next) {
      release(this.idByToken, `${previous.service}:${previous.token}`, previous.id);
    }
    if (next) this.idByToken.set(`${next.service}:${next.token}`, next.id);
  }
}
