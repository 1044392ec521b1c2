/** `parley backup --organization all`: each organization of a data folder, one after the other. */
import { join } from 'node:path';
import { Catalogue } from '../../host/catalogue/catalogue.js';
import { organizationConfig } from '../../host/catalogue/organization-config.js';
import { MAIN } from '../../host/catalogue/organization-names.js';
import type { Outcome } from '../../host/output.js';
import { replaceFile } from '../../platform/durable-files.js';
import { mkdir } from '../../platform/files.js';
import { runBackup, type BackedUp, type BackupCommand } from './backup.js';

/** What became of one. */
type Row = (BackedUp & { readonly organization: string }) | { organization: string; fault: string };

/** The file of a folder of backups with the addresses of its organizations. */
export const LIST = 'organizations.json';

/**
 * Backs up the main organization to the folder itself and the others to `organizations/NAME` in it, as the data folder has
 * them, with a list of their names, addresses and states. One that fails keeps no other.
 * @returns a row of each, with status 1 where one failed
 */
export async function runBackupOfAll(
  command: BackupCommand,
  report: (line: string) => void,
): Promise<Outcome & { readonly value: readonly Row[] }> {
  const { config, folder } = command;
  const known = (await Catalogue.read(config)).filter(
    ({ state }) => state === 'active' || state === 'deactivated',
  );
  known.sort((a, b) => (a.name < b.name ? -1 : 1));
  const places = [
    ...known.map((entry) => ({
      name: entry.name,
      config: organizationConfig(config, entry),
      folder: join(folder, 'organizations', entry.name),
    })),
    // Last: the newest backup of the folder itself says when all were made.
    { name: MAIN, config, folder },
  ];
  const rows: Row[] = [];
  for (const { name, ...place } of places) {
    try {
      const made = await runBackup({ ...command, ...place }, (line) => report(`${name}: ${line}`));
      rows.push({ organization: name, ...made });
    } catch (error) {
      const fault = (error as Error).message;
      report(`${name}: the backup failed: ${fault}`);
      rows.push({ organization: name, fault });
    }
  }
  const list = known.map(({ name, address, state }) => ({ name, address, state }));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(join(folder, LIST), Buffer.from(`${JSON.stringify(list, null, 2)}\n`));
  const failed = rows.flatMap((row) => ('fault' in row ? [row.organization] : []));
  if (failed.length > 0) report(`Without a backup: ${failed.join(', ')}`);
  return { value: rows, status: failed.length > 0 ? 1 : 0 };
}
