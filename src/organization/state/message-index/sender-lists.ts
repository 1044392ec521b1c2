import { PostingList } from './posting-lists.js';

/** Ids by group, the groups one behind the other. */
export interface GroupedIds {
  readonly keys: readonly number[];
  /** Ascending within each group. */
  readonly ids: Uint32Array;
  /** Where the ids of each group end. */
  readonly ends: Uint32Array;
}

/** Ids that take less memory than a list takes besides its ids. */
const FEW = 32;

const NOBODY: GroupedIds = { keys: [], ids: new Uint32Array(0), ends: new Uint32Array(0) };

/**
 * SenderLists has the messages of each sender. The few that most people sent are made a list when somebody asks for
 * them, or one more comes: lists for a hundred thousand people with ten messages each take 30 MB, and their ids 4.
 */
export class SenderLists {
  /** By sender: a list, or the place among `ends` of the few. */
  private readonly lists = new Map<number, PostingList | number>();
  /** The ids of those who have few. */
  private readonly few: Uint32Array;
  /** Where the ids of each end. */
  private readonly ends: Uint32Array;

  /** @param grouped the messages by sender, which are taken over */
  constructor({ keys, ids, ends }: GroupedIds = NOBODY) {
    let used = 0;
    let from = 0;
    for (const [place, sender] of keys.entries()) {
      const end = ends[place]!;
      const hasFew = end - from <= FEW;
      this.lists.set(sender, hasFew ? place : PostingList.of(ids.slice(from, end)));
      if (hasFew) for (let at = from; at < end; at++) ids[used++] = ids[at]!;
      ends[place] = used;
      from = end;
    }
    this.few = used < ids.length ? ids.slice(0, used) : ids;
    this.ends = ends;
  }

  /** The messages of a sender; undefined for one who never had any. */
  get(senderId: number): PostingList | undefined {
    const known = this.lists.get(senderId);
    if (typeof known !== 'number') return known;
    const list = PostingList.of(this.few.subarray(this.ends[known - 1] ?? 0, this.ends[known]));
    this.lists.set(senderId, list);
    return list;
  }

  /** The list of a sender, created on first use. */
  of(senderId: number): PostingList {
    let list = this.get(senderId);
    if (!list) this.lists.set(senderId, (list = new PostingList()));
    return list;
  }
}
