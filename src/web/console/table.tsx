import type { ComponentChildren } from 'preact';

interface Column<T> {
  readonly title: string;
  readonly of: (row: T) => ComponentChildren;
  /** Digits of equal width. */
  readonly isNumber?: boolean;
  /** Words that may take several lines. */
  readonly isLong?: boolean;
}

interface Props<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string | number;
  /** Said where there are no rows. */
  readonly empty: string;
}

/**
 * A table that scrolls by itself, with fixed columns; on a narrow page each row is a block of titled lines, for which the
 * roles are said: without its layout a browser takes a table for none.
 */
export function Table<T>({ label, columns, rows, keyOf, empty }: Props<T>) {
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.title} role="columnheader" scope="col" class={kindOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)} role="row">
              {columns.map((column) => (
                <td key={column.title} role="cell" class={kindOf(column)} data-title={column.title}>
                  {isolated(column.of(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">{empty}</p>}
    </div>
  );
}

/** In its own direction: an option, an address, a name or a number below 0 is the same in each language. */
export function isolated(value: ComponentChildren): ComponentChildren {
  return typeof value === 'string' || typeof value === 'number' ? <bdi>{value}</bdi> : value;
}

function kindOf<T>({ isNumber, isLong }: Column<T>): string {
  if (isNumber) return 'number';
  return isLong ? 'long' : '';
}
