/** Whether a document of a store is one, for tools that read stores without serving them. */
import type { Document } from '../../store/port.js';
import { documentFault, type Keyed } from './document-check.js';
import { MIGRATIONS, type Migration } from './migrations.js';
import { Organization } from './organization.js';
import { QUEUES } from './queue-documents.js';
import type { Site } from './site.js';

/** Documents that no collection in memory has; an archive of removed messages has an id of its own. */
const APART: readonly Keyed[] = [
  QUEUES,
  { name: 'message_archive', idOf: (document) => (document as { id: number }).id },
];

let known: ReadonlyMap<string, Keyed> | undefined;

/** How the documents of each collection name themselves: an organization without documents tells. */
function keyed(collection: string): Keyed | undefined {
  const site: Site = { url: '', botDomain: '', generation: 0 };
  known ??= new Map(
    [...new Organization(site, { getMany: async () => [] }, () => 0).loadable, ...APART].map(
      (one) => [one.name, one],
    ),
  );
  return known.get(collection);
}

/**
 * What is wrong with a stored document, as a phrase after "it"; null for one that is valid, or will be once the next
 * start has migrated it, and for one of an unknown collection.
 */
export function storedFault(collection: string, id: string, document: Document): string | null {
  const own = keyed(collection);
  if (own === undefined) return null;
  const fault = documentFault(own, id, document);
  const steps = MIGRATIONS.filter((step) => step.collection === collection);
  if (fault === null || steps.length === 0) return fault;
  // Of which version it is, it need not say: it is valid where it would be from one of them on.
  return steps.some((_, first) => isValidAfter(steps.slice(first))) ? null : fault;

  function isValidAfter(rest: readonly Migration[]): boolean {
    let migrated: Document | null = document;
    for (const step of rest) if (migrated !== null) migrated = step.migrate(migrated, id);
    return migrated === null || documentFault(own!, id, migrated) === null;
  }
}
