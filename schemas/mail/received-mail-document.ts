import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** A mail that became a message, by which one that comes again is told. */
export const ReceivedMailDocument = Type.Object({
  /** Digest of the mail's `Message-ID` and of the address it came to. */
  digest: Type.String(),
  /** Milliseconds since 1970. */
  received_at: Type.Integer(),
});
export type ReceivedMailDocument = Static<typeof ReceivedMailDocument>;

/** The stored documents of `received_mail`. */
export const receivedMailCollection = collection('received_mail', ReceivedMailDocument);
