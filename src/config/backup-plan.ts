/** Backups that the server makes: `--backup-to`, `--backup-at`, `--backup-keep`. */
import { ConfigError, type Given } from './values.js';

/** A time of day, by the clock of the server's time zone. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** Where backups are, and when the server makes them. */
export interface BackupPlan {
  readonly folder: string;
  /** Null: the operator makes them. */
  readonly at: TimeOfDay | null;
  /** Exports that are kept. */
  readonly keep: number;
}

/** Ten years of daily exports; each is the whole store. */
const MAX_KEPT_BACKUPS = 3660;

/** @param folder empty for none */
export function backupFrom(folder: Given, at: Given, keep: Given): BackupPlan | null {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(at.value) ?? [];
  if (hour === undefined && at.value !== 'off') {
    throw new ConfigError(`${at.source}: ${at.value} is neither a time such as 03:30 nor off`);
  }
  const kept = /^\d{1,4}$/.test(keep.value) ? Number(keep.value) : 0;
  if (kept < 1 || kept > MAX_KEPT_BACKUPS) {
    throw new ConfigError(
      `${keep.source}: ${keep.value} is not a number of backups (1 to ${MAX_KEPT_BACKUPS})`,
    );
  }
  if (folder.value === '') {
    const alone = [at, keep].find(({ isDefault }) => isDefault !== true);
    if (alone)
      throw new ConfigError(`${alone.source}: needs --backup-to, a folder for the backups`);
    return null;
  }
  const time = hour === undefined ? null : { hour: Number(hour), minute: Number(minute) };
  return { folder: folder.value, at: time, keep: kept };
}
