import { StateCounts } from '../../../../actors/state-counts.js';
import type { TopicDeletionDocument } from '../../../../schemas/messages/topic-deletion-document.js';
import { Collection, type Recorder } from '../collection.js';

/** The id of the deletion of a topic, by which it is stored. */
export function deletionId({
  recipient_id,
  reader_id,
  topic,
}: Pick<TopicDeletionDocument['context'], 'recipient_id' | 'reader_id' | 'topic'>): string {
  return `${recipient_id}:${reader_id ?? ''}:${topic}`;
}

/** The deletions of topics that go on or rest, counted by state. */
export class TopicDeletionCollection extends Collection<string, TopicDeletionDocument> {
  readonly states = new StateCounts();
  /** Is told of each change, a reverted one too, on the node that deletes. */
  onChange: (id: string, next: TopicDeletionDocument | undefined) => void = () => undefined;

  constructor(recorder: Recorder) {
    super('topic_deletion', recorder, ({ context }) => deletionId(context));
  }

  protected override reindex(previous?: TopicDeletionDocument, next?: TopicDeletionDocument): void {
    this.states.move(previous?.value, next?.value);
    this.onChange(deletionId((next ?? previous)!.context), next);
  }
}
