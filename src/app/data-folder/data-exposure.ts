/** Checks which data other accounts of this machine can read. */
import { dirname, join } from 'node:path';
import { stat } from '../../platform/files.js';

/** Files and folders of the data folder, and their content. */
const CONTENTS: Readonly<Record<string, string>> = {
  'data.mdb': 'messages and password hashes',
  mail: 'links that log people in',
};
const UPLOADED = 'uploaded files';

/** Permission bits of the group and of others. */
const OF_OTHERS = 0o077;
/** Execute bits of the group and of others, with which they reach files in a folder. */
const PASSAGE = 0o011;

/**
 * Warnings for the operator about files in the data folder that other accounts can read. The server creates
 * files for its own account only; this finds files of earlier versions and of restored backups.
 * @param folder of an embedded store; with Redis the working directory
 * @param files folder of uploaded files; null where they are not on this machine
 */
export async function exposedData(folder: string, files: string | null): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const places = Object.entries(CONTENTS).map(([name, content]) => [join(folder, name), content]);
  if (files !== null) places.splice(1, 0, [files, UPLOADED]);
  const warnings: string[] = [];
  for (const [path, content] of places as [string, string][]) {
    const outer = await modeOf(dirname(path));
    if (outer === null || (outer & PASSAGE) === 0) continue;
    const mode = await modeOf(path);
    if (mode === null || (mode & OF_OTHERS) === 0) continue;
    warnings.push(
      `${path} is accessible to other accounts (mode ${octal(mode)} in a folder of ${octal(outer)}) and holds ` +
        `${content}: remove their access, e.g. chmod go= ${path}`,
    );
  }
  return warnings;
}

/** Permission bits, or null where the file does not exist. */
async function modeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mode }) => mode & 0o777,
    () => null,
  );
}

function octal(mode: number): string {
  return `0${mode.toString(8)}`;
}
