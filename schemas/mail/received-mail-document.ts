import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Record of a mail that was posted as a message; recognizes it when it is delivered again. */
export const ReceivedMailDocument = Type.Object({
  /** Digest of the mail's `Message-ID` and of the address it came to. */
  digest: Type.String(),
  /** Milliseconds since 1970. */
  received_at: Type.Integer(),
});
export type ReceivedMailDocument = Static<typeof ReceivedMailDocument>;

/** The stored documents of `received_mail`. */
export const receivedMailCollection = collection('received_mail', ReceivedMailDocument);
