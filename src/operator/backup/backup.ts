/** `parley backup`: copies the store and the uploaded files of a running server to a folder. */
import { join } from 'node:path';
import {
  copyFile,
  existsSync,
  mkdir,
  opendir,
  open,
  rename,
  rm,
  stat,
} from '../../platform/files.js';
import { wallTime } from '../../platform/time.js';
import type { Config } from '../../config/config.js';
import { isForeignDraft, replaceFile } from '../../platform/durable-files.js';
import { changesOf } from '../../journal/entry-reading.js';
import { SOFTWARE_VERSION } from '../../organization/state/software.js';
import { readSecret } from '../../services/auth/api-keys.js';
import { assertStoreThere, runExport, type Exported } from '../../store/transfer/command.js';
import { exportsIn } from '../../host/data-folder/backup-folder.js';
import { filesFolder, openBucket } from '../../host/data-folder/files.js';
import { reportingLog } from '../../host/monitoring/log.js';
import { secretPath } from '../../host/data-folder/places.js';
import { copyFromBucket, PARTIAL } from './bucket-files.js';
import { checkBackup } from './check.js';

/** What the operator asked for. */
export interface BackupCommand {
  readonly config: Config;
  /** The folder of backups: exports and, shared by them, files. */
  readonly folder: string;
  /** Include the secret of API keys: whoever has the folder can then log in as anybody. */
  readonly withSecret: boolean;
  /** Exports that are kept; null: all. */
  readonly keep: number | null;
}

/** A backup that was made. */
export interface BackedUp extends Omit<Exported, 'file' | 'moved' | 'left_out'> {
  readonly folder: string;
  /** Name of the export in the folder. */
  readonly export: string;
  readonly files_copied: number;
  /** Older exports that were removed. */
  readonly removed: readonly string[];
  /** Whether the folder has the secret of API keys. */
  readonly has_secret: boolean;
}

/** Places in a folder of backups. */
export const FILES = 'files';
export const SECRET = 'api-keys.secret';

/**
 * Makes a backup and reads it again. Files are copied before and after the store, so that all that the store names are
 * there; what a former backup of the folder has is not copied again.
 * @throws Error when something cannot be read or written, or what was written is not whole
 */
export async function runBackup(
  { config, folder, withSecret, keep }: BackupCommand,
  report: (line: string) => void,
): Promise<BackedUp> {
  // Before the folder is made: a mistyped store must not leave one behind.
  assertStoreThere(config.store);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const to = join(folder, FILES);
  const bucket = await openBucket(config, reportingLog(report));
  const copy = (): Promise<number> =>
    bucket ? copyFromBucket(bucket, to) : copyFiles(filesFolder(config)!, to);
  let copied = await copy();
  const name = `parley-${new Date(wallTime()).toISOString().replaceAll(/[:.]/g, '-')}.jsonl`;
  const { store, documents, entries, due } = await runExport(
    { store: config.store, path: join(folder, name), move: false },
    { software: SOFTWARE_VERSION, stdout: process.stdout, report, readChanges: changesOf },
  );
  copied += await copy();
  if (withSecret) {
    const secret = await readSecret(secretPath(config));
    if (!secret) throw new Error(`${secretPath(config)} is not there`);
    await replaceFile(join(folder, SECRET), secret);
  }
  const checked = { folder, name, hasFiles: true };
  const lines: string[] = [];
  let found = await checkBackup(checked, (line) => lines.push(line));
  if (found.files.length > 0) {
    // What a former backup has of a file may have been damaged since: it is copied again.
    for (const key of found.files) await rm(join(to, key), { force: true });
    copied += await copy();
    lines.length = 0;
    found = await checkBackup(checked, (line) => lines.push(line));
  }
  bucket?.close();
  lines.forEach(report);
  if (found.faults.length > 0) throw new Error('The backup cannot be restored');
  if (found.files.length > 0) {
    throw new Error(
      `The backup lacks ${counted(found.files.length, 'uploaded file')}: restore it with --without-damaged`,
    );
  }
  const hasSecret = existsSync(join(folder, SECRET));
  if (!hasSecret) {
    report(
      `The secret of API keys is not in the backup: keep a copy of ${secretPath(config)} apart from it`,
    );
  }
  report(`${copied} files were copied to ${to}`);
  const old = keep === null ? [] : (await exportsIn(folder)).slice(0, -keep);
  for (const one of old) await rm(join(folder, one));
  if (old.length > 0) report(`Removed ${old.length} older exports`);
  return {
    ...{ store, documents, entries, due },
    ...{ folder, export: name, files_copied: copied, removed: old, has_secret: hasSecret },
  };
}

/** A number of things, in words. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/**
 * Copies files that are not there yet: their names are random, and their content never changes.
 * @returns how many were copied
 */
export async function copyFiles(from: string, to: string): Promise<number> {
  let copied = 0;
  let entries;
  try {
    entries = await opendir(from);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  await mkdir(to, { recursive: true, mode: 0o700 });
  for await (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copied += await copyFiles(source, target);
    else if (!isForeignDraft(entry.name) && !entry.name.endsWith(PARTIAL))
      copied += Number(await copyOne(source, target));
  }
  return copied;
}

/** @returns false where it is there already, or was removed meanwhile */
async function copyOne(source: string, target: string): Promise<boolean> {
  const draft = `${target}${PARTIAL}`;
  try {
    const { size } = await stat(source);
    const there = await stat(target).catch(() => null);
    if (there?.size === size) return false;
    await copyFile(source, draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const file = await open(draft, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, target);
  return true;
}
