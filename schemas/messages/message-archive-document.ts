import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { MessageFlagsDocument, MessageDocument } from './message-document.js';
import { collectionApart } from '../collection.js';

/**
 * Stored messages of one conversation that reached the end of their retention together. They are kept,
 * out of everybody's sight, until the operator's time for that is over, and can be restored.
 */
export const MessageArchiveDocument = Type.Object({
  id: Type.Integer(),
  /** When they were removed, UNIX seconds. */
  archived_at: Type.Integer(),
  recipient_id: Type.Integer(),
  /** Their channel, or null for direct messages. */
  stream_id: nullable(Type.Integer()),
  /** Ascending by id, not empty. */
  messages: Type.Array(MessageDocument),
  /** Stars and the like that they had. */
  marks: Type.Array(MessageFlagsDocument),
});
export type MessageArchiveDocument = Static<typeof MessageArchiveDocument>;

/** The stored documents of `message_archive`. */
export const messageArchiveCollection = collectionApart('message_archive', MessageArchiveDocument);
