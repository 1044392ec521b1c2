/** What a folder of backups holds, by the names of its files. */
import { join } from 'node:path';
import { readdir, stat } from '../../platform/files.js';

/** Exports in a folder of backups, the oldest first. @throws Error where there is no such folder */
export async function exportsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => /^parley-[\dTZ-]+\.jsonl$/.test(name)).sort();
}

/** Of a folder that is not there yet. */
const NONE = (): string[] => [];

/** When the newest backup of a folder was made, milliseconds since 1970; null where there is none. */
export async function newestBackup(folder: string): Promise<number | null> {
  return madeAt((await exportsIn(folder).catch(NONE)).at(-1) ?? '');
}

/** Whether a folder has an export of that name. */
export async function hasBackup(folder: string, name: string): Promise<boolean> {
  return (await exportsIn(folder).catch(NONE)).includes(name);
}

/** When a backup was made, by its name. */
function madeAt(name: string): number | null {
  const [, date, hours, minutes, seconds] =
    /^parley-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)/.exec(name) ?? [];
  return date === undefined ? null : Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`);
}

/** Backups of a folder that are told of; their names are read, the sizes of these, too. */
const MOST_TOLD = 100;

/** A backup of a folder. */
export interface BackupRow {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly made_at: number;
  readonly bytes: number;
}

/** The backups of a folder, the newest first. */
export async function backupsIn(folder: string): Promise<BackupRow[]> {
  const names = await exportsIn(folder).catch(NONE);
  const newest = names.slice(-MOST_TOLD).reverse();
  const rows = newest.map(async (name) => {
    const found = await stat(join(folder, name)).catch(() => null);
    return found ? [{ name, made_at: madeAt(name) ?? 0, bytes: found.size }] : [];
  });
  return (await Promise.all(rows)).flat();
}
