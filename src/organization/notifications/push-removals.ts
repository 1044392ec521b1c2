import { monotonicTime } from '../../platform/time.js';
import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { inStretches } from '../../turns/event-loop-yield.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import type { Transactor } from '../state/runtime.js';
import type { NotificationLog } from './missed-message-mails.js';
import { hasPushTargets, pushTargetsOf, queuePush } from '../personal/outgoing-pushes.js';
import { isStoreAway } from '../../store/port.js';
import { inBackground } from '../../turns/background.js';
import { NEVER, NOW } from '../state/scheduled/next-due.js';

/** What is read within this time is taken away by one push, milliseconds. */
const COLLECTING_MS = 1000;
const PAUSE_MS = 30_000;
/** Users of one transaction: each costs 200 look-ups at most. */
const USERS_AT_ONCE = 20;
/** Such messages that are looked for by id; above it everybody whose devices show anything is asked about. */
const MAX_DELETED = 100_000;
/**
 * After a search there is a pause this many times as long, so that deletions that go on cost a tenth of the time at
 * most.
 */
const REST_FACTOR = 9;

const WAKE_UP = 'removals';
const SEARCH = 'deleted';

/**
 * PushRemovals takes notices off a user's devices when the messages were read elsewhere, deleted, or moved out of
 * reach. What devices show is in documents, so
 * the next leader finds what was read under the former one.
 */
export class PushRemovals {
  private readonly readers = new Set<number>();
  /** Messages that were deleted or moved and are yet to be looked for. */
  private gone = new Set<number>();
  private isSearching = false;
  private stopped = false;

  constructor(
    private readonly runtime: Transactor,
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

  /** What devices show and need not is under way for some seconds. */
  nextDue(): number {
    return this.isSearching || this.readers.size + this.gone.size > 0 ? NOW : NEVER;
  }

  /**
   * Messages are being deleted, or moved out of some users' reach: a second later the devices that show one of them are
   * found, in stretches, because there is no list of devices by message: it would take more memory than all that
   * devices show.
   */
  withdrawn(ids: readonly number[]): void {
    for (const id of ids) {
      if (this.gone.size > MAX_DELETED) break;
      this.gone.add(id);
    }
    this.awaitSearch(COLLECTING_MS);
  }

  private awaitSearch(ms: number): void {
    const { wheel } = this.options;
    if (this.stopped || this.isSearching || wheel.has(SEARCH)) return;
    wheel.arm(SEARCH, this.org.now() + ms, () => {
      const failed = (error: unknown): void => {
        this.isSearching = false;
        this.options.log.warn({ err: error }, 'notices on devices could not be looked for');
      };
      inBackground(() => this.search(), failed);
    });
  }

  private async search(): Promise<void> {
    const { gone } = this;
    this.gone = new Set();
    this.isSearching = true;
    const began = monotonicTime();
    await inStretches(this.org.pushedMessages.values(), ({ user_id, messages }) => {
      const isAsked = gone.size > MAX_DELETED || messages.some((id) => gone.has(id));
      if (isAsked) this.add(user_id, 0);
    });
    this.isSearching = false;
    const rest = REST_FACTOR * (monotonicTime() - began);
    if (this.gone.size > 0) this.awaitSearch(Math.max(COLLECTING_MS, rest));
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private add(userId: number, ms = COLLECTING_MS): void {
    this.readers.add(userId);
    const { wheel } = this.options;
    if (!this.stopped && !wheel.has(WAKE_UP)) this.arm(ms);
  }

  private arm(ms: number): void {
    this.options.wheel.arm(WAKE_UP, this.org.now() + ms, () => this.run());
  }

  private run(): void {
    if (this.stopped) return;
    const some: number[] = [];
    for (const userId of this.readers) {
      if (some.push(userId) === USERS_AT_ONCE) break;
    }
    try {
      this.runtime.transact((tx) => {
        for (const userId of some) takeAway(tx, userId);
      });
    } catch (error) {
      if (!isStoreAway(error)) {
        this.options.log.warn({ err: error }, 'notices on devices could not be removed');
      }
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
