import type { TopicDeletionDocument } from '../../../../schemas/messages/topic-deletion-document.js';
import { ActorCollection } from '../actor-collection.js';
import type { Recorder } from '../collection.js';

/** The id of the deletion of a topic, by which it is stored. */
export function deletionId({
  recipient_id,
  reader_id,
  topic,
}: Pick<TopicDeletionDocument['context'], 'recipient_id' | 'reader_id' | 'topic'>): string {
  return `${recipient_id}:${reader_id ?? ''}:${topic}`;
}

/** The deletions of topics that go on or rest, counted by state. */
export class TopicDeletionCollection extends ActorCollection<TopicDeletionDocument> {
  constructor(recorder: Recorder) {
    super('topic_deletion', recorder, ({ context }) => deletionId(context));
  }
}
