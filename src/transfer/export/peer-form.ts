/**
 * The form of another server's exports, learned from one that this server wrote: Zulip makes its objects of all columns of
 * a row, so it takes the columns of its own release alone, and wants the migrations of its own database named.
 */
import { join } from 'node:path';
import { readdir, readFile, stat } from '../../platform/files.js';
import { ArchiveError, unpack } from '../import/archive.js';
import { rowsOf } from '../import/json-rows.js';
import type { Row, RowForm } from './tables.js';

/** Most bytes of the file of migrations: those of a release have some 100 kB. */
const MAX_MIGRATIONS = 8 * 1024 * 1024;

const MIGRATIONS = 'migration_status.json';

/** Files of an export that have tables. */
const FILES: readonly string[] = ['realm.json', 'attachment.json', 'messages-000001.json'];

/** What stands in the place of a reference that only the other server has. */
const NOBODY = /_(id|stream|channel|message|user)$|^(folder|creator|author|client|recipient)$/;

/** What belongs to the organization of the example alone: the other server makes such a value itself. */
const SECRET = /_secret$/;

/** When something is to happen to the organization of the example, and where it has gone. */
const FATE = /_(date|timestamp|redirect)$/;

/** Columns of a table, with a value that the other server gave each. */
type Columns = ReadonlyMap<string, unknown>;

/** A column that the other server has no place for, and how many rows had something in it. */
export interface LeftColumn {
  readonly column: string;
  readonly count: number;
}

export class PeerForm implements RowForm {
  private readonly left = new Map<string, number>();

  private constructor(
    private readonly tables: ReadonlyMap<string, Columns>,
    /** The migrations of its database. */
    readonly migrations: Buffer,
    /** Number of the group that gets permissions which this server does not have: the administrators. */
    private readonly administrators: number,
  ) {}

  /**
   * @param path an export that the other server wrote
   * @param folder empty, for its files
   * @throws ArchiveError where it is none, or of a release without {@link MIGRATIONS}
   */
  static async read(path: string, folder: string, administrators: number): Promise<PeerForm> {
    await unpack(path, folder);
    const root = await rootOf(folder, path);
    const tables = new Map<string, Columns>();
    for (const file of FILES) {
      for await (const { table, row } of rowsOf(join(root, file))) {
        if (!tables.has(table)) tables.set(table, new Map(Object.entries(row)));
      }
    }
    const migrations = join(root, MIGRATIONS);
    if ((await stat(migrations)).size > MAX_MIGRATIONS)
      throw new ArchiveError(`${MIGRATIONS} of ${path} is too large`);
    return new PeerForm(tables, await readFile(migrations), administrators);
  }

  /** Tables that the example has no row of: their rows stay as they are. */
  without(names: Iterable<string>): string[] {
    return [...names].filter((name) => !this.tables.has(name));
  }

  /** What no table of the other server has a place for, most first. */
  get leftColumns(): LeftColumn[] {
    const all = Array.from(this.left, ([column, count]) => ({ column, count }));
    return all.sort((a, b) => b.count - a.count || (a.column < b.column ? -1 : 1));
  }

  /** A row with the columns of the other server alone, and with all of them but secrets. */
  shape(table: string, row: Row): Row {
    const columns = this.tables.get(table);
    if (!columns) return row;
    const shaped: Record<string, unknown> = {};
    for (const [column, example] of columns) {
      if (SECRET.test(column) && !(column in row)) continue;
      shaped[column] = column in row ? row[column] : this.missing(table, column, example);
    }
    for (const [column, value] of Object.entries(row)) {
      if (!columns.has(column) && isSomething(value)) this.leave(`${table}.${column}`);
    }
    return shaped;
  }

  private leave(column: string): void {
    this.left.set(column, (this.left.get(column) ?? 0) + 1);
  }

  /**
   * A column that this server does not have. Permissions are for administrators alone, as they are with imports here;
   * references lead nowhere; of settings of an organization the value that the other server began with.
   */
  private missing(table: string, column: string, example: unknown): unknown {
    if (example === null || FATE.test(column)) return null;
    if (typeof example === 'number' && column.endsWith('_group')) return this.administrators;
    if (typeof example === 'number' && NOBODY.test(column)) return null;
    const defaults = this.tables.get('zerver_realmuserdefault');
    if (table === 'zerver_userprofile' && defaults?.has(column)) return defaults.get(column);
    if (table === 'zerver_realm' || table === 'zerver_realmuserdefault') return example;
    return EMPTY[typeof example]?.(example) ?? null;
  }
}

/** What says nothing, by the type of what says something. */
const EMPTY: Readonly<Record<string, (example: unknown) => unknown>> = {
  string: () => '',
  number: () => 0,
  boolean: () => false,
  object: (example) => (Array.isArray(example) ? [] : {}),
};

function isSomething(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return false;
  return !Array.isArray(value) || value.length > 0;
}

/** The folder of the archive that has the files. @throws ArchiveError */
async function rootOf(folder: string, path: string): Promise<string> {
  const top = await readdir(folder);
  const roots = [folder, ...top.map((name) => join(folder, name))];
  for (const root of roots) {
    const names = await readdir(root).catch((): string[] => []);
    if (![...FILES, MIGRATIONS].every((name) => names.includes(name))) continue;
    return root;
  }
  throw new ArchiveError(
    `${path} is no export of Zulip 10 or later: it lacks one of ${[...FILES, MIGRATIONS].join(', ')}`,
  );
}
