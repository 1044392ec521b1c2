import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/**
 * The newest round of digests: what the mails show, and the progress. Each further user is recorded in the transaction
 * that queues their mail, so that another leader goes on behind them.
 */
export const DigestRoundDocument = Type.Object({
  /** Day of UTC on which it began, days since 1970. */
  day: Type.Integer(),
  /** When it began, UNIX seconds. */
  at: Type.Integer(),
  /** It shows what was sent since then, UNIX seconds: not what the previous round showed. */
  since: Type.Integer(),
  /** The messages that it shows have ids from this one on … */
  first_message: Type.Integer(),
  /** … to this one. */
  last_message: Type.Integer(),
  /** Users up to this id are done. */
  after: Type.Integer(),
  /** Whether all users are. */
  ended: Type.Boolean(),
});
export type DigestRoundDocument = Static<typeof DigestRoundDocument>;

/** The stored document of `digest_round`. */
export const digestRoundCollection = collection('digest_round', DigestRoundDocument);
