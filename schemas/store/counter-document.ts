import Type from 'typebox';
import { collection } from '../collection.js';

/** The newest number given of a sequence. */
export const counterCollection = collection(
  'counter',
  Type.Object({ name: Type.String(), last: Type.Integer() }),
);
