import type { CollectionDescriptor } from '../../../schemas/collection.js';
import { COLLECTIONS } from '../../../schemas/collections.js';

/** Anything that takes documents at start-up. */
export interface Loadable {
  readonly name: string;
  load(document: object): void;
}

function isLoadable(field: object): field is Loadable {
  return 'load' in field && 'name' in field;
}

/**
 * The fields of an object that are collections, by name and in order. Those of the organization are the one
 * list of collections: loading and folding follow from it.
 * @throws Error unless they are exactly the collections that the schemas declare
 */
export function collectionsOf(
  holder: object,
  declared: ReadonlyMap<string, CollectionDescriptor> = COLLECTIONS,
): ReadonlyMap<string, Loadable> {
  const fields = Object.values(holder).filter(
    (field): field is object => typeof field === 'object' && field !== null,
  );
  const held = new Map(fields.filter(isLoadable).map((one) => [one.name, one]));
  for (const name of held.keys()) {
    if (!declared.has(name)) throw new Error(`No schema declares the collection ${name}`);
  }
  for (const [name, { apart }] of declared) {
    if (!apart && !held.has(name)) throw new Error(`Nothing holds the collection ${name}`);
  }
  return held;
}
