/** `parley import-zulip`, `parley import-slack` and so on: what another software exported, into an empty store. */
import { resolve } from 'node:path';
import { mkdir, realpath, rm } from '../../platform/files.js';
import { wallTime } from '../../platform/time.js';
import type { Config } from '../../config/config.js';
import { Pictures } from '../../services/pictures/pictures.js';
import { createMarkdown } from '../../services/markdown/markdown.js';
import { openStore } from '../../store/open.js';
import { withLease } from '../../store/transfer/held.js';
import { openFiles } from '../../host/data-folder/files.js';
import { localUrl } from '../../config/network.js';
import { folderOf } from '../../host/data-folder/places.js';
import { reportingLog } from '../../host/monitoring/log.js';
import type { Outcome } from '../../host/output.js';
import { ArchiveError, isFolder, rootOf, unpack } from './archive.js';
import { type ImportJob, Omissions, type Omitted, type Taken } from './import-job.js';
import { adviceFor, type ForeignChoices, type ForeignFormat } from '../../config/foreign-kinds.js';
import { filesBelow } from './leftovers.js';
import { importRooms } from './rooms/import-rooms.js';

/** What the operator asked for. */
export interface ForeignImport {
  readonly from: ForeignFormat;
  readonly config: Config;
  /** The archive, or a folder with what it holds. */
  readonly archive: string;
  readonly choices?: ForeignChoices;
}

/** What was imported, and what was not or differently. */
interface ForeignImported {
  readonly store: string;
  readonly imported: Taken;
  readonly omitted: readonly Omitted[];
  /** Whether each part of the archive was taken by something. */
  readonly complete: boolean;
}

/** A file that every export has; one of them. None where files have any names. */
const MARKS: Readonly<Record<ForeignFormat, readonly string[]>> = {
  zulip: ['realm.json'],
  slack: ['users.json'],
  mattermost: ['import.jsonl', 'export.jsonl', 'export.json'],
  discord: [],
  rocketchat: [],
  teams: [],
};

const INCOMPLETE =
  'The import is incomplete: parts of the archive were taken by nothing, see above. To repeat it, use an empty store.';

/** Where an archive is unpacked, beside the store: there is room for it. */
const FOLDER = 'import-unpacked';
/** Likewise for files that an archive has as parts of others. */
const SCRATCH = 'import-files';

/**
 * Imports, and says what could not be taken. One that was cut off goes on when it is repeated with the same archive.
 * @returns what it came to, with status 1 where the archive has a part that nothing took
 * @throws Error when the store is served or not empty, or the archive is none
 */
export async function runForeignImport(
  { from, config, archive, choices = {} }: ForeignImport,
  report: (line: string) => void,
): Promise<Outcome & { readonly value: ForeignImported }> {
  const url = config.url ?? localUrl(config.host, config.port, config.tls !== null);
  const unpacked = resolve(folderOf(config), FOLDER);
  const scratch = resolve(folderOf(config), SCRATCH);
  const isUnpacked = await isFolder(archive);
  const files = await openFiles(config, reportingLog(report));
  const store = await openStore(config.store);
  const omissions = new Omissions();
  const pictures = new Pictures();
  try {
    const { description } = store;
    const imported = await withLease(store, async (held) => {
      if (!isUnpacked) {
        await rm(unpacked, { recursive: true, force: true });
        await mkdir(unpacked, { recursive: true, mode: 0o700 });
        report(`Unpacking ${archive}`);
        await unpack(archive, unpacked, undefined, (what, name) => omissions.miss(what, name));
      }
      const place = isUnpacked ? archive : unpacked;
      const job: ImportJob = {
        ...{ store, held, blobs: files, pictures, omissions, url, report },
        folder: await rootOfAny(place, MARKS[from]).catch((error) => advised(from, place, error)),
        markdown: createMarkdown({ publicUrl: url }),
        botDomain: config.url ? new URL(config.url).hostname : 'parley.invalid',
        now: () => wallTime(),
      };
      const given = { name: config.organization, scratch, ...choices };
      const taken = await take(from, job, given).catch((error) => advised(from, place, error));
      const words = Object.entries(taken).map(([what, count]) => `${count} ${what}`);
      report(`Imported ${words.join(', ')} into ${description}`);
      return taken;
    });
    return conclude({ store: description, imported }, omissions, report);
  } finally {
    for (const folder of [unpacked, scratch]) await rm(folder, { recursive: true, force: true });
    pictures.stop();
    await store.close();
    files.close();
  }
}

/** Says what could not be taken. */
function conclude(
  done: Pick<ForeignImported, 'store' | 'imported'>,
  omissions: Omissions,
  report: (line: string) => void,
): Outcome & { readonly value: ForeignImported } {
  omissions.balance();
  const left = omissions.rows();
  report(left.length === 0 ? 'Everything was imported.' : 'Not imported, or imported differently:');
  for (const { what, count, example } of left) {
    report(`  ${count} ${what}${example === '' ? '' : ` (such as ${example})`}`);
  }
  if (omissions.isIncomplete) report(INCOMPLETE);
  report(
    'Nobody has a password yet. Start the server, then give an owner a link: parley users login-link EMAIL',
  );
  const { isIncomplete } = omissions;
  return {
    value: { ...done, omitted: left, complete: !isIncomplete },
    status: isIncomplete ? 1 : 0,
  };
}

interface Choices extends ForeignChoices {
  readonly name: string;
  /** A folder for files that the archive has as parts of others: made when it is needed, removed at the end. */
  readonly scratch: string;
}

async function take(from: ForeignFormat, job: ImportJob, choices: Choices): Promise<Taken> {
  const { name, threads = 'topics', channels = 'private' } = choices;
  if (from === 'zulip') {
    const { importZulip } = await import('./zulip/import-zulip.js');
    return importZulip(job);
  }
  if (from === 'mattermost') {
    const { importMattermost } = await import('./mattermost/import-mattermost.js');
    return importMattermost(job, { name, threads });
  }
  if (from === 'discord') {
    const { DiscordArchive } = await import('./discord/discord-archive.js');
    return importRooms(job, await DiscordArchive.read(job, channels), name);
  }
  if (from === 'rocketchat') {
    const { RocketChatArchive } = await import('./rocketchat/rocketchat-archive.js');
    return importRooms(job, await RocketChatArchive.read(job, choices.scratch), name);
  }
  if (from === 'teams') {
    const { TeamsArchive } = await import('./teams/teams-archive.js');
    return importRooms(job, await TeamsArchive.read(job), name);
  }
  const { importSlack } = await import('./slack/import-slack.js');
  return importSlack(job, { name, threads });
}

/** Where an export is that has one of some files. @throws ArchiveError where it has none */
async function rootOfAny(folder: string, marks: readonly string[]): Promise<string> {
  if (marks.length === 0) return realpath(folder);
  let failure: unknown;
  for (const mark of marks) {
    try {
      return await rootOf(folder, mark);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** An archive that cannot be read is often one of another service: its files tell. @throws the error, with that */
async function advised(from: ForeignFormat, folder: string, error: unknown): Promise<never> {
  if (!(error instanceof ArchiveError)) throw error;
  const places: string[] = [];
  for await (const place of filesBelow(folder)) {
    if (places.push(place) >= MAX_LOOKED_AT) break;
  }
  const advice = adviceFor(from, places);
  throw advice === undefined ? error : new ArchiveError(`${error.message}. ${advice}`);
}

/** Files of an archive by whose names its service is guessed: more than stand before the first that tells. */
const MAX_LOOKED_AT = 1000;
