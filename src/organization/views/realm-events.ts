/** The only place that emits `realm` (events-organization.md#organization): changed settings, to everybody. */
import type { EventFields } from '../../../schemas/events.js';
import type { RealmDocument } from '../../../schemas/realm/realm-document.js';
import type { Transaction } from '../state/transaction.js';

type RealmEvent = EventFields<'realm'>;
/** Settings that share an event, or a picture. */
export type RealmUpdateDict = Extract<RealmEvent, { op: 'update_dict' }>;
/** Settings that have an event of their own. */
export type PlainRealmSetting = keyof RealmDocument &
  Extract<RealmEvent, { op: 'update' }>['property'];

/** Emits the present value of a setting. */
export function emitRealmSetting(tx: Transaction, property: PlainRealmSetting): void {
  if (property === 'require_two_factor') {
    const { require_two_factor: value = 'nobody' } = tx.org.realm.current;
    tx.emit('realm', { to: 'all' }, { op: 'update', property, value });
    return;
  }
  const value = tx.org.realm.current[property];
  tx.emit('realm', { to: 'all' }, { op: 'update', property, value });
}

/** Emits the present name again: a trial that changes nothing. @param users absent: everybody */
export function emitNameAgain(tx: Transaction, users?: readonly number[]): void {
  const { name: value } = tx.org.realm.current;
  const audience = users ? ({ to: 'users', users: [...users] } as const) : ({ to: 'all' } as const);
  tx.emit('realm', audience, { op: 'update', property: 'name', value });
}

/** Emits settings that share an event, or a picture. */
export function emitRealmUpdateDict(tx: Transaction, update: RealmUpdateDict): void {
  tx.emit('realm', { to: 'all' }, update);
}

/** The update of settings that share an event. */
export function sharedSettings<D>(data: D) {
  return { op: 'update_dict', property: 'default', data } as const;
}

/** Emits that the organization was deactivated. */
export function emitRealmDeactivated(tx: Transaction, realmId: number): void {
  tx.emit('realm', { to: 'all' }, { op: 'deactivated', realm_id: realmId });
}
