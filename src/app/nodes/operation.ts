/** How a node is operated, for administrators who look at the console. */
import type { OperationFields } from '../../../schemas/queues/console-operation.js';
import type { Config } from '../../config/config.js';
import { SOFTWARE_VERSION } from '../../organization/state/software.js';
import { newestBackup } from '../backup/scheduled-backups.js';

/** Without the time of the newest backup, which takes reading a folder. */
export function operationOf({ options, backup }: Config): OperationFields {
  const two = (number: number): string => String(number).padStart(2, '0');
  return {
    software_version: SOFTWARE_VERSION,
    options: [...options],
    backups: backup && {
      folder: backup.folder,
      time_of_day: backup.at && `${two(backup.at.hour)}:${two(backup.at.minute)}`,
      keep: backup.keep,
      newest_at: null,
    },
  };
}

/** Null where there is no backup, or no folder for them. */
export async function newestBackupOf({ backup }: Config): Promise<number | null> {
  return backup && newestBackup(backup.folder);
}
