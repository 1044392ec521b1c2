import type { Json } from './json-schema.js';

/* Fields of the reply of `POST /register`, by kind: what they mean, and a value. */

const field = (type: string, description: string, examples: readonly unknown[]): Json => ({
  type,
  description,
  ...(examples.length > 0 ? { examples } : {}),
});

export const int = (description: string, ...examples: number[]): Json =>
  field('integer', description, examples);
export const num = (description: string): Json => ({ type: 'number', description });
export const str = (description: string, ...examples: string[]): Json =>
  field('string', description, examples);
export const bool = (description: string): Json => ({ type: 'boolean', description });
export const list = (description: string, items: Json = {}, ...examples: unknown[][]): Json => ({
  ...field('array', description, examples),
  items,
});
export const map = (description: string, ...examples: Json[]): Json =>
  field('object', description, examples);
export const orNull = ({ type, ...rest }: Json): Json => ({ type: [type, 'null'], ...rest });

export const INTS = { type: 'integer' };
export const TEXTS = { type: 'string' };
