/** `parley import-zulip` and `parley import-slack`: what another software exported, into an empty store. */
import { resolve } from 'node:path';
import { mkdir, rm } from '../../platform/files.js';
import { wallTime } from '../../platform/time.js';
import type { Config } from '../../config/config.js';
import { Pictures } from '../../services/pictures/pictures.js';
import { createMarkdown } from '../../services/markdown/markdown.js';
import { openStore } from '../../store/open.js';
import { withLease } from '../../store/transfer/held.js';
import { openFiles } from '../data-folder/files.js';
import { localUrl } from '../../config/network.js';
import { folderOf } from '../data-folder/places.js';
import { reportingLog } from '../monitoring/log.js';
import { isFolder, rootOf, unpack } from './archive.js';
import { type ImportJob, Omissions } from './import-job.js';

/** What the operator asked for. */
export interface ForeignImport {
  readonly from: 'zulip' | 'slack';
  readonly config: Config;
  /** The archive, or a folder with what it holds. */
  readonly archive: string;
}

/** A file that every export has. */
const MARK = { zulip: 'realm.json', slack: 'users.json' };

const INCOMPLETE =
  'The import is incomplete: parts of the archive were taken by nothing, see above. To repeat it, use an empty store.';

/** Where an archive is unpacked, beside the store: there is room for it. */
const FOLDER = 'import-unpacked';

/**
 * Imports, and says what could not be taken. One that was cut off goes on when it is repeated with the same archive.
 * @returns the exit status: 1 where the archive has a part that nothing took
 * @throws Error when the store is served or not empty, or the archive is none
 */
export async function runForeignImport(
  { from, config, archive }: ForeignImport,
  report: (line: string) => void,
): Promise<0 | 1> {
  const url = config.url ?? localUrl(config.host, config.port, config.tls !== null);
  const unpacked = resolve(folderOf(config), FOLDER);
  const isUnpacked = await isFolder(archive);
  const files = await openFiles(config, reportingLog(report));
  const store = await openStore(config.store);
  const omissions = new Omissions();
  const pictures = new Pictures();
  try {
    await withLease(store, async (held) => {
      if (!isUnpacked) {
        await rm(unpacked, { recursive: true, force: true });
        await mkdir(unpacked, { recursive: true, mode: 0o700 });
        report(`Unpacking ${archive}`);
        await unpack(archive, unpacked);
      }
      const job: ImportJob = {
        ...{ store, held, blobs: files, pictures, omissions, url, report },
        folder: await rootOf(isUnpacked ? archive : unpacked, MARK[from]),
        markdown: createMarkdown({ publicUrl: url }),
        botDomain: config.url ? new URL(config.url).hostname : 'parley.invalid',
        now: () => wallTime(),
      };
      report(`Imported ${await take(from, job, config)} into ${store.description}`);
    });
    await rm(unpacked, { recursive: true, force: true });
  } finally {
    pictures.stop();
    await store.close();
    files.close();
  }
  const left = omissions.lines();
  report(left.length === 0 ? 'Everything was imported.' : 'Not imported, or imported differently:');
  for (const line of left) report(`  ${line}`);
  if (omissions.isIncomplete) report(INCOMPLETE);
  report(
    'Nobody has a password yet. Start the server, then give an owner a link: parley users login-link EMAIL',
  );
  return omissions.isIncomplete ? 1 : 0;
}

async function take(from: 'zulip' | 'slack', job: ImportJob, config: Config): Promise<string> {
  if (from === 'zulip') {
    const { importZulip } = await import('./zulip/import-zulip.js');
    return importZulip(job);
  }
  const { importSlack } = await import('./slack/import-slack.js');
  return importSlack(job, config.organization);
}
