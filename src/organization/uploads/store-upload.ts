import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_FILE_UPLOAD_SIZE_MIB } from '../../../schemas/limits.js';
import { fileTooLarge } from '../../errors/index.js';
import { putNew, type BlobStore } from '../../services/blob-store.js';
import { checksumOfFile } from '../../services/file-checksum.js';
import { withoutInvalidCharacters } from '../../services/text/stored-text.js';
import { pictureHead } from '../../services/pictures/picture-head.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { Organization } from '../state/organization.js';
import { attachmentKey, checkUploadFits, newPathId, type StoredFile } from './attachments.js';
import { mayHaveThumbnails } from './media.js';

/** Copying a smaller file takes less than a fifth of a millisecond, bytes. */
const LARGE_BYTES = 1024 * 1024;

/** A file whose bytes are stored, and whose document is still to be made (`addAttachment`). */
export interface StoredUpload {
  readonly file: StoredFile;
  /** Gives up the reservation: call it in the transaction that makes the document, or where there will be none. */
  readonly release: () => void;
}

/**
 * Stores the bytes of a user's file.
 * @param remove files in the background
 * @throws ApiError where it is too large or does not fit
 */
export async function storeUpload(
  org: Organization,
  blobs: Pick<BlobStore, 'put'>,
  user: UserDocument,
  given: { readonly name: string; readonly data: Buffer },
  remove: (keys: readonly string[]) => void,
): Promise<StoredUpload> {
  const size = given.data.length;
  if (size > MAX_FILE_UPLOAD_SIZE_MIB * 1024 * 1024) throw fileTooLarge(MAX_FILE_UPLOAD_SIZE_MIB);
  checkUploadFits(org, user, size);
  const name = shownName(given.name);
  const path_id = newPathId(name);
  // Reserved, because parallel uploads would all pass the check before the first is stored.
  const release = org.attachments.reservations.add(user.user_id, size);
  let sha256: string;
  try {
    // The thread that makes the checksum gets a copy, which takes milliseconds: of uploads that came together one at a time.
    if (size > LARGE_BYTES) await EventLoopYield.of(org.accountOf(user.user_id)).take();
    sha256 = await checksumOfFile(given.data);
    await putNew(blobs, [[attachmentKey({ path_id }), given.data]], remove);
  } catch (error) {
    release();
    throw error;
  }
  const head = mayHaveThumbnails(name) ? pictureHead(given.data) : undefined;
  return { file: { name, path_id, size, sha256, head }, release };
}

/** Longest name that is kept, in UTF-16 units. */
const MAX_NAME_LENGTH = 250;

/**
 * The displayed name of a file: without folders, and without what is invisible or turns the direction of text, which
 * would show `photo.exe` as another kind of file.
 */
export function shownName(given: string): string {
  const name = given
    .replace(/^.*[/\\]/s, '')
    .trim()
    .slice(-MAX_NAME_LENGTH);
  return withoutInvalidCharacters(name).trim() || 'uploaded-file';
}
