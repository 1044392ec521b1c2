import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Versions of the documents, by collection; the only document of its collection. */
export const SchemaVersionsDocument = Type.Object({
  /** An absent collection has version 1. */
  versions: Type.Record(Type.String(), Type.Integer()),
  /** The running migration: it continues after the last migrated document. */
  under_way: Type.Optional(
    Type.Object({ collection: Type.String(), to: Type.Integer(), after: Type.String() }),
  ),
});
export type SchemaVersionsDocument = Static<typeof SchemaVersionsDocument>;

/** The stored documents of `schema_versions`. */
export const schemaVersionsCollection = collection('schema_versions', SchemaVersionsDocument);
