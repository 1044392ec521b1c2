/** `parley restore`: restores or checks a backup of `parley backup`. */
import { join } from 'node:path';
import { existsSync } from '../../platform/files.js';
import type { Config } from '../../config/config.js';
import { createFile } from '../../platform/durable-files.js';
import { readSecret } from '../../services/auth/api-keys.js';
import { fillFrom } from '../../store/transfer/command.js';
import { filesFolder, openBucket } from '../data-folder/files.js';
import { reportingLog } from '../monitoring/log.js';
import { secretPath } from '../data-folder/places.js';
import { copyToBucket } from './bucket-files.js';
import { copyFiles, counted, exportsIn, FILES, SECRET } from './backup.js';
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

/**
 * Checks a backup, then fills the store, the folder of uploaded files and, where the backup has one and there is none
 * here, the secret of API keys.
 * @returns the exit status: 1 for a backup with faults of which nothing is restored
 * @throws Error when there is none, or the store is served or not empty
 */
export async function runRestore(
  { config, folder, name, check, withoutDamaged }: RestoreCommand,
  report: (line: string) => void,
): Promise<0 | 1> {
  const names = existsSync(folder) ? await exportsIn(folder) : [];
  const chosen = name ?? names.at(-1);
  if (chosen === undefined || !names.includes(chosen)) {
    throw new Error(`${folder} has no ${name === null ? 'backup' : `export ${name}`}`);
  }
  const hasFiles = existsSync(join(folder, FILES));
  const { faults, files } = await checkBackup({ folder, name: chosen, hasFiles }, report);
  if (check) return faults + files.length > 0 ? 1 : 0;
  if (faults > 0) {
    report('Nothing was restored');
    return 1;
  }
  if (files.length > 0 && !withoutDamaged) {
    report(
      `Nothing was restored: --without-damaged restores all but ${counted(files.length, 'uploaded file')}`,
    );
    return 1;
  }
  const path = join(folder, chosen);
  const [imported, clients] = await fillFrom({ store: config.store, path }, process.stdin);
  report(imported);
  if (hasFiles) await restoreFiles(config, join(folder, FILES), report);
  report(await restoreSecret(config, folder));
  report(clients);
  return 0;
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
