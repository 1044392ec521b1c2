/** `parley restore`: restores or checks a backup of `parley backup`. */
import { join } from 'node:path';
import { existsSync } from '../../platform/files.js';
import type { Config } from '../../config/config.js';
import { createFile } from '../../platform/durable-files.js';
import { readSecret } from '../../services/auth/api-keys.js';
import { fillFrom, importedLines, type Imported } from '../../store/transfer/import-command.js';
import { exportsIn } from '../../host/data-folder/backup-folder.js';
import { filesFolder, openBucket } from '../../host/data-folder/files.js';
import { reportingLog } from '../../host/monitoring/log.js';
import type { Outcome } from '../../host/output.js';
import { secretPath } from '../../host/data-folder/places.js';
import { copyToBucket } from './bucket-files.js';
import { copyFiles, counted, FILES, SECRET } from './backup.js';
import { checkBackup } from './check.js';

/** What the operator asked for. */
export interface RestoreCommand {
  readonly config: Config;
  readonly folder: string;
  /** Name of the export in the folder; null: the newest. */
  readonly name: string | null;
  /** Write nothing. */
  readonly check: boolean;
  /** Restore also where uploaded files are missing or altered, which are then not served. */
  readonly withoutDamaged: boolean;
}

/** What is known of a backup, and what was restored of it. */
interface Restored {
  readonly folder: string;
  /** Name of the export in the folder. */
  readonly export: string;
  /** What is wrong with the export or the secret, a sentence each. */
  readonly faults: readonly string[];
  /** Uploaded files that are missing or altered, by their places in the folder of files. */
  readonly damaged_files: readonly string[];
  /** Null where nothing was, or should be. */
  readonly imported: Imported | null;
}

/**
 * Checks a backup, then fills the store, the folder of uploaded files and, where the backup has one and there is none
 * here, the secret of API keys.
 * @returns what it came to, with status 1 for a backup with faults of which nothing is restored
 * @throws Error when there is none, or the store is served or not empty
 */
export async function runRestore(
  { config, folder, name, check, withoutDamaged }: RestoreCommand,
  report: (line: string) => void,
): Promise<Outcome & { readonly value: Restored }> {
  const names = existsSync(folder) ? await exportsIn(folder) : [];
  const chosen = name ?? names.at(-1);
  if (chosen === undefined || !names.includes(chosen)) {
    throw new Error(`${folder} has no ${name === null ? 'backup' : `export ${name}`}`);
  }
  const hasFiles = existsSync(join(folder, FILES));
  const { faults, files } = await checkBackup({ folder, name: chosen, hasFiles }, report);
  const outcome = (imported: Imported | null, status: 0 | 1) => ({
    value: { folder, export: chosen, faults, damaged_files: files, imported },
    status,
  });
  if (check) return outcome(null, faults.length + files.length > 0 ? 1 : 0);
  if (faults.length > 0) {
    report('Nothing was restored');
    return outcome(null, 1);
  }
  if (files.length > 0 && !withoutDamaged) {
    report(
      `Nothing was restored: --without-damaged restores all but ${counted(files.length, 'uploaded file')}`,
    );
    return outcome(null, 1);
  }
  const path = join(folder, chosen);
  const imported = await fillFrom({ store: config.store, path }, process.stdin);
  const [what, clients] = importedLines(imported);
  report(what);
  if (hasFiles) await restoreFiles(config, join(folder, FILES), report);
  report(await restoreSecret(config, folder));
  report(clients);
  return outcome(imported, 0);
}

/** Copies uploaded files to their place. @throws Error with what is left to do, since the store is filled by now */
async function restoreFiles(
  config: Config,
  from: string,
  report: (line: string) => void,
): Promise<void> {
  const bucket = await openBucket(config, reportingLog(report));
  const to = bucket?.description ?? filesFolder(config)!;
  try {
    const copied = bucket ? await copyToBucket(from, bucket) : await copyFiles(from, to);
    report(`${copied} files were copied to ${to}`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `the store is filled, but uploaded files are missing: copy ${from} to ${to} (${why})`,
      {
        cause,
      },
    );
  } finally {
    bucket?.close();
  }
}

/** Copies the secret where none is. @returns a line about the one with which the organization will be served */
async function restoreSecret(config: Config, folder: string): Promise<string> {
  const place = secretPath(config);
  const kept = join(folder, SECRET);
  const [secret, there] = await Promise.all([readSecret(kept), readSecret(place)]);
  if (there !== null) {
    if (secret === null || secret.equals(there)) return `The secret of API keys is in ${place}`;
    return `${place} is the secret of other API keys: put ${kept} in its place before the first start`;
  }
  if (secret === null) {
    return `The backup has no secret of API keys: copy that of the server to ${place} before the first start`;
  }
  await createFile(place, secret);
  return `The secret of API keys was copied to ${place}`;
}
