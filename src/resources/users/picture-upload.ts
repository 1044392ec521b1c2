import { randomBytes } from '../../platform/randomness.js';
import { MAX_AVATAR_FILE_SIZE_MIB } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { avatarKeys } from '../../organization/users/avatar-change.js';
import { putNew, type BlobStore } from '../../services/blob-store.js';
import type { Pictures } from '../../services/pictures/pictures.js';
import { filesOf, type UploadedFile } from '../kernel/route.js';

/** Dependencies of stored pictures. */
export interface PictureParts {
  readonly blobs: BlobStore;
  readonly pictures: Pictures;
  /** Called when an unused file could not be removed, which only costs space. */
  readonly onBlobError: (error: unknown) => void;
}

/** The one file of a request, or null where it has none. @throws ApiError when it has several */
export function onlyFile(request: object): UploadedFile | null {
  const files = filesOf(request);
  if (files.length > 1) throw badRequest('You may only upload one file at a time');
  return files[0] ?? null;
}

/**
 * Stores an uploaded picture of a person in its two sizes, under a random name.
 * @param userId who uploads it
 * @returns the name
 * @throws ApiError for a file that is too large, or `BAD_IMAGE`
 */
export async function storePicture(
  parts: PictureParts,
  file: UploadedFile,
  userId: number,
): Promise<string> {
  if (file.data.length > MAX_AVATAR_FILE_SIZE_MIB * 1024 * 1024) {
    throw badRequest(
      `Uploaded file is larger than the allowed limit of ${MAX_AVATAR_FILE_SIZE_MIB} MiB`,
    );
  }
  const { normal, medium } = await parts.pictures.avatar(file.data, userId);
  const name = randomBytes(16).toString('hex');
  const keys = avatarKeys(name);
  const files = [[keys.normal, normal] as const, [keys.medium, medium] as const];
  await putNew(parts.blobs, files, (stored) => removeBlobs(parts, stored));
  return name;
}

/** Removes a picture that `storePicture` stored, in the background. */
export function removePicture(parts: PictureParts, name: string): void {
  removeBlobs(parts, Object.values(avatarKeys(name)));
}

/** Removes files in the background. */
export function removeBlobs(
  { blobs, onBlobError }: Pick<PictureParts, 'blobs' | 'onBlobError'>,
  keys: readonly string[],
): void {
  for (const key of keys) blobs.delete(key).catch(onBlobError);
}
