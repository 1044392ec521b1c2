/**
 * Files of an export of Microsoft Teams, as the service's own export for administrators writes them and the converter of
 * existing servers reads them: lists of people and teams, and a folder for each person and team.
 */
import { dirname, join } from 'node:path';
import { ArchiveError } from '../archive.js';
import { filesBelow } from '../leftovers.js';

const PEOPLE = /(^|\/)users\/usersList\.json$/;
const OF_ONE = /^(teams|users)\/([^/]+)\/(messages|channels|teamMembers)_[^/]+\.json$/;
const LISTS = new Set(['users/usersList.json', 'teams/teamsList.json', 'teams/teamsSettings.json']);
/** What the service keeps beside messages. */
const FOREIGN = /^(teams\/[^/]+\/teamInstalledApps|users\/[^/]+\/meetings)_[^/]+\.json$/;

/** A list of somebody, or of a team. */
export interface TeamsFile {
  readonly place: string;
  readonly kind: 'messages' | 'channels' | 'teamMembers';
  /** Id of the team; empty for a person's. */
  readonly team: string;
  /** Id of the person; empty for a team's. */
  readonly person: string;
}

/** Where the lists are: a zip may have one folder around them. @throws ArchiveError where there are none */
export async function teamsFolder(folder: string): Promise<string> {
  for await (const place of filesBelow(folder)) {
    if (PEOPLE.test(place)) return join(folder, dirname(dirname(place)));
  }
  throw new ArchiveError(
    'There is no users/usersList.json: give the folder of the export with users/ and teams/, or a zip of it',
  );
}

/** The lists of people and teams one by one, in the order of their names. */
export async function teamsFiles(folder: string): Promise<TeamsFile[]> {
  const files: TeamsFile[] = [];
  for await (const place of filesBelow(folder)) {
    const [, owner, id = '', kind] = OF_ONE.exec(place) ?? [];
    if (kind === undefined) continue;
    const isTeam = owner === 'teams';
    files.push({
      ...{ place, kind: kind as TeamsFile['kind'] },
      ...{ team: isTeam ? id : '', person: isTeam ? '' : id },
    });
  }
  return files;
}

/** What becomes of a file, by its place in {@link teamsFolder}. */
export function fateOf(place: string): 'taken' | { foreign: string } | { missing: string } {
  if (LISTS.has(place) || OF_ONE.test(place)) return 'taken';
  if (FOREIGN.test(place)) return { foreign: 'lists of installed apps and of meetings' };
  return { missing: 'files that are unknown to the import' };
}
