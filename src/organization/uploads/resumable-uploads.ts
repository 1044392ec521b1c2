import type { ResumableUploadDocument } from '../../../schemas/uploads/resumable-uploads.js';
import { MAX_FILE_UPLOAD_SIZE_MIB, MAX_RESUMABLE_UPLOADS } from '../../../schemas/limits.js';
import {
  asTooLarge,
  fileTooLarge,
  tooManyUploads,
  unauthorized,
  uploadExpired,
  uploadOffsetDiffers,
  uploadTooLong,
} from '../../errors/index.js';
import type { BlobStore } from '../../services/blob-store.js';
import { newToken } from '../../services/auth/random-token.js';
import { pictureHead } from '../../services/pictures/picture-head.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Actor } from '../state/audited.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import type { Transactor } from '../state/runtime.js';
import { addAttachment, attachmentKey, checkUploadFits, newPathId } from './attachments.js';
import { mayHaveThumbnails } from './media.js';
import { shownName } from './store-upload.js';
import { LostPieceError, UploadPieces } from './upload-pieces.js';
import { earliest } from '../state/scheduled/next-due.js';

/** Time without further bytes after which an upload is given up: a day's work, with a closed laptop in between. */
const KEPT_SECONDS = 6 * 3600;
/** Time for which a complete one is remembered: a client whose last reply was lost asks soon. */
const FINISHED_SECONDS = 3600;
/** Expired uploads removed together. */
const BATCH = 100;

/** What begins an upload. */
export interface NewUpload {
  readonly name: string;
  readonly metadata: string;
  readonly size: number;
}

interface ResumableUploadsParts {
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'delete'>;
  /** A file or piece that nothing names any more could not be removed. */
  readonly onBlobError: (error: unknown) => void;
}

/** The user's upload. @throws ApiError 410 where there is none, or it has expired */
export function uploadOf(org: Organization, userId: number, id: string): ResumableUploadDocument {
  const upload = org.resumableUploads.get(id);
  if (upload?.user_id !== userId || upload.expires_at * 1000 <= org.now()) throw uploadExpired();
  return upload;
}

/**
 * ResumableUploads takes files that arrive in pieces, on the node that leads. How much of a file there is stands in its
 * document, which follows the bytes: what was acknowledged survives any crash and another leader, and may be sent on
 * from there. What follows one another in an upload is done in turns.
 */
export class ResumableUploads {
  private readonly pieces: UploadPieces;
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly runtime: Transactor,
    private readonly parts: ResumableUploadsParts,
  ) {
    this.pieces = new UploadPieces(parts.blobs);
  }

  /** Begins an upload; a file without bytes is complete at once. @throws ApiError */
  async create(userId: number, { name: given, metadata, size }: NewUpload): Promise<string> {
    const id = newToken();
    const name = shownName(given);
    await this.transact(userId, (tx, user) => {
      const { org } = tx;
      if (size > MAX_FILE_UPLOAD_SIZE_MIB * 1024 * 1024) {
        throw fileTooLarge(MAX_FILE_UPLOAD_SIZE_MIB);
      }
      checkUploadFits(org, user, size);
      if (org.resumableUploads.pendingOf(userId) >= MAX_RESUMABLE_UPLOADS) {
        throw tooManyUploads(MAX_RESUMABLE_UPLOADS);
      }
      const expires_at = tx.seconds + KEPT_SECONDS;
      const path_id = newPathId(name);
      const begun = { id, user_id: userId, name, path_id, metadata, size, offset: 0, expires_at };
      org.resumableUploads.insert({ ...begun, is_finished: false });
    });
    if (size === 0) await this.write(userId, id, 0, Buffer.alloc(0));
    return id;
  }

  /**
   * Stores the next bytes, at most a mebibyte; with the last ones the file.
   * @throws ApiError 409 where others are the next ones
   */
  write(userId: number, id: string, offset: number, bytes: Buffer): Promise<void> {
    return this.inTurn(id, async () => {
      const upload = uploadOf(this.org, userId, id);
      if (upload.offset !== offset) throw uploadOffsetDiffers();
      const end = offset + bytes.length;
      if (end > upload.size) throw uploadTooLong();
      if (upload.is_finished) return;
      try {
        if (end === upload.size) await this.finish(upload, bytes);
        else if (bytes.length > 0) {
          await this.pieces.append(upload, bytes);
          await this.advance(upload, end);
        }
      } catch (error) {
        if (!(error instanceof LostPieceError)) throw error;
        // A leader that had lost its role stored an older piece late, or a copy was restored without the pieces.
        await this.advance(upload, error.offset);
        throw uploadOffsetDiffers();
      }
    });
  }

  /** Resolves when nothing is under way in an upload. */
  settled(id: string): Promise<void> {
    return this.inTurn(id, async () => undefined);
  }

  /** Gives up an upload; a file that is complete stays. @throws ApiError 410 */
  end(userId: number, id: string): Promise<void> {
    return this.inTurn(id, async () => {
      const upload = uploadOf(this.org, userId, id);
      await this.transact(userId, ({ org }) => org.resumableUploads.delete(id));
      await this.giveUp(upload);
    });
  }

  /** Removes what has expired. @returns how many uploads that were not complete */
  async removeExpired(): Promise<number> {
    let removed = 0;
    for (;;) {
      const due = this.org.resumableUploads.expired(Math.floor(this.org.now() / 1000), BATCH);
      if (due.length === 0) return removed;
      this.runtime.transact(({ org }) => due.forEach(({ id }) => org.resumableUploads.delete(id)));
      await this.runtime.journal.barrier();
      for (const upload of due) await this.giveUp(upload);
      removed += due.filter(({ is_finished }) => !is_finished).length;
    }
  }

  /** When the next upload expires. */
  nextDue(): number {
    return earliest(
      [...this.org.resumableUploads.values()].map(({ expires_at }) => expires_at * 1000),
    );
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  /** Stores the file, and makes it known in one transaction with the end of the upload. */
  private async finish(upload: ResumableUploadDocument, last: Buffer): Promise<void> {
    const { id, user_id, name, path_id, size } = upload;
    const key = attachmentKey(upload);
    const file = await this.pieces.joined(upload, last);
    const head = mayHaveThumbnails(name)
      ? pictureHead(await this.pieces.head(upload, last))
      : undefined;
    await this.parts.blobs.put(key, file);
    const sha256 = Buffer.from(file.hash, 'hex').toString('base64url');
    try {
      await this.transact(user_id, (tx, user) => {
        tx.org.resumableUploads.update(id, {
          ...{ offset: size, expires_at: tx.seconds + FINISHED_SECONDS, is_finished: true },
        });
        addAttachment(tx, user, { name, path_id, size, sha256, head });
      });
    } catch (error) {
      // An unconfirmed commit may still become durable; a refusal changed nothing.
      if (!this.org.resumableUploads.get(id)?.is_finished) {
        await this.parts.blobs.delete(key).catch(this.parts.onBlobError);
      }
      throw error;
    }
    await this.removePieces(upload);
  }

  private async advance({ id, user_id }: ResumableUploadDocument, offset: number): Promise<void> {
    await this.transact(user_id, (tx) => {
      // It may have been removed while the bytes were stored.
      uploadOf(tx.org, user_id, id);
      tx.org.resumableUploads.update(id, { offset, expires_at: tx.seconds + KEPT_SECONDS });
    });
  }

  /** Removes what there may be of an upload that nobody can complete any more; of a complete one its file stays. */
  private async giveUp(upload: ResumableUploadDocument): Promise<void> {
    await this.removePieces(upload);
    if (upload.is_finished) return;
    // It may be there though it could not be stored.
    await this.parts.blobs.delete(attachmentKey(upload)).catch(this.parts.onBlobError);
  }

  private async removePieces(upload: ResumableUploadDocument): Promise<void> {
    await this.pieces.remove(upload).catch(this.parts.onBlobError);
  }

  /** Resolves when it is durable. @throws ApiError */
  private async transact(
    userId: number,
    work: (tx: Transaction, user: UserDocument) => void,
  ): Promise<void> {
    const user = this.org.users.get(userId);
    if (!user?.is_active) throw unauthorized('Account is deactivated');
    const actor: Actor = { way: 'api', user };
    try {
      this.runtime.transact((tx) => work(tx, user), actor);
    } catch (error) {
      throw asTooLarge(error);
    }
    await this.runtime.journal.barrier();
  }

  private async inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.turns.get(id) ?? Promise.resolve();
    const now = before.then(work, work);
    this.turns.set(id, now);
    try {
      return await now;
    } finally {
      if (this.turns.get(id) === now) this.turns.delete(id);
    }
  }
}
