import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Which versions the documents of the collections have; the only document of its collection. */
export const SchemaVersionsDocument = Type.Object({
  /** A collection that is not named has version 1. */
  versions: Type.Record(Type.String(), Type.Integer()),
  /** The migration that is under way: it goes on behind the document it did last. */
  under_way: Type.Optional(
    Type.Object({ collection: Type.String(), to: Type.Integer(), after: Type.String() }),
  ),
});
export type SchemaVersionsDocument = Static<typeof SchemaVersionsDocument>;

/** The stored documents of `schema_versions`. */
export const schemaVersionsCollection = collection('schema_versions', SchemaVersionsDocument);
