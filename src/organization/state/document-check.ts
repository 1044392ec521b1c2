import { Compile, type Validator } from 'typebox/compile';
import { COLLECTIONS } from '../../../schemas/collections.js';
import { DamagedError, type Document } from '../../store/port.js';

/** Compiled checks by collection, made on first use: compiling all of them takes a tenth of a second. */
const checks = new Map<string, Validator>();

/**
 * What is wrong with a document, as a phrase after "it"; null for a valid document, and for documents of
 * unknown collections.
 */
export function documentFault(collection: string, document: Document): string | null {
  const check = checkOf(collection);
  if (!check || check.Check(document)) return null;
  const [first] = check.Errors(document);
  if (!first) return 'does not fit its schema';
  const place = first.instancePath === '' ? 'it' : first.instancePath.slice(1).replaceAll('/', '.');
  return `does not fit its schema: ${place} ${first.message}`;
}

/** @throws DamagedError for a document that does not match the schema of its collection */
export function assertDocument(
  store: string,
  collection: string,
  id: string,
  document: Document,
): void {
  const fault = documentFault(collection, document);
  if (fault !== null) throw new DamagedError(store, `${collection}:${id}`, `it ${fault}`);
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
