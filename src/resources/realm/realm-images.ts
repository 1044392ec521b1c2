import { randomBytes } from '../../platform/randomness.js';
import * as descriptors from '../../../schemas/realm/realm-images.js';
import { MAX_ICON_FILE_SIZE_MIB, MAX_LOGO_FILE_SIZE_MIB } from '../../../schemas/limits.js';
import { badRequest, fileTooLarge } from '../../errors/index.js';
import {
  changeRealmImage,
  realmIcon,
  realmImageKey,
  realmImageUrl,
} from '../../organization/realm/realm-images.js';
import { putNew } from '../../services/blob-store.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { removeBlobs, type PictureParts } from '../users/picture-upload.js';
import { filesOf } from '../kernel/route.js';

const logoKind = (night: boolean) => (night ? 'night_logo' : 'logo');

/** The organization's icon and logos (endpoints-organization.md#change-organization). */
export function realmImageHandlers(parts: PictureParts): readonly AnyHandler[] {
  const remove = (key: string) => removeBlobs(parts, [key]);
  return [
    handle(descriptors.getIcon, ({ org }) => realmIcon(org.realm.current)),
    handlePrepared(
      descriptors.uploadIcon,
      (_org, request) => store(parts, request, 'icon', request.user.user_id),
      (tx, _request, file) => {
        changeRealmImage(tx, 'icon', file, remove);
        return realmIcon(tx.org.realm.current);
      },
      (file) => remove(realmImageKey(file)),
    ),
    handle(descriptors.removeIcon, (tx) => {
      changeRealmImage(tx, 'icon', null, remove);
      return realmIcon(tx.org.realm.current);
    }),
    handle(descriptors.getLogo, ({ org }, { params }) => {
      const image = logoKind(params.night);
      const realm = org.realm.current;
      return { logo_url: realmImageUrl(realm, image), logo_source: realm[`${image}_source`] };
    }),
    handlePrepared(
      descriptors.uploadLogo,
      (_org, request) => store(parts, request, 'logo', request.user.user_id),
      (tx, { params }, file) => {
        changeRealmImage(tx, logoKind(params.night), file, remove);
        return {};
      },
      (file) => remove(realmImageKey(file)),
    ),
    handle(descriptors.removeLogo, (tx, { params }) => {
      changeRealmImage(tx, logoKind(params.night), null, remove);
      return {};
    }),
  ];
}

const LIMIT_MIB = { icon: MAX_ICON_FILE_SIZE_MIB, logo: MAX_LOGO_FILE_SIZE_MIB } as const;

/** Stores an uploaded picture under a random name. @returns the name @throws ApiError */
async function store(
  parts: PictureParts,
  request: object,
  kind: 'icon' | 'logo',
  userId: number,
): Promise<string> {
  const files = filesOf(request);
  if (files.length !== 1) throw badRequest(`You must upload exactly one ${kind}.`);
  const { data } = files[0]!;
  if (data.length > LIMIT_MIB[kind] * 1024 * 1024) throw fileTooLarge(LIMIT_MIB[kind]);
  const picture = await parts.pictures[kind](data, userId);
  const name = randomBytes(16).toString('hex');
  const file = [realmImageKey(name), picture] as const;
  await putNew(parts.blobs, [file], (keys) => removeBlobs(parts, keys));
  return name;
}
