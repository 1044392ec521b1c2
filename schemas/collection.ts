import type { TSchema } from 'typebox';

/** What the documents of a collection of the store are. */
export interface CollectionDescriptor<D extends TSchema = TSchema> {
  /** Name of the collection, unique in the store. */
  readonly collection: string;
  /**
   * Loading checks every document against it, so a field that comes later is optional, or comes with a migration
   * that gives it to the documents there are (`src/organization/state/migrations`).
   */
  readonly document: D;
  /** Not a collection of the organization in memory: something else reads it. */
  readonly apart: boolean;
}

/** Declares a collection that the organization holds in memory; a start fails where it does not. */
export function collection<D extends TSchema>(name: string, document: D): CollectionDescriptor<D> {
  return { collection: name, document, apart: false };
}

/** Declares a collection that the organization does not hold in memory. */
export function collectionApart<D extends TSchema>(
  name: string,
  document: D,
): CollectionDescriptor<D> {
  return { collection: name, document, apart: true };
}

/** Whether a value was declared as a collection. */
export function isCollection(value: unknown): value is CollectionDescriptor {
  return (
    typeof value === 'object' && value !== null && 'collection' in value && 'document' in value
  );
}
