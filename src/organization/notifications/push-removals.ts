import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Organization } from '../state/organization.js';
import type { Runtime } from '../state/runtime.js';
import type { Transaction } from '../state/transaction.js';
import type { NotificationLog } from './missed-message-mails.js';
import { hasPushTargets, pushTargetsOf, queuePush } from '../personal/outgoing-pushes.js';

/** What is read within this time is taken away by one push, milliseconds. */
const COLLECTING_MS = 1000;
const PAUSE_MS = 30_000;
/** Users of one transaction: each costs 200 look-ups at most. */
const USERS_AT_ONCE = 20;

const WAKE_UP = 'removals';

/**
 * PushRemovals takes notices off a user's devices when the messages were read elsewhere, or deleted. What devices show is in documents, so
 * the next leader finds what was read under the former one.
 */
export class PushRemovals {
  private readonly readers = new Set<number>();
  private stopped = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly options: { readonly wheel: Deadlines; readonly log: NotificationLog },
  ) {}

  start(): void {
    const { readState, pushedMessages } = this.org;
    readState.onChange = (userId) => {
      if (pushedMessages.has(userId)) this.add(userId);
    };
    for (const { user_id } of pushedMessages.values()) this.add(user_id);
  }

  stop(): void {
    this.stopped = true;
    this.org.readState.onChange = () => undefined;
  }

  /** Messages are being deleted: devices that show one of them are asked about once that is done. Costs a look at what devices show. */
  deleted(ids: readonly number[]): void {
    const gone = new Set(ids);
    for (const { user_id, messages } of this.org.pushedMessages.values()) {
      if (messages.some((id) => gone.has(id))) this.add(user_id);
    }
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private add(userId: number): void {
    this.readers.add(userId);
    const { wheel } = this.options;
    if (!this.stopped && !wheel.has(WAKE_UP)) this.arm(COLLECTING_MS);
  }

  private arm(ms: number): void {
    this.options.wheel.arm(WAKE_UP, this.org.now() + ms, () => this.run());
  }

  private run(): void {
    if (this.stopped) return;
    const some = [...this.readers].slice(0, USERS_AT_ONCE);
    try {
      this.runtime.transact((tx) => {
        for (const userId of some) takeAway(tx, userId);
      });
    } catch (error) {
      this.options.log.warn({ err: error }, 'notices on devices wait for the store');
      this.arm(PAUSE_MS);
      return;
    }
    for (const userId of some) this.readers.delete(userId);
    if (this.readers.size > 0) this.arm(0);
  }
}

/** Queues the push that takes away what the user has read of what their devices show. */
function takeAway({ org }: Transaction, userId: number): void {
  const document = org.pushedMessages.get(userId);
  const user = org.users.get(userId);
  if (!document) return;
  const left = user ? unreadAmong(org, user, document.messages) : [];
  const kept = new Set(left);
  const gone = document.messages.filter((id) => !kept.has(id));
  if (gone.length === 0) return;
  if (left.length === 0) org.pushedMessages.delete(userId);
  else org.pushedMessages.update(userId, { messages: left });
  if (!hasPushTargets(org, userId)) return;
  const content = { kind: 'remove' as const, message_ids: gone };
  queuePush(org, userId, content, pushTargetsOf(org, userId));
}

function unreadAmong(org: Organization, user: UserDocument, ids: readonly number[]): number[] {
  const access = new MessageAccess(org, user);
  return ids.filter((id) => access.isUnread(id));
}
