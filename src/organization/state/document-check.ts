import { Compile, type Validator } from 'typebox/compile';
import { COLLECTIONS } from '../../../schemas/collections.js';
import { DamagedError, type Document } from '../../store/port.js';

/** A collection, as far as its documents name themselves. */
export interface Keyed {
  readonly name: string;
  /** The id that a document says of itself; its key is this as a text. */
  idOf(document: object): string | number;
}

/** Compiled checks by collection, made on first use: compiling all of them takes a tenth of a second. */
const checks = new Map<string, Validator>();

/**
 * What is wrong with a document, as a phrase after "it"; null for one that fits its schema, and lies under the key that it
 * says: it would answer under another id, or take the place of another, otherwise.
 */
export function documentFault(collection: Keyed, id: string, document: Document): string | null {
  const fault = schemaFault(collection.name, document);
  if (fault !== null) return fault;
  const own = String(collection.idOf(document));
  return own === id ? null : `says that it is ${collection.name}:${own}`;
}

/** As above, of the schema alone; null for documents of unknown collections, too. */
function schemaFault(collection: string, document: Document): string | null {
  const check = checkOf(collection);
  if (!check || check.Check(document)) return null;
  const [first] = check.Errors(document);
  if (!first) return 'does not fit its schema';
  const place = first.instancePath === '' ? 'it' : first.instancePath.slice(1).replaceAll('/', '.');
  return `does not fit its schema: ${place} ${first.message}`;
}

/** @throws DamagedError for a document that does not match its collection */
export function assertDocument(
  store: string,
  collection: Keyed,
  id: string,
  document: Document,
): void {
  const fault = documentFault(collection, id, document);
  if (fault !== null) throw new DamagedError(store, `${collection.name}:${id}`, `it ${fault}`);
}

function checkOf(collection: string): Validator | undefined {
  const known = checks.get(collection);
  if (known) return known;
  const declared = COLLECTIONS.get(collection);
  if (!declared) return undefined;
  const check = Compile(declared.document);
  checks.set(collection, check);
  return check;
}
