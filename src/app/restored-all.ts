/** `parley restore FOLDER --into all`: what `parley backup --organization all` has made. */
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import type { CatalogueEntry } from '../host/catalogue/catalogue.js';
import { MAIN } from '../host/catalogue/organization-names.js';
import type { Outcome } from '../host/output.js';
import { LIST } from '../operator/backup/backup-of-all.js';
import { runRestore, type RestoreCommand } from '../operator/backup/restore.js';
import { existsSync, readFile } from '../platform/files.js';
import { filled } from './filled.js';
import { runOrganizations } from './organizations-command.js';

type Listed = Pick<CatalogueEntry, 'name' | 'address' | 'state'>;

/**
 * Restores the main organization, then each other into a folder of its own, and enters it in the catalogue. One that
 * cannot be restored keeps no other.
 * @returns a row of each, with status 1 where one failed
 * @throws Error where there is no such backup, or the main organization cannot be restored
 */
export async function restoreAll(
  command: RestoreCommand,
  report: (line: string) => void,
): Promise<Outcome> {
  const { config, folder, check } = command;
  const path = join(folder, LIST);
  if (!existsSync(path)) throw new Error(`${path} is not there: it is no backup of all`);
  const listed = JSON.parse(await readFile(path, 'utf8')) as Listed[];
  const at = (name: string) => (line: string) => report(`${name}: ${line}`);
  const main = await runRestore(command, at(MAIN));
  const rows: object[] = [{ organization: MAIN, ...main.value }];
  let isWhole = main.status === 0;
  // The others need a main one.
  if (!isWhole && !check) return { value: rows, status: 1 };
  for (const { name, address, state } of listed) {
    const restore = async (own: Config): Promise<Awaited<ReturnType<typeof runRestore>>> =>
      runRestore(
        { ...command, config: own, name: null, folder: join(folder, 'organizations', name) },
        at(name),
      );
    try {
      const { value, status } = check
        ? await restore(config)
        : await filled(
            { config, into: { into: name, address } },
            async (own) => {
              const outcome = await restore(own);
              return { ...outcome, isFilled: outcome.value.imported !== null, hasKeys: true };
            },
            at(name),
          );
      if (!check && status === 0 && state === 'deactivated') {
        const request = { command: 'organizations deactivate', args: [name], flags: {} };
        await runOrganizations(config, request);
      }
      isWhole &&= status === 0;
      rows.push({ organization: name, ...(value as object) });
    } catch (error) {
      const fault = (error as Error).message;
      at(name)(`it was not restored: ${fault}`);
      isWhole = false;
      rows.push({ organization: name, fault });
    }
  }
  return { value: rows, status: isWhole ? 0 : 1 };
}
