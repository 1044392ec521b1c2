import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { ScheduledCollection, ScheduledDocument } from './scheduled-collection.js';

/** Documents read before a transaction, by id. */
export type Loaded<D> = ReadonlyMap<number, D>;

/** Reads everything of a kind that a user has scheduled. */
export function loadOwned<D extends ScheduledDocument>(
  collection: ScheduledCollection<D>,
  userId: number,
): Promise<Loaded<D>> {
  return collection.fetch(collection.index.ofUser(userId));
}

/** Reads one, if it is the user's. */
export function loadOne<D extends ScheduledDocument>(
  collection: ScheduledCollection<D>,
  user: UserDocument,
  id: number,
): Promise<Loaded<D>> {
  const own = collection.index.get(id)?.owner === user.user_id;
  return collection.fetch(own ? [id] : []);
}

/** The current document of one that exists. @throws Error when it was not loaded */
export function currentOf<D extends ScheduledDocument>(
  collection: ScheduledCollection<D>,
  id: number,
  loaded: Loaded<D>,
): D {
  // What was written since it was loaded is in memory.
  const document = collection.resident(id) ?? loaded.get(id);
  if (!document) throw new Error(`${collection.keyOf(id)} was not loaded`);
  return document;
}

/** Everything of a kind that a user has scheduled, by time and then by id. */
export function ownedNow<D extends ScheduledDocument>(
  collection: ScheduledCollection<D>,
  userId: number,
  loaded: Loaded<D>,
): D[] {
  return collection.index
    .ofUser(userId)
    .map((id) => currentOf(collection, id, loaded))
    .sort((a, b) => a.deliver_at - b.deliver_at || a.id - b.id);
}
