import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { MessageFlagsDocument, MessageDocument } from './message.js';
import { collectionApart } from '../collection.js';

/**
 * Messages of one conversation that retention removed together. Nobody sees them; they can be restored until
 * the configured time (`--keep-removed`) is over.
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
  /** Their personal flags, such as stars. */
  marks: Type.Array(MessageFlagsDocument),
});
export type MessageArchiveDocument = Static<typeof MessageArchiveDocument>;

/** The stored documents of `message_archive`. */
export const messageArchiveCollection = collectionApart('message_archive', MessageArchiveDocument);
