import type { Queues } from '../../journal/queues/queues.js';
import type { PresenceTracker } from '../presence/presence-tracker.js';

/** Who has used no client for so long is not at one (event-queues.md#life-cycle, offline rule). Milliseconds. */
const UNUSED_MS = 10 * 60_000;

/**
 * Attention knows who is at a client that shows what comes; on the leader, which hears of the clients of all nodes.
 */
export class Attention {
  constructor(
    private readonly presence: Pick<PresenceTracker, 'statusOf' | 'isShared'>,
    private readonly queues: Pick<Queues, 'isAttended'>,
  ) {}

  /**
   * Whether nobody sees what comes for the user: none of their clients takes messages, or all say that nobody is
   * there. Of who shares no presence only the former is known.
   */
  isAway(userId: number): boolean {
    if (this.presence.isShared(userId) && this.presence.statusOf(userId) !== 'active') return true;
    return !this.queues.isAttended(userId, UNUSED_MS);
  }
}
