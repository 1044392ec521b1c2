import type { RealmDocument } from '../../../schemas/realm/realm-document.js';
import type { Transaction } from '../state/transaction.js';

/** Where this server gives out uploaded pictures of the organization. */
export const REALM_IMAGES_PATH = '/user_avatars/realm/';

/** The pictures an organization has. */
export type RealmImage = 'icon' | 'logo' | 'night_logo';

/** Pictures of an organization that uploaded none. The mobile app shows the icon and knows no SVG. */
const DEFAULT_PICTURE = {
  icon: '/static/icon.png',
  logo: '/static/logo.svg',
  night_logo: '/static/night-logo.svg',
} as const;

/** Where the file of an uploaded picture is kept. */
export function realmImageKey(file: string): string {
  return `realm/${file}.png`;
}

/** Address of a picture of the organization; the version makes caches let go of an older one. */
export function realmImageUrl(realm: RealmDocument, image: RealmImage): string {
  const file = realm[`${image}_file`];
  const path = file === undefined ? DEFAULT_PICTURE[image] : `${REALM_IMAGES_PATH}${file}.png`;
  return `${path}?version=${realm[`${image}_version`]}`;
}

/** The icon as events and replies tell it. */
export function realmIcon(realm: RealmDocument) {
  return { icon_url: realmImageUrl(realm, 'icon'), icon_source: realm.icon_source };
}

/** What changed of a picture, as the event tells it. */
function realmImageUpdate(realm: RealmDocument, property: RealmImage) {
  const url = realmImageUrl(realm, property);
  switch (property) {
    case 'icon':
      return { property, data: realmIcon(realm) };
    case 'logo':
      return { property, data: { logo_url: url, logo_source: realm.logo_source } };
    case 'night_logo':
      return {
        property,
        data: { night_logo_url: url, night_logo_source: realm.night_logo_source },
      };
  }
}

/**
 * Gives the organization another picture and tells everybody (events-organization.md#organization).
 * @param file name of an uploaded picture that is stored; null for the default
 * @param remove removes a file that nobody names any more, once that is durable
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
  tx.emit('realm', { to: 'all' }, { op: 'update_dict', ...realmImageUpdate(changed, image) });
  if (former !== undefined) tx.onceDurable(() => remove(realmImageKey(former)));
}

const DEFAULT_SOURCE = { icon: 'G', logo: 'D', night_logo: 'D' } as const;
