import Type, { type Static } from 'typebox';
import { snapshot } from '../actor-snapshot.js';
import { collection } from '../collection.js';
import { nullable } from '../endpoint.js';
import { StoredTimeField } from '../store/stored-time.js';

/**
 * Deletion of a topic: the snapshot of its actor. Each batch changes it in the journal entry that deletes the messages.
 * One that is partial rests until the request is repeated; one that is complete or has failed leaves no document.
 */
export const TopicDeletionDocument = snapshot(
  'topic-deletion',
  2,
  ['deleting', 'partial', 'complete', 'failed'],
  Type.Object({
    recipient_id: Type.Integer(),
    /** Key of the topic: its name, as names that look alike are compared. */
    topic: Type.String(),
    /** Whose part of the history is deleted, where each subscriber has another one; else null. */
    reader_id: nullable(Type.Integer()),
    /** Who asked first, or brought it back from `partial`; each batch needs that they still may. */
    actor_id: Type.Integer(),
    /** Messages with a larger id stay: they were sent after the newest request. */
    newest: Type.Integer(),
    /** Messages deleted so far. */
    deleted: Type.Integer(),
    /** When it was first asked for. */
    started_at: StoredTimeField,
    /** When the time of the newest request is over. */
    until: StoredTimeField,
  }),
);
export type TopicDeletionDocument = Static<typeof TopicDeletionDocument>;

/** The stored documents of `topic_deletion`. */
export const topicDeletionCollection = collection('topic_deletion', TopicDeletionDocument);
