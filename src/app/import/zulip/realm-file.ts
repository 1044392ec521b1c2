/** `realm.json` of a Zulip export: the tables that an import takes, and how many rows the others have. */
import { join } from 'node:path';
import { ArchiveError } from '../archive.js';
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
] as const;
type Table = (typeof TABLES)[number];

/** Tables that are read apart, and those that say nothing beside the ones above. */
const ELSEWHERE = new Set(['zerver_reaction', 'zerver_huddle', 'zerver_usergroup']);

/** What `realm.json` has. */
export class RealmFile {
  private readonly tables = new Map<Table, JsonRow[]>(TABLES.map((name) => [name, []]));
  /** Rows of tables that are not taken. */
  readonly left = new Map<string, number>();

  private constructor(readonly path: string) {}

  /** @throws ArchiveError */
  static async read(folder: string): Promise<RealmFile> {
    const file = new RealmFile(join(folder, 'realm.json'));
    for await (const { table, row } of rowsOf(file.path)) {
      const kept = file.tables.get(table as Table);
      if (kept) kept.push(row);
      else if (!ELSEWHERE.has(table)) file.left.set(table, (file.left.get(table) ?? 0) + 1);
    }
    if (file.rows('zerver_realm').length !== 1) {
      throw new ArchiveError('realm.json has no organization: this is no Zulip export');
    }
    return file;
  }

  rows(table: Table): readonly JsonRow[] {
    return this.tables.get(table)!;
  }
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
  const value = row[field];
  const seconds = typeof value === 'string' ? Date.parse(value) / 1000 : Number(value ?? 0);
  return Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0;
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
