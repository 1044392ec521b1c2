import Type from 'typebox';
import { collection } from '../collection.js';

/** Time up to which ended waiting periods are applied to `role:fullmembers`, milliseconds since 1970. */
export const waitingPeriodCollection = collection(
  'waiting_period',
  Type.Object({ counted_until: Type.Integer() }),
);
