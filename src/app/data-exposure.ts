/** What of the organization's data other accounts of this machine can read. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What lies in the folder of the data, and what it holds. */
const HELD: Readonly<Record<string, string>> = {
  'data.mdb': 'messages and password hashes',
  files: 'uploaded files',
  mail: 'links that log people in',
};

/** Any of the rights of the group and of others. */
const OF_OTHERS = 0o077;
/** The rights of the group and of others to reach what is in a folder. */
const PASSAGE = 0o011;

/**
 * One sentence for the operator where others can reach what lies in a folder of data. What the server makes is
 * open to its own account alone; this is about files of earlier versions and of restored backups.
 * @param folder of an embedded store; with Redis the one the process runs in
 */
export async function exposedData(folder: string): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const outer = await modeOf(folder);
  if (outer === null || (outer & PASSAGE) === 0) return [];
  const warnings: string[] = [];
  for (const [name, held] of Object.entries(HELD)) {
    const path = join(folder, name);
    const mode = await modeOf(path);
    if (mode === null || (mode & OF_OTHERS) === 0) continue;
    warnings.push(
      `${path} is open to other accounts (mode ${octal(mode)} in a folder of ${octal(outer)}) and holds ` +
        `${held}: take the rights of others from it, e.g. chmod go= ${path}`,
    );
  }
  return warnings;
}

/** Permission bits, or null where there is nothing. */
async function modeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mode }) => mode & 0o777,
    () => null,
  );
}

function octal(mode: number): string {
  return `0${mode.toString(8)}`;
}
