/** Checks which data other accounts of this machine can read or replace. */
import { dirname, join, resolve } from 'node:path';
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
/** Write bits of the group and of others, with which they put other files in the place of those of a folder. */
const WRITE = 0o022;

/**
 * Warnings for the operator about folders that other accounts can write, and about files in the data folder that they
 * can read. The server creates both for its own account only; this finds those of earlier versions, of restored backups
 * and of whoever made a folder before the server.
 * @param folder of an embedded store; with Redis the working directory
 * @param files folder of uploaded files; null where they are not on this machine
 * @param state folder of the state of this process
 */
export async function exposedData(
  folder: string,
  files: string | null,
  state = folder,
): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const folders = [folder, state, join(folder, 'mail'), ...(files === null ? [] : [files])];
  return [...(await writableByOthers(folders)), ...(await readableByOthers(folder, files))];
}

/** Nobody means a folder of data to be so, wherever it is: those above it may become open at any time. */
async function writableByOthers(folders: readonly string[]): Promise<string[]> {
  const warnings: string[] = [];
  for (const path of new Set(folders.map((one) => resolve(one)))) {
    const mode = await modeOf(path);
    if (mode === null || (mode & WRITE) === 0) continue;
    warnings.push(
      `${path} can be written by other accounts (mode ${octal(mode)}), who can put files of their own in the place of ` +
        `those in it: remove their access, e.g. chmod go-w ${path}`,
    );
  }
  return warnings;
}

async function readableByOthers(folder: string, files: string | null): Promise<string[]> {
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

/** Permission bits, with those before them (`01777`: sticky), or null where the file does not exist. */
async function modeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mode }) => mode & 0o7777,
    () => null,
  );
}

function octal(mode: number): string {
  return `0${mode.toString(8)}`;
}
