import type { EventFields } from '../../../schemas/events.js';
import type { SnippetDocument } from '../../../schemas/personal/saved-snippets.js';
import { MAX_SNIPPETS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** A user's snippets as clients see them, oldest first. */
export function savedSnippets(org: Organization, userId: number) {
  return org.savedSnippets.of(userId).map(shown);
}

function shown({ user_id: _owner, ...snippet }: SnippetDocument) {
  return snippet;
}

/** Saves a snippet (endpoints-personal.md#personal-things). @throws ApiError */
export function addSnippet(
  tx: Transaction,
  userId: number,
  title: string,
  content: string,
): SnippetDocument {
  const { org } = tx;
  if (org.savedSnippets.countOf(userId) >= MAX_SNIPPETS) {
    throw badRequest(`You can have at most ${MAX_SNIPPETS} saved snippets.`);
  }
  const snippet = org.savedSnippets.insert({
    title: notBlank('title', title),
    content: notBlank('content', content),
    id: org.counters.next('saved_snippet'),
    user_id: userId,
    date_created: tx.seconds,
  });
  emitSnippets(tx, userId, { op: 'add', saved_snippet: shown(snippet) });
  return snippet;
}

/** Changes a snippet; emits nothing where nothing changes. @throws ApiError */
export function changeSnippet(
  tx: Transaction,
  userId: number,
  id: number,
  change: { readonly title?: string; readonly content?: string },
): void {
  const current = existing(tx.org, userId, id);
  const title = change.title === undefined ? current.title : notBlank('title', change.title);
  const content =
    change.content === undefined ? current.content : notBlank('content', change.content);
  if (title === current.title && content === current.content) return;
  const snippet = tx.org.savedSnippets.update(id, { title, content });
  emitSnippets(tx, userId, { op: 'update', saved_snippet: shown(snippet) });
}

/** @throws ApiError */
export function removeSnippet(tx: Transaction, userId: number, id: number): void {
  existing(tx.org, userId, id);
  tx.org.savedSnippets.delete(id);
  emitSnippets(tx, userId, { op: 'remove', saved_snippet_id: id });
}

function notBlank(name: string, value: string): string {
  if (value.includes('\0')) throw badRequest('Content must not contain null bytes');
  const trimmed = value.trim();
  if (trimmed === '') throw badRequest(`${name} cannot be blank`);
  return trimmed;
}

function existing(org: Organization, userId: number, id: number): SnippetDocument {
  const snippet = org.savedSnippets.get(id);
  if (snippet?.user_id !== userId) throw badRequest('Saved snippet does not exist.', 404);
  return snippet;
}

function emitSnippets(tx: Transaction, userId: number, data: EventFields<'saved_snippets'>): void {
  tx.emit('saved_snippets', { to: 'users', users: [userId] }, data);
}
