import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** The node that leads the organization, and where other nodes reach it. */
export const LeaderDocument = Type.Object({
  /** Id of its process. */
  node: Type.String(),
  /** Address of its internal listener. */
  host: Type.String(),
  port: Type.Integer(),
  /** Fencing token of its lease. */
  token: Type.Integer(),
  /** Milliseconds since 1970 when it took the lead. */
  since: Type.Integer(),
});
export type LeaderDocument = Static<typeof LeaderDocument>;

/** The stored documents of `leader`. */
export const leaderCollection = collection('leader', LeaderDocument);
