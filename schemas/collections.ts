import { DECLARATIONS } from './declarations.js';
import { isCollection, type CollectionDescriptor } from './collection.js';

/** Every collection of the store, by name. */
export const COLLECTIONS: ReadonlyMap<string, CollectionDescriptor> = new Map(
  DECLARATIONS.filter(isCollection).map((one) => [one.collection, one]),
);
