import type { TSchema } from 'typebox';
import { exact } from './exact.js';

const declared = new WeakSet<object>();

/** Declares events by their bodies, without `id`: the index of the area makes them part of the contract. */
export function events<const T extends readonly TSchema[]>(...bodies: T): T {
  declared.add(bodies);
  return bodies;
}

/**
 * Options of an event that is one form of several with the same type and `op`: the name by which clients know it, in
 * place of a number behind the common one.
 */
export function formOfEvent<const N extends string>(eventName: `${N}Event`) {
  return { ...exact, eventName };
}

/** Whether a value was declared by `events`. */
export function isEvents(value: unknown): value is readonly TSchema[] {
  return typeof value === 'object' && value !== null && declared.has(value);
}
