import type { PlaygroundDocument } from '../../../schemas/realm/playgrounds.js';
import { MAX_PLAYGROUNDS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { LinkifierFault } from '../../services/linkifiers/fault.js';
import { invalidCharacterAt } from '../../services/text/stored-text.js';
import { readUrlTemplate } from '../../services/linkifiers/url-template.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** All playgrounds as clients see them, oldest first. */
export function playgroundList(org: Organization): PlaygroundDocument[] {
  return [...org.playgrounds.values()].sort((a, b) => a.id - b.id);
}

/** Adds a playground (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields). @throws ApiError */
export function addPlayground(
  tx: Transaction,
  given: Omit<PlaygroundDocument, 'id'>,
): PlaygroundDocument {
  const { playgrounds, counters } = tx.org;
  const wanted = checked(given);
  const isSame = (one: PlaygroundDocument) =>
    one.name === wanted.name && one.pygments_language === wanted.pygments_language;
  if ([...playgrounds.values()].some(isSame)) {
    throw badRequest('A playground of this name exists for the language.');
  }
  if (playgrounds.size >= MAX_PLAYGROUNDS) {
    throw badRequest(`An organization can have at most ${MAX_PLAYGROUNDS} playgrounds.`);
  }
  const added = playgrounds.insert({ id: counters.next('playground'), ...wanted });
  emitPlaygrounds(tx);
  return added;
}

/** @throws ApiError `Invalid playground` */
export function removePlayground(tx: Transaction, id: number): void {
  if (!tx.org.playgrounds.delete(id)) throw badRequest('Invalid playground');
  emitPlaygrounds(tx);
}

function checked(given: Omit<PlaygroundDocument, 'id'>): Omit<PlaygroundDocument, 'id'> {
  const name = given.name.trim();
  const pygments_language = given.pygments_language.trim();
  const url_template = given.url_template.trim();
  if (name === '') throw badRequest('name cannot be blank');
  const position = invalidCharacterAt(name);
  if (position !== null) throw badRequest(`Invalid character in name, at position ${position}!`);
  if (pygments_language === '') throw badRequest('pygments_language cannot be blank');
  if (!/^[a-zA-Z0-9 +\-_#.]*$/.test(pygments_language)) {
    throw badRequest('Invalid characters in pygments language');
  }
  const variables = variablesOf(url_template);
  if (!variables.includes('code')) {
    throw badRequest('Missing the required variable "code" in the URL template');
  }
  if (variables.length > 1) {
    throw badRequest('"code" should be the only variable present in the URL template');
  }
  return { name, pygments_language, url_template };
}

function variablesOf(template: string): readonly string[] {
  try {
    return readUrlTemplate(template, 'url_template').variables;
  } catch (error) {
    if (error instanceof LinkifierFault) throw badRequest(error.message);
    throw error;
  }
}

function emitPlaygrounds(tx: Transaction): void {
  tx.emit('realm_playgrounds', { to: 'all' }, { realm_playgrounds: playgroundList(tx.org) });
}
