import Type from 'typebox';
import { collection } from '../collection.js';

/** Until when the waiting period of members was counted, UNIX milliseconds. */
export const waitingPeriodCollection = collection(
  'waiting_period',
  Type.Object({ counted_until: Type.Integer() }),
);
