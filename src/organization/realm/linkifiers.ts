import type { LinkifierDocument } from '../../../schemas/realm/linkifiers.js';
import { MAX_LINKIFIERS } from '../../../schemas/limits.js';
import { badRequest, invalidFields } from '../../errors/index.js';
import { LinkifierFault } from '../../services/linkifiers/fault.js';
import { Linkifier, type LinkifierSource } from '../../services/linkifiers/linkifier.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** All linkifiers as clients see them, in their order. */
export function linkifierList(org: Organization) {
  return org.linkifiers.ordered().map(({ order: _order, ...shown }) => shown);
}

/** New values of a linkifier; an absent one changes nothing, an empty text removes the value. */
interface LinkifierChange {
  readonly pattern: string;
  readonly url_template: string;
  readonly example_input?: string | null;
  readonly reverse_template?: string | null;
  readonly alternative_url_templates?: readonly string[];
}

/** Adds a linkifier, last in order (specification-endpoints.md#add-linkifier). @throws ApiError */
export function addLinkifier(tx: Transaction, change: LinkifierChange): LinkifierDocument {
  const { linkifiers, counters } = tx.org;
  const source = checked(tx.org, change, null);
  if (linkifiers.size >= MAX_LINKIFIERS) {
    throw badRequest(`An organization can have at most ${MAX_LINKIFIERS} linkifiers.`);
  }
  const order = Math.max(0, ...linkifiers.ordered().map((one) => one.order)) + 1;
  const added = linkifiers.insert({ id: counters.next('linkifier'), order, ...source });
  emitLinkifiers(tx);
  return added;
}

/**
 * Changes a linkifier (specification-endpoints.md#update-linkifier); emits nothing where nothing changes.
 * @throws ApiError
 */
export function changeLinkifier(tx: Transaction, id: number, change: LinkifierChange): void {
  const current = existing(tx.org, id);
  const source = checked(tx.org, change, current);
  const same = (Object.keys(source) as (keyof LinkifierSource)[]).every(
    (key) => JSON.stringify(source[key]) === JSON.stringify(current[key]),
  );
  if (same) return;
  tx.org.linkifiers.update(id, source);
  emitLinkifiers(tx);
}

/** @throws ApiError */
export function removeLinkifier(tx: Transaction, id: number): void {
  tx.org.linkifiers.delete(existing(tx.org, id).id);
  emitLinkifiers(tx);
}

/**
 * Puts the linkifiers in this order (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields).
 * @throws ApiError
 */
export function reorderLinkifiers(tx: Transaction, ids: readonly number[]): void {
  const { linkifiers } = tx.org;
  if (new Set(ids).size !== ids.length) {
    throw badRequest('The ordered list must not contain duplicated linkifiers');
  }
  if (ids.length !== linkifiers.size || !ids.every((id) => linkifiers.has(id))) {
    throw badRequest('The ordered list must enumerate all existing linkifiers exactly once');
  }
  if (linkifiers.ordered().every((one, index) => one.id === ids[index])) return;
  ids.forEach((id, index) => linkifiers.update(id, { order: index + 1 }));
  emitLinkifiers(tx);
}

function existing(org: Organization, id: number): LinkifierDocument {
  const found = org.linkifiers.get(id);
  if (!found) throw badRequest('Linkifier not found.');
  return found;
}

/** @throws ApiError with the faults by field (errors-by-endpoint.md#by-endpoint) */
function checked(org: Organization, change: LinkifierChange, current: LinkifierDocument | null) {
  const { example_input, reverse_template, alternative_url_templates } = change;
  const source = {
    pattern: change.pattern.trim(),
    url_template: change.url_template.trim(),
    example_input: (example_input ?? current?.example_input) || null,
    reverse_template: (reverse_template ?? current?.reverse_template) || null,
    alternative_url_templates: [
      ...(alternative_url_templates ?? current?.alternative_url_templates ?? []),
    ],
  };
  const holder = org.linkifiers.byPattern(source.pattern);
  if (holder && holder.id !== current?.id) {
    throw invalidFields('pattern', 'Linkifier already exists.');
  }
  try {
    Linkifier.read(source);
  } catch (error) {
    if (!(error instanceof LinkifierFault)) throw error;
    // A stored example must not block a change of the pattern where nothing needs it any more, because
    // specification-endpoints.md#update-linkifier has no parameter for another one.
    const stale = error.field === 'example_input' && (example_input ?? null) === null;
    if (stale && source.reverse_template === null) return { ...source, example_input: null };
    throw invalidFields(error.field ?? '__all__', error.message);
  }
  return source;
}

function emitLinkifiers(tx: Transaction): void {
  tx.emit('realm_linkifiers', { to: 'all' }, { realm_linkifiers: linkifierList(tx.org) });
}
