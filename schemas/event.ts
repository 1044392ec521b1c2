import type { TSchema } from 'typebox';

const declared = new WeakSet<object>();

/** Declares events by their bodies, without `id`: the index of the area makes them part of the contract. */
export function events<const T extends readonly TSchema[]>(...bodies: T): T {
  declared.add(bodies);
  return bodies;
}

/** Whether a value was declared by `events`. */
export function isEvents(value: unknown): value is readonly TSchema[] {
  return typeof value === 'object' && value !== null && declared.has(value);
}
