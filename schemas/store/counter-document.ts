import Type from 'typebox';
import { collection } from '../collection.js';

/** Last value of a counter. */
export const counterCollection = collection(
  'counter',
  Type.Object({ name: Type.String(), last: Type.Integer() }),
);
