import type { TSchema } from 'typebox';

/** A collection of the store, and the schema of its documents. */
export interface CollectionDescriptor<D extends TSchema = TSchema> {
  /** Name of the collection, unique in the store. */
  readonly collection: string;
  /**
   * Loading checks every document against it, so a new field is optional, or comes with a migration that adds
   * it to existing documents (`src/organization/state/migrations.ts`).
   */
  readonly document: D;
  /** True for a collection that the organization does not load into memory. */
  readonly apart: boolean;
}

/** Declares a collection that the organization keeps in memory; without a field for it the start fails. */
export function collection<D extends TSchema>(name: string, document: D): CollectionDescriptor<D> {
  return { collection: name, document, apart: false };
}

/** Declares a collection that the organization does not keep in memory. */
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
