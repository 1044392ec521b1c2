/** Stores between which an organization moves, and the commands that move it. */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freshUrl } from '../../src/store/fixtures/redis-server.js';
import { run, RunningServer, storeFolder, type Exit } from './server.js';

const SECRET = 'api-keys.secret';

/** Where an organization is: the store, and the folder with the secret of its keys. */
export interface Place {
  readonly folder: string;
  readonly store: string;
}

export function embedded(t: Test): Place {
  const folder = storeFolder(t);
  return { folder, store: `embedded:${folder}` };
}

export function onRedis(t: Test, port: number): Place {
  return { folder: storeFolder(t), store: freshUrl(port) };
}

export function serve(t: Test, { folder, store }: Place): Promise<RunningServer> {
  return RunningServer.serve(t, folder, { store });
}

export function exportTo(file: string, { store }: Place, ...flags: string[]): Promise<Exit> {
  return run(['export', ...flags, file], { PARLEY_STORE: store });
}

export function importFrom(file: string, { store }: Place): Promise<Exit> {
  return run(['import', '--store', store, file]);
}

export async function moved(t: Test, from: Place, to: Place, file: string): Promise<void> {
  t.match(await exportTo(file, from, '--move'), {
    code: 0,
    stdout: '',
    stderr: /^Exported \d+ documents in.*which is sealed/,
  });
  t.match(await importFrom(file, to), {
    code: 0,
    stdout: '',
    stderr: /^Imported \d+ documents in[^]*its clients continue with their queues/,
  });
  copySecret(from, to);
}

/** What an operator does beside export and import. */
export function copySecret(from: Place, to: Place): void {
  copyFileSync(join(from.folder, SECRET), join(to.folder, SECRET));
}

/** The lines between the header and the trailer, without what an import asks of the next start. */
export function contentOf(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(1, -2);
  return lines.filter((line) => !line.startsWith('{"collection":"history_request"'));
}
