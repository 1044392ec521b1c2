import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { MAX_UNREAD_MESSAGES } from '../../../../schemas/limits.js';
import type { Organization } from '../../state/organization.js';
import {
  inTurns,
  SnapshotMoment,
  type Pause,
  type PreparedPart,
} from '../../state/snapshot-moment.js';
import { MessageAccess } from '../message-access.js';
import {
  readableStars,
  starredMessages,
  unreadMessages,
  unreadReport,
  type UnreadMessages,
  type UnreadOptions,
  type UnreadReport,
} from './unread.js';

/**
 * PreparedUnread makes `unread_msgs` in stretches before the transaction that shows it: there may be ten thousand
 * conversations with fifty thousand unread messages.
 */
export class PreparedUnread implements PreparedPart {
  private made: { readonly moment: SnapshotMoment; readonly report: UnreadReport } | null = null;

  /** @param limit messages that are shown at most */
  constructor(
    private readonly org: Organization,
    private readonly userId: number,
    private readonly options: UnreadOptions,
    private readonly limit = MAX_UNREAD_MESSAGES,
  ) {}

  get isReady(): boolean {
    return this.made?.moment.isPresent ?? false;
  }

  async prepare(pause: Pause): Promise<void> {
    const { org, userId } = this;
    const moment = new SnapshotMoment(org, userId);
    const user = org.users.get(userId)!;
    const steps = unreadReport(org, user, this.options, moment.newestId, this.limit);
    const report = await inTurns(steps, moment, pause);
    if (report) this.made = { moment, report };
  }

  /** `unread_msgs` as they are now: what was made with the messages that have come since, or all of it anew. */
  take(user: UserDocument): UnreadMessages {
    if (!this.isReady) return unreadMessages(this.org, user, this.options);
    const { moment, report } = this.made!;
    const access = new MessageAccess(this.org, user);
    for (const id of moment.takeNewer()) if (access.isUnread(id)) report.add(id);
    return report.result;
  }
}

/** PreparedStars looks at the stars in stretches before the transaction: somebody may have a million. */
export class PreparedStars implements PreparedPart {
  private made: Stars | null = null;

  constructor(
    private readonly org: Organization,
    private readonly userId: number,
  ) {}

  get isReady(): boolean {
    const { made } = this;
    return made?.version === this.version && made.moment.isPresent;
  }

  async prepare(pause: Pause): Promise<void> {
    const { org, userId, version } = this;
    const moment = new SnapshotMoment(org, userId);
    const ids = await inTurns(readableStars(org, org.users.get(userId)!), moment, pause);
    if (ids) this.made = { moment, version, ids };
  }

  take(user: UserDocument): readonly number[] {
    return this.isReady ? this.made!.ids : starredMessages(this.org, user);
  }

  private get version(): number {
    return this.org.messageFlags.ofEach.of(this.userId);
  }
}

interface Stars {
  readonly moment: SnapshotMoment;
  readonly version: number;
  readonly ids: readonly number[];
}
