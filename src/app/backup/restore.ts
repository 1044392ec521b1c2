/** `parley restore`: restores or checks a backup of `parley backup`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { createFile } from '../../platform/durable-files.js';
import { readSecret } from '../../services/auth/api-keys.js';
import { runImport } from '../../store/transfer/command.js';
import { filesFolder, openBucket } from '../data-folder/files.js';
import { reportingLog } from '../monitoring/log.js';
import { secretPath } from '../data-folder/places.js';
import { copyToBucket } from './bucket-files.js';
import { copyFiles, exportsIn, FILES, SECRET } from './backup.js';
import { checkBackup } from './check.js';

/** What the operator asked for. */
export interface RestoreCommand {
  readonly config: Config;
  readonly folder: string;
  /** Name of the export in the folder; null: the newest. */
  readonly name: string | null;
  /** Write nothing. */
  readonly check: boolean;
}

/**
 * Checks a backup, then fills the store, the folder of uploaded files and, where the backup has one and there is none
 * here, the secret of API keys.
 * @returns the exit status: 1 for a backup with faults, of which nothing is restored
 * @throws Error when there is none, or the store is served or not empty
 */
export async function runRestore(
  { config, folder, name, check }: RestoreCommand,
  report: (line: string) => void,
): Promise<0 | 1> {
  const names = existsSync(folder) ? await exportsIn(folder) : [];
  const chosen = name ?? names.at(-1);
  if (chosen === undefined || !names.includes(chosen)) {
    throw new Error(`${folder} has no ${name === null ? 'backup' : `export ${name}`}`);
  }
  const hasFiles = existsSync(join(folder, FILES));
  const faults = await checkBackup({ folder, name: chosen, hasFiles }, report);
  if (faults > 0) return 1;
  if (check) return 0;
  await runImport(
    { store: config.store, path: join(folder, chosen) },
    { stdin: process.stdin, report },
  );
  const from = join(folder, FILES);
  const bucket = await openBucket(config, reportingLog(report));
  const to = bucket?.description ?? filesFolder(config)!;
  const copied = bucket ? await copyToBucket(from, bucket) : await copyFiles(from, to);
  bucket?.close();
  report(`${copied} files were copied to ${to}`);
  const secret = await readSecret(join(folder, SECRET));
  const place = secretPath(config);
  if (secret && !existsSync(place)) {
    await createFile(place, secret);
    report(`The secret of API keys was copied to ${place}`);
  }
  return 0;
}
