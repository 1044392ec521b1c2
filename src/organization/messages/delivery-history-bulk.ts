import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { Organization } from '../state/organization.js';
import { intersectIds, type Interval, type Intervals } from '../state/message-index/intervals.js';
import type { MovedGroup } from '../state/message-index/moved-messages.js';
import { PostingList } from '../state/message-index/posting-list.js';
import { coveredIds, wasThere } from './delivery-history.js';

/** What a user has of a part; the same key is the same list. */
interface Share {
  readonly key: string;
  readonly ids: readonly number[];
}

/** Messages that came to the channel on the same way. */
interface Part {
  /** Where they were sent. */
  readonly origin: number;
  /** Undefined for those that were sent here. */
  readonly group: MovedGroup | undefined;
  readonly list: PostingList;
  /** All of them. */
  readonly whole: Share;
  /** Journal positions of the first and the last of them: positions and ids ascend together. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** What was worked out for others who were subscribed for the same of them. */
  readonly known: Map<string, Share>;
}

/**
 * Which of certain messages of a channel each user received, or which of them those may read who read only
 * what came while they were subscribed; asked for many users, for most of whom the answer is the same.
 */
export class BulkDeliveryHistory {
  private readonly parts: readonly Part[];
  private readonly joined = new Map<string, readonly number[]>();

  /** @param ids ascending, of this channel */
  constructor(
    private readonly org: Organization,
    channel: ChannelDocument,
    ids: readonly number[],
    private readonly what: 'received' | 'readable' = 'received',
  ) {
    const { moved, columns } = org.messages.index;
    const seqOf = (id: number): number => columns.seqAt(columns.find(id));
    const byGroup = new Map<MovedGroup | undefined, number[]>();
    for (const id of ids) {
      const group = moved.of(id);
      const part = byGroup.get(group);
      if (part) part.push(id);
      else byGroup.set(group, [id]);
    }
    this.parts = [...byGroup].map(([group, part]) => ({
      origin: group?.from ?? channel.stream_id,
      group,
      list: PostingList.from(part),
      whole: { key: ALL, ids: part },
      firstSeq: seqOf(part[0]!),
      lastSeq: seqOf(part[part.length - 1]!),
      known: new Map(),
    }));
  }

  /** Those of a user, ascending; users who have the same share one list. */
  of(userId: number): readonly number[] {
    const { parts } = this;
    if (parts.length === 1) return this.ofPart(userId, parts[0]!).ids;
    const found = parts.map((part) => this.ofPart(userId, part));
    const key = found.map((one) => one.key).join('|');
    let ids = this.joined.get(key);
    if (!ids) {
      ids = found.flatMap((one) => one.ids).sort((a, b) => a - b);
      this.joined.set(key, ids);
    }
    return ids;
  }

  private ofPart(userId: number, part: Part): Share {
    const { origin, group, list, known, firstSeq, lastSeq } = part;
    const { subscriptions } = this.org;
    if (group && this.what === 'readable') {
      const [streamId, seq] = group.hops[group.hops.length - 1]!;
      return subscriptions.wasSubscribed(userId, streamId, seq) ? part.whole : NOTHING;
    }
    const sub = subscriptions.of(userId, origin);
    if (!sub || (group && !wasThere(this.org, userId, group))) return NOTHING;
    const last = sub.spans[sub.spans.length - 1];
    // Most people were there all the time.
    if (last && last[0] <= firstSeq && (last[1] === null || last[1] > lastSeq)) {
      return part.whole;
    }
    const covered = clipped(coveredIds(this.org, sub), list);
    const key = covered.join(';');
    let found = known.get(key);
    if (!found) {
      const ids = intersectIds(list, covered);
      found = ids.length === list.length ? part.whole : { key, ids };
      if (ids.length === 0) found = NOTHING;
      known.set(key, found);
    }
    return found;
  }
}

const NOTHING: Share = { key: '', ids: [] };
const ALL = 'all';

/** Intervals cut to the ends of a list, so that equal ones look equal. */
function clipped(intervals: Intervals, list: PostingList): Intervals {
  const first = list.first!;
  const last = list.last!;
  const kept: Interval[] = [];
  for (const [from, to] of intervals) {
    if (to >= first && from <= last) kept.push([Math.max(from, first), Math.min(to, last)]);
  }
  return kept;
}
