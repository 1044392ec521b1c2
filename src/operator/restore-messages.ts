import { wallTime } from '../platform/time.js';
import {
  restoreMessages,
  type Wanted,
} from '../organization/messages/retention/restore-messages.js';
import { withStoppedStore } from './stopped-store.js';

/** What became of the messages of a place: a channel, or direct messages. */
interface PlaceCount {
  readonly place: string;
  readonly messages: number;
}

/** What `parley restore-messages` did. */
interface RestoredMessages {
  readonly restored: readonly PlaceCount[];
  /** Kept for so few days only that they would go again. */
  readonly left: readonly (PlaceCount & { readonly days: number })[];
}

/**
 * `parley restore-messages`: restores messages that retention removed, as far as the archive still has them.
 * @param wanted channels by id or name, `direct` for direct messages; none: all
 * @throws Error when the store is served, has no such channel, or nothing can be restored
 */
export async function runRestoreMessages(
  url: string,
  wanted: Wanted,
  report: (line: string) => void,
): Promise<RestoredMessages> {
  return withStoppedStore(url, async (store, { lease, still }) => {
    const options = { now: () => wallTime(), still };
    const { restored, refused } = await restoreMessages(store, lease, wanted, options);
    for (const [place, count] of restored) report(`Restored ${messages(count)} of ${place}`);
    for (const [place, { count, days }] of refused) {
      report(
        `Left ${messages(count)} of ${place}: they are kept for ${days} days only and would go again. ` +
          'Raise message_retention_days first',
      );
    }
    if (restored.size === 0) throw new Error('there are no messages to restore');
    return {
      restored: [...restored].map(([place, count]) => ({ place, messages: count })),
      left: [...refused].map(([place, { count, days }]) => ({ place, messages: count, days })),
    };
  });
}

function messages(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}
