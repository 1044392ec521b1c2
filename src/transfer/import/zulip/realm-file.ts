/** `realm.json` of a Zulip export: the tables that an import takes, and how many rows the others have. */
import { join } from 'node:path';
import { ArchiveError } from '../archive.js';
import type { Omissions } from '../import-job.js';
import { rowsOf, type JsonRow } from '../json-rows.js';

/** Tables that are kept in memory: they grow with people and channels, and not with messages. */
const TABLES = [
  'zerver_realm',
  'zerver_userprofile',
  'zerver_userprofile_mirrordummy',
  'zerver_userprofile_crossrealm',
  'zerver_stream',
  'zerver_defaultstream',
  'zerver_recipient',
  'zerver_subscription',
  'zerver_namedusergroup',
  'zerver_usergroupmembership',
  'zerver_client',
  'zerver_usertopic',
  'zerver_muteduser',
  'zerver_mutedtopic',
  'zerver_alertword',
  'zerver_savedsnippet',
  'zerver_realmemoji',
  'zerver_realmfilter',
  'zerver_realmplayground',
  'zerver_realmdomain',
  'zerver_customprofilefield',
  'zerver_customprofilefieldvalue',
  'zerver_usergroup',
  'zerver_groupgroupmembership',
  'zerver_channelfolder',
  'zerver_userstatus',
  'zerver_scheduledmessage',
  'zerver_realmuserdefault',
  'zerver_navigationview',
  'zerver_botstoragedata',
  'zerver_botconfigdata',
  'zerver_service',
  'zerver_draft',
  'zerver_onboardingstep',
  'zerver_realmauthenticationmethod',
] as const;
export type Table = (typeof TABLES)[number];

/** Tables that are read apart. */
const APART = new Set(['zerver_reaction', 'zerver_submessage']);

/** Tables that nothing here corresponds to, and why. */
const FOREIGN: Readonly<Record<string, string>> = {
  zerver_realmauditlog: 'who changed what in the former server',
  zerver_realmexport: 'exports that the former server keeps',
  zerver_useractivity: 'when people used which program',
  zerver_useractivityinterval: 'when people were active',
  zerver_userpresence: 'who was online',
  zerver_presencesequence: 'who was online',
  zerver_userhotspot: 'hints of the pages of the former server',
  zerver_onboardingusermessage: 'messages that the former server showed to new people',
  zerver_externalauthid:
    'ids of people at services for single sign-on: the first log-in is by address',
};

/** Tables that say nothing beside the others. */
const REDUNDANT = new Set(['zerver_huddle']);

/** Why a row is not taken, as omissions say it; null for one that is. */
export type LeftOut = string | null;

/** What `realm.json` has. Whoever reads a table settles its rows: what nobody settled is missing. */
export class RealmFile {
  private readonly tables = new Map<Table, JsonRow[]>(TABLES.map((name) => [name, []]));
  /** Rows by table. */
  private readonly counts = new Map<string, number>();
  /** Rows that are left out because another one of their table has the id, by table; with one of the ids. */
  private readonly repeated = new Map<string, { count: number; id: number }>();
  /** Values in the place of rows, by table. */
  private readonly strange: string[] = [];

  private constructor(readonly path: string) {}

  /** @throws ArchiveError */
  static async read(folder: string): Promise<RealmFile> {
    const file = new RealmFile(join(folder, 'realm.json'));
    const ids = new Map(TABLES.map((name) => [name as string, new Set<number>()]));
    const onStrange = (table: string): void => void file.strange.push(table);
    for await (const { table, row } of rowsOf(file.path, { onStrange })) {
      const { id } = row;
      const known = ids.get(table);
      if (known && typeof id === 'number') {
        if (known.has(id)) {
          file.repeated.set(table, { id, count: (file.repeated.get(table)?.count ?? 0) + 1 });
          continue;
        }
        known.add(id);
      }
      file.tables.get(table as Table)?.push(row);
      if (!APART.has(table)) file.counts.set(table, (file.counts.get(table) ?? 0) + 1);
    }
    if (file.rows('zerver_realm').length !== 1) {
      throw new ArchiveError('realm.json has no organization: this is no Zulip export');
    }
    return file;
  }

  rows(table: Table): readonly JsonRow[] {
    return this.tables.get(table)!;
  }

  /** Groups with a name, which were all that there were before permissions were groups. */
  get namedGroups(): readonly JsonRow[] {
    const named = this.rows('zerver_namedusergroup');
    if (named.length > 0) return named;
    return this.rows('zerver_usergroup').filter((row) => textIn(row, 'name') !== '');
  }

  /** Each kept row with its table. */
  *all(): Generator<[table: Table, row: JsonRow]> {
    for (const [table, rows] of this.tables) for (const row of rows) yield [table, row];
  }

  /** The one organization. */
  get realm(): JsonRow {
    return this.rows('zerver_realm')[0]!;
  }

  /** Says what the file has, and why nobody takes tables that nothing here corresponds to. */
  countInto(omissions: Omissions): void {
    for (const table of this.strange) omissions.missStrange('realm.json', table);
    for (const [table, { count, id }] of this.repeated) {
      omissions.miss(`${rowsIn(table)} with the id of another`, String(id), count);
    }
    for (const [table, count] of this.counts) {
      if (REDUNDANT.has(table)) continue;
      const why = FOREIGN[table];
      if (why === undefined) omissions.found(rowsIn(table), count);
      else omissions.add(`${rowsIn(table)} (${why})`, '', count);
    }
  }

  /** Takes each row of a table. @param take says why it leaves one out */
  each(table: Table, omissions: Omissions, take: (row: JsonRow) => LeftOut): void {
    for (const row of this.rows(table)) {
      const why = take(row);
      if (why !== null) omissions.add(`${rowsIn(table)} ${why}`, String(row['id']));
    }
    this.settle(table, omissions);
  }

  /** A table was taken as a whole. */
  settle(table: Table, omissions: Omissions): void {
    omissions.settle(rowsIn(table), this.rows(table).length);
  }
}

/** What rows of a table are called in reports. */
export function rowsIn(table: string): string {
  return `rows of ${table}`;
}

/** A whole number. @throws ArchiveError for anything else */
export function integer(row: JsonRow, field: string): number {
  const value = row[field];
  if (Number.isSafeInteger(value)) return value as number;
  throw new ArchiveError(`A row of the export has no number as ${field}: ${shown(row)}`);
}

/** A whole number, or null. */
export function integerOrNull(row: JsonRow, field: string): number | null {
  const value = row[field];
  return Number.isSafeInteger(value) ? (value as number) : null;
}

/** A text; empty where there is none. */
export function textIn(row: JsonRow, field: string): string {
  const value = row[field];
  return typeof value === 'string' ? value : '';
}

/** A time in seconds, which exports have as a number, and some as text; 0 where there is none. */
export function secondsIn(row: JsonRow, field: string): number {
  return Math.floor(millisecondsIn(row, field) / 1000);
}

/** The last time that there is a date for, milliseconds since 1970. */
const LAST_TIME = 8.64e15;

/** As {@link secondsIn}, to the millisecond. */
export function millisecondsIn(row: JsonRow, field: string): number {
  const value = row[field];
  const time = typeof value === 'string' ? Date.parse(value) : Number(value ?? 0) * 1000;
  return time <= LAST_TIME ? Math.max(0, Math.round(time)) : 0;
}

/** What a text of JSON says; the text itself where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Largest id of some rows; 0 of none. */
export function largest(
  rows: readonly JsonRow[],
  field: string | ((row: JsonRow) => number),
): number {
  const id = typeof field === 'string' ? (row: JsonRow) => integer(row, field) : field;
  return rows.reduce((most, row) => Math.max(most, id(row)), 0);
}

function shown(row: JsonRow): string {
  return JSON.stringify(row).slice(0, 200);
}
