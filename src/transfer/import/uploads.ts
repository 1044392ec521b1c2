/** Files that messages of an archive show. */
import { createHash } from 'node:crypto';
import { readFile } from '../../platform/files.js';
import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import { attachmentKey, REALM_ID, sanitizedName } from '../../organization/uploads/attachments.js';
import { checksumOfFile } from '../../services/file-checksum.js';
import type { Write } from '../../store/port.js';
import { fileIn } from './archive.js';
import { MAX_FILE, addImportedFile } from './stored-files.js';
import type { ImportJob } from './import-job.js';
import type { ImportTarget } from './import-target.js';

/** A file of the archive with the message that it is in. */
export interface ArchivedUpload {
  /** By which messages share it. */
  readonly id: string;
  /** In the archive. */
  readonly place: string;
  readonly name: string;
  readonly userId: number;
  /** UNIX seconds. */
  readonly timestamp: number;
}

/** Takes files that are in the archive. */
export class ArchiveUploads {
  /** Numbers here, by ids there. */
  private readonly taken = new Map<string, number>();
  /** Messages that link files, since this was last written; by file. */
  private waiting = new Map<number, number[]>();

  constructor(
    private readonly job: ImportJob,
    private readonly target: ImportTarget,
  ) {}

  /** Files that were taken. */
  get count(): number {
    return this.target.org.attachments.size;
  }

  /** Stores a file where no former message had it. @returns undefined where it is missing or too large */
  async store(file: ArchivedUpload): Promise<AttachmentDocument | undefined> {
    const { id, place, name, userId, timestamp } = file;
    const { attachments } = this.target.org;
    const known = this.taken.get(id);
    if (known !== undefined) return attachments.get(known);
    const { folder, blobs, omissions } = this.job;
    const path = await fileIn(folder, place, MAX_FILE);
    if (path === null) {
      omissions.add(`files above ${MAX_FILE} bytes, or missing`, name);
      return undefined;
    }
    const data = await readFile(path);
    // The same at each attempt, and known to nobody who does not have the file.
    const hash = createHash('sha256').update(`${id}\0`).update(data).digest('hex');
    const path_id = `${REALM_ID}/${hash.slice(0, 2)}/${hash.slice(2, 34)}/${sanitizedName(name)}`;
    if (!attachments.byPath(path_id)) {
      await blobs.put(attachmentKey({ path_id }), data);
      const sha256 = await checksumOfFile(data);
      const said = { name, path_id, user_id: userId, create_time: timestamp };
      const whole = { ...said, size: data.length, sha256 };
      const writes = this.target.transact(({ org }) => {
        addImportedFile(org, { id: org.counters.next('attachment'), ...whole, message_ids: [] });
      });
      await this.target.write(writes);
    }
    const stored = attachments.byPath(path_id)!;
    this.taken.set(id, stored.id);
    return stored;
  }

  /** Notes which files a message links. */
  link(messageId: number, files: readonly number[]): void {
    for (const id of files) {
      const list = this.waiting.get(id) ?? [];
      if (list.length === 0) this.waiting.set(id, list);
      list.push(messageId);
    }
  }

  /** What is to be written of the links that were noted. */
  linked(): readonly Write[] {
    const { waiting } = this;
    this.waiting = new Map();
    return this.target.transact(({ org }) => {
      for (const [id, messages] of waiting) {
        const former = org.attachments.get(id)!.message_ids;
        const message_ids = [...new Set([...former, ...messages])].sort((a, b) => a - b);
        org.attachments.update(id, { message_ids });
      }
    });
  }
}
