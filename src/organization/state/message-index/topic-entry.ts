import type { PostingList } from './posting-list.js';

/** The messages of one topic; direct conversations have one, with the empty name. */
export interface TopicEntry {
  readonly number: number;
  readonly recipientId: number;
  /** Lower-case name: topics compare without case. */
  readonly key: string;
  /** Spelling of its newest message; in a topic without messages that of a deleted one. */
  name: string;
  readonly list: PostingList;
  /** Numbers of further spellings; the first one has the topic's own number. */
  others: Map<string, number> | null;
}
