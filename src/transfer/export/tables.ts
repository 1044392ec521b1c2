/** Tables of an export as JSON text, in pieces: a table may be larger than one text can be. */

/** A row; every table numbers its own. */
export type Row = Readonly<Record<string, unknown>>;

/** A row of columns by name. */
export function rowOf(columns: Iterable<readonly [string, unknown]>): Row {
  return Object.fromEntries(columns) as Row;
}

/** How another server writes a row of a table. */
export interface RowForm {
  shape(table: string, row: Row): Row;
}

/** Rows of JSON text per piece: some 100 kB. */
const PIECE = 500;

/** Rows of one table, kept as text. */
class Table {
  readonly pieces: Buffer[] = [];
  private texts: string[] = [];
  count = 0;

  add(row: Row): void {
    this.texts.push(`${this.count === 0 ? '' : ',\n'}${JSON.stringify(row)}`);
    this.count += 1;
    if (this.texts.length >= PIECE) this.flush();
  }

  flush(): void {
    this.pieces.push(Buffer.from(this.texts.join('')));
    this.texts = [];
  }
}

/** Tables that become one file: an object of lists. */
export class Tables {
  private readonly tables = new Map<string, Table>();

  /**
   * Names tables that are there also without rows: whoever reads an export may ask for each.
   * @param form of another server, that rows are written in
   */
  constructor(
    names: readonly string[] = [],
    private readonly form: RowForm | null = null,
  ) {
    for (const name of names) this.tables.set(name, new Table());
  }

  /** Adds a row; where it has no number of its own, the next one. */
  add(name: string, row: Row): void {
    let table = this.tables.get(name);
    if (!table) this.tables.set(name, (table = new Table()));
    const numbered = { id: table.count + 1, ...row };
    table.add(this.form?.shape(name, numbered) ?? numbered);
  }

  /** Rows of a table so far. */
  count(name: string): number {
    return this.tables.get(name)?.count ?? 0;
  }

  /** Tables that have rows. */
  get filled(): string[] {
    return [...this.tables].filter(([, table]) => table.count > 0).map(([name]) => name);
  }

  /** The file. @param more members that are no tables */
  text(more: Row = {}): Buffer[] {
    const parts: Buffer[] = [Buffer.from('{')];
    let isFirst = true;
    for (const [name, table] of this.tables) {
      table.flush();
      parts.push(Buffer.from(`${isFirst ? '' : ','}\n${JSON.stringify(name)}: [`));
      parts.push(...table.pieces, Buffer.from(']'));
      isFirst = false;
    }
    for (const [name, value] of Object.entries(more)) {
      parts.push(Buffer.from(`,\n${JSON.stringify(name)}: ${JSON.stringify(value)}`));
    }
    parts.push(Buffer.from('\n}\n'));
    return parts;
  }
}
