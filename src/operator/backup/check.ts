/** Reads a backup, and says what is wrong with it, before somebody needs it. */
import { join } from 'node:path';
import { createReadStream } from '../../platform/files.js';
import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import type { KeySecretDocument } from '../../../schemas/store/key-secret-document.js';
import { readEntry } from '../../journal/entry-reading.js';
import { storedFault } from '../../organization/state/stored-fault.js';
import { attachmentKey } from '../../organization/uploads/attachments.js';
import { fileFault } from '../../services/file-checksum.js';
import { FolderBlobStore } from '../../services/folder-blob-store.js';
import { readSecret } from '../../services/auth/api-keys.js';
import { isFingerprintOf } from '../../services/auth/secret-fingerprint.js';
import {
  describeCounts,
  ExportFileError,
  type ContentRecord,
} from '../../store/transfer/format.js';
import { readExport } from '../../store/transfer/read-file.js';
import { describeFiles } from '../verify/verify.js';

/** Which backup. */
interface CheckedBackup {
  readonly folder: string;
  /** Of the export. */
  readonly name: string;
  /** Whether the uploaded files lie beside it. */
  readonly hasFiles: boolean;
}

/** What is wrong with a backup; a line was reported for each. */
export interface BackupFaults {
  /** Of the export and the secret, a sentence each: nothing can be restored. */
  readonly faults: readonly string[];
  /** Uploaded files that are missing or altered, by their places in the folder of files. */
  readonly files: readonly string[];
}

/**
 * Checks that the export is whole and as it was written, that each document and entry can be read, that each uploaded
 * file is there as it was stored, and that a secret beside it is the right one.
 */
export async function checkBackup(
  { folder, name, hasFiles }: CheckedBackup,
  report: (line: string) => void,
): Promise<BackupFaults> {
  const faults: string[] = [];
  const damaged: string[] = [];
  const fault = (line: string): void => {
    faults.push(line);
    report(line);
  };
  const files = { read: 0, unsealed: 0 };
  const kept = new FolderBlobStore(join(folder, 'files'));
  let [exportedAt, seq] = ['', 0];
  const secret = await readSecret(join(folder, 'api-keys.secret'));
  const record = async (one: ContentRecord): Promise<void> => {
    if ('document' in one) {
      const { collection, id, document } = one;
      const problem = storedFault(collection, id, document);
      if (problem !== null) fault(`${collection}:${id}: it ${problem}`);
      if (collection === 'attachment' && hasFiles && problem === null) {
        const attachment = document as AttachmentDocument;
        const { size, sha256 } = attachment;
        files.read += 1;
        if (sha256 === undefined) files.unsealed += 1;
        const key = attachmentKey(attachment);
        const found = await fileFault(kept, { key, size, sha256 });
        if (found !== null) {
          damaged.push(key);
          report(`file of attachment:${id}: ${found}`);
        }
      }
      const isOther =
        collection === 'key_secret' &&
        secret !== null &&
        !isFingerprintOf(secret, document as KeySecretDocument);
      if (isOther) fault(`${folder} has the secret of other API keys`);
    } else if ('entry' in one) {
      if (!readEntry({ seq: one.seq, text: one.entry }))
        fault(`entry ${one.seq}: it is not an entry`);
    }
  };
  try {
    const trailer = await readExport(createReadStream(join(folder, name)), {
      begin: async (header) => {
        exportedAt = header.exported_at;
        seq = header.seq ?? 0;
      },
      record,
    });
    const what = `${describeCounts(trailer)}, of ${exportedAt}, position ${seq}`;
    const state = faults.length === 0 ? 'intact' : 'damaged';
    const without = damaged.length === 0 ? '' : `, ${damaged.length} of them missing or altered`;
    report(`${name} is ${state}: ${what}; ${describeFiles(files)}${without}`);
  } catch (error) {
    if (!(error instanceof ExportFileError)) throw error;
    fault(`${name}: ${error.message}`);
  }
  return { faults, files: damaged };
}
