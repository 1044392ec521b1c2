import type { RealmDocument } from '../../../schemas/realm/realm-document.js';
import type { Transaction } from '../state/transaction.js';
import { emitRealmUpdateDict, type RealmUpdateDict } from '../views/realm-events.js';

/** URL path of the organization's uploaded pictures. */
export const REALM_IMAGES_PATH = '/user_avatars/realm/';

/** Pictures of an organization. */
export type RealmImage = 'icon' | 'logo' | 'night_logo';

/** Default pictures. The icon is no SVG because the mobile app cannot show one. */
const DEFAULT_PICTURE = {
  icon: '/static/icon.png',
  logo: '/static/logo.svg',
  night_logo: '/static/night-logo.svg',
} as const;

/** Key of an uploaded picture in the blob store. */
export function realmImageKey(file: string): string {
  return `realm/${file}.png`;
}

/** URL of a picture of the organization; the version makes caches fetch a new one. */
export function realmImageUrl(realm: RealmDocument, image: RealmImage): string {
  const file = realm[`${image}_file`];
  const path = file === undefined ? DEFAULT_PICTURE[image] : `${REALM_IMAGES_PATH}${file}.png`;
  return `${path}?version=${realm[`${image}_version`]}`;
}

/** The icon in events and replies. */
export function realmIcon(realm: RealmDocument) {
  return { icon_url: realmImageUrl(realm, 'icon'), icon_source: realm.icon_source };
}

/** A changed picture, as in its event. */
function realmImageUpdate(realm: RealmDocument, property: RealmImage): RealmUpdateDict {
  const op = 'update_dict';
  const url = realmImageUrl(realm, property);
  switch (property) {
    case 'icon':
      return { op, property, data: realmIcon(realm) };
    case 'logo':
      return { op, property, data: { logo_url: url, logo_source: realm.logo_source } };
    case 'night_logo':
      return {
        op,
        property,
        data: { night_logo_url: url, night_logo_source: realm.night_logo_source },
      };
  }
}

/**
 * Changes a picture of the organization and emits it to everybody (events-organization.md#organization).
 * @param file name of a stored picture; null for the default
 * @param remove removes the file of the former picture, once the change is durable
 */
export function changeRealmImage(
  tx: Transaction,
  image: RealmImage,
  file: string | null,
  remove: (key: string) => void,
): void {
  const { org } = tx;
  const former = org.realm.current[`${image}_file`];
  const document: RealmDocument = {
    ...org.realm.current,
    [`${image}_version`]: org.realm.current[`${image}_version`] + 1,
    [`${image}_source`]: file === null ? DEFAULT_SOURCE[image] : 'U',
  };
  if (file === null) delete document[`${image}_file`];
  else document[`${image}_file`] = file;
  const changed = org.realm.insert(document);
  emitRealmUpdateDict(tx, realmImageUpdate(changed, image));
  if (former !== undefined) tx.onceDurable(() => remove(realmImageKey(former)));
}

const DEFAULT_SOURCE = { icon: 'G', logo: 'D', night_logo: 'D' } as const;
