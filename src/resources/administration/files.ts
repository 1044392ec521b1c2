import * as descriptors from '../../../schemas/administration/files.js';
import { CONSOLE_FILES } from '../../../schemas/administration/files.js';
import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import { badRequest } from '../../errors/index.js';
import { recordAction } from '../../organization/state/audit.js';
import type { Organization } from '../../organization/state/organization.js';
import { dropAttachment, uploadQuotaMib } from '../../organization/uploads/attachments.js';
import { inStretches } from '../../turns/event-loop-yield.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { removeBlobs, type PictureParts } from '../users/picture-upload.js';

/** Uploaded files of everybody (endpoints-organization.md#console). */
export function fileUsageHandlers(
  parts: Pick<PictureParts, 'blobs' | 'onBlobError'>,
): AnyHandler[] {
  return [
    handlePrepared(descriptors.getFilesUsage, usageOf, (_tx, _request, usage) => usage),
    handle(descriptors.deleteAnyFile, (tx, { params: { attachment_id } }) => {
      const attachment = tx.org.attachments.get(attachment_id);
      if (!attachment) throw badRequest('Invalid attachment');
      // Its name is its uploader's, and an erasure of theirs would not find it here.
      const { id, user_id, size } = attachment;
      const fields = [
        { name: 'user_id', old: String(user_id), new: null },
        { name: 'size', old: String(size), new: null },
      ];
      recordAction(tx, { kind: 'file', id, name: '', action: 'removed', fields });
      dropAttachment(tx, attachment, (key) => removeBlobs(parts, [key]));
      return {};
    }),
  ];
}

/** Visits every file once, in stretches: others are served in between. */
async function usageOf(org: Organization) {
  const { attachments } = org;
  const largest = new Largest<AttachmentDocument>(({ size }) => size);
  await inStretches(attachments.values(), (one) => largest.add(one));
  const people = new Largest<readonly [number, number]>(([, bytes]) => bytes);
  await inStretches(attachments.bytesByUser(), (one) => people.add(one));
  const quota = uploadQuotaMib(org);
  return {
    used_bytes: attachments.spaceUsed,
    quota_bytes: quota === null ? null : quota * 1024 * 1024,
    file_count: attachments.size,
    people: people.rows.map(([user_id, bytes]) => ({
      ...{ user_id, files: attachments.countOf(user_id), bytes },
    })),
    largest: largest.rows.map(({ id, name, user_id, size, create_time, message_ids }) => ({
      ...{ id, name, user_id, bytes: size, created_at: create_time * 1000 },
      messages: message_ids.length,
    })),
  };
}

/** The largest of many, in one pass. */
class Largest<T> {
  private kept: T[] = [];
  /** What is not larger is not among them. */
  private least = -1;

  constructor(private readonly size: (one: T) => number) {}

  add(one: T): void {
    if (this.size(one) <= this.least) return;
    this.kept.push(one);
    if (this.kept.length < 2 * CONSOLE_FILES) return;
    // In one go, not for each.
    this.kept = this.rows;
    this.least = this.size(this.kept.at(-1)!);
  }

  get rows(): T[] {
    return this.kept.sort((a, b) => this.size(b) - this.size(a)).slice(0, CONSOLE_FILES);
  }
}
