import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { ScheduledDocument } from './scheduled-actors.js';
import type { ScheduledCollection } from './scheduled-collection.js';

/** Documents read before a transaction, by id. */
export type Loaded<D> = ReadonlyMap<number, D>;

/** Loads all items of a user. */
export function loadOwned<D extends ScheduledDocument>(
  collection: ScheduledCollection<D>,
  userId: number,
): Promise<Loaded<D>> {
  return collection.fetch(collection.index.ofUser(userId));
}

/** Loads an item, if it is the user's. */
export function loadOne<D extends ScheduledDocument>(
  collection: ScheduledCollection<D>,
  user: UserDocument,
  id: number,
): Promise<Loaded<D>> {
  const own = collection.index.get(id)?.owner === user.user_id;
  return collection.fetch(own ? [id] : []);
}

/** The current document of an existing item. @throws DamagedError when it could not be read */
export function currentOf<D extends ScheduledDocument>(
  collection: ScheduledCollection<D>,
  id: number,
  loaded: Loaded<D>,
): D {
  // Documents written since the load are in memory.
  const document = collection.resident(id) ?? loaded.get(id);
  if (!document) throw collection.damaged(id);
  return document;
}

/** All readable items of a user, by time and then by id. */
export function ownedNow<D extends ScheduledDocument>(
  collection: ScheduledCollection<D>,
  userId: number,
  loaded: Loaded<D>,
): D[] {
  return collection.index
    .ofUser(userId)
    .flatMap((id) => collection.resident(id) ?? loaded.get(id) ?? [])
    .sort(bySchedule);
}

/** By time, then by id. */
export function bySchedule(
  { context: a }: ScheduledDocument,
  { context: b }: ScheduledDocument,
): number {
  return a.deliver_at - b.deliver_at || a.id - b.id;
}
