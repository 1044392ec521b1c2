import Type, { type Static } from 'typebox';

/**
 * Which version the documents of each collection have; the only document of its collection. A collection
 * that is not named has version 1.
 */
export const SchemaVersionsDocument = Type.Object({
  versions: Type.Record(Type.String(), Type.Integer()),
});
export type SchemaVersionsDocument = Static<typeof SchemaVersionsDocument>;
