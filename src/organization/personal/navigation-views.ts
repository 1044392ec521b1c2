import type { EventFields } from '../../../schemas/events.js';
import type { NavigationViewDocument } from '../../../schemas/personal/navigation-views.js';
import { MAX_NAVIGATION_VIEWS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** Views that every client has; users may pin but not name them (endpoints-personal.md#personal-things). */
const BUILT_IN: ReadonlySet<string> = new Set([
  'inbox',
  'recent',
  'feed',
  'drafts',
  'narrow/has/reaction/sender/me',
  'narrow/is/mentioned',
  'narrow/is/starred',
]);

/** New values of a view; an absent one changes nothing. */
interface ViewChange {
  readonly is_pinned?: boolean;
  readonly name?: string | null;
}

/** A user's views as clients see them, oldest first. */
export function navigationViews(org: Organization, userId: number) {
  return org.navigationViews.of(userId).map(shown);
}

function shown({ fragment, is_pinned, name }: NavigationViewDocument) {
  return { fragment, is_pinned, name };
}

/** Adds a view (specification-endpoints.md#add-navigation-view). @throws ApiError */
export function addNavigationView(
  tx: Transaction,
  userId: number,
  view: { readonly fragment: string; readonly is_pinned: boolean; readonly name?: string | null },
): void {
  const { navigationViews: all, counters } = tx.org;
  const { is_pinned } = view;
  const fragment = view.fragment.trim();
  if (fragment === '') throw badRequest('fragment cannot be blank');
  if (fragment.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw badRequest('Invalid fragment');
  }
  const name = checkedName(fragment, view.name);
  const own = all.of(userId);
  if (own.some((one) => one.fragment === fragment)) throw exists();
  assertFree(own, name);
  if (own.length >= MAX_NAVIGATION_VIEWS) {
    throw badRequest(`You can have at most ${MAX_NAVIGATION_VIEWS} navigation views.`);
  }
  const added = all.insert({
    id: counters.next('navigation_view'),
    user_id: userId,
    fragment,
    is_pinned,
    name,
  });
  emitNavigationView(tx, userId, { op: 'add', navigation_view: shown(added) });
}

/** Changes a view; emits nothing where nothing changes. @throws ApiError */
export function changeNavigationView(
  tx: Transaction,
  userId: number,
  fragment: string,
  change: ViewChange,
): void {
  const { navigationViews: all } = tx.org;
  const own = all.of(userId);
  const view = existing(own, fragment);
  const data: { is_pinned?: boolean; name?: string } = {};
  if (change.is_pinned !== undefined && change.is_pinned !== view.is_pinned) {
    data.is_pinned = change.is_pinned;
  }
  if (change.name !== undefined) {
    const name = checkedName(view.fragment, change.name);
    if (name !== null && name !== view.name) {
      assertFree(own, name);
      data.name = name;
    }
  }
  if (Object.keys(data).length === 0) return;
  all.update(view.id, data);
  emitNavigationView(tx, userId, { op: 'update', fragment: view.fragment, data });
}

/** @throws ApiError */
export function removeNavigationView(tx: Transaction, userId: number, fragment: string): void {
  const { navigationViews: all } = tx.org;
  const view = existing(all.of(userId), fragment);
  all.delete(view.id);
  emitNavigationView(tx, userId, { op: 'remove', fragment: view.fragment });
}

/** Built-in views have no name, all others need one. @throws ApiError */
function checkedName(fragment: string, given: string | null | undefined): string | null {
  const name = given?.trim() ?? null;
  if (BUILT_IN.has(fragment)) {
    if (name !== null) throw badRequest('Built-in views cannot have a custom name.');
    return null;
  }
  if (name === null || name === '') throw badRequest('Custom views must have a valid name.');
  return name;
}

function assertFree(own: readonly NavigationViewDocument[], name: string | null): void {
  if (name !== null && own.some((one) => one.name === name)) throw exists();
}

function exists() {
  return badRequest('Navigation view already exists.');
}

function existing(
  own: readonly NavigationViewDocument[],
  fragment: string,
): NavigationViewDocument {
  const found = own.find((one) => one.fragment === fragment);
  if (!found) throw badRequest('Navigation view does not exist.', 404);
  return found;
}

function emitNavigationView(
  tx: Transaction,
  userId: number,
  data: EventFields<'navigation_view'>,
): void {
  tx.emit('navigation_view', { to: 'users', users: [userId] }, data);
}
