import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** The software that last served the organization; a change is announced by a `restart` event. */
export const ServerDocument = Type.Object({
  zulip_version: Type.String(),
  zulip_feature_level: Type.Integer(),
  software_version: Type.String(),
});
export type ServerDocument = Static<typeof ServerDocument>;

/** Where it is stored. */
export const serverCollection = collection('server', ServerDocument);
