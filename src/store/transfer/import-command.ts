/** `parley import`, and the import of `parley restore`. */
import type { Readable } from 'node:stream';
import { createReadStream } from '../../platform/files.js';
import { wallTime } from '../../platform/time.js';
import { using, type TransferCommand } from './command.js';
import { describeCounts, ExportFileError, type Counts } from './format.js';
import { withLease } from './held.js';
import { request, requestAfterImport } from './history-request.js';
import { importStore } from './import.js';
import { readExport } from './read-file.js';

/** What was imported. */
export interface Imported extends Counts {
  readonly store: string;
  /** Whether clients continue with their queues; otherwise the first start begins another history. */
  readonly goes_on: boolean;
}

/** What an import needs of the process. */
export interface ImportSurroundings {
  readonly stdin: Readable;
  readonly report: (line: string) => void;
}

/**
 * Fills an empty store from an export; see `importStore`. A file is checked whole before the store is
 * touched, standard input while it is read.
 * @throws Error when the store is served or not empty, or the file is not whole
 */
export async function runImport(
  command: TransferCommand,
  { stdin, report }: ImportSurroundings,
): Promise<Imported> {
  const imported = await fillFrom(command, stdin);
  for (const line of importedLines(imported)) report(line);
  report(
    'It is served only with the api-keys.secret of the exported server, so that API keys stay ' +
      'valid: copy it.',
  );
  return imported;
}

/** What was imported, and what becomes of its clients: a line each. */
export function importedLines({ store, goes_on, ...counts }: Imported): [string, string] {
  return [
    `Imported ${describeCounts(counts)} into ${store}`,
    goes_on
      ? 'The organization was moved: its clients continue with their queues.'
      : 'This is a backup: the first start begins another history, all clients register again.',
  ];
}

/** As {@link runImport}, without a line for the operator. */
export async function fillFrom(
  { store: url, path }: TransferCommand,
  stdin: AsyncIterable<Buffer>,
): Promise<Imported> {
  try {
    if (path !== null) await readExport(fileChunks(path), { begin: nothing, record: ignore });
    return await using(url, (store) =>
      withLease(store, async ({ lease, still }) => {
        const chunks = path === null ? stdin : fileChunks(path);
        let goesOn = false;
        const { documents, entries, due } = await importStore(
          store,
          lease,
          chunks,
          still,
          async (header) => {
            const asked = await requestAfterImport(store, header, wallTime());
            goesOn = asked.next === 'go_on';
            return [request(asked)];
          },
        );
        return { store: store.description, goes_on: goesOn, documents, entries, due };
      }),
    );
  } catch (error) {
    if (!(error instanceof ExportFileError)) throw error;
    throw new Error(`${path ?? 'standard input'}: ${error.message}`, { cause: error });
  }
}

async function nothing(): Promise<void> {}

function ignore(): void {}

function fileChunks(path: string): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: 256 * 1024 });
}
