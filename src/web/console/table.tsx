import type { ComponentChildren } from 'preact';

interface Column<T> {
  readonly title: string;
  readonly of: (row: T) => ComponentChildren;
  /** Digits of equal width. */
  readonly isNumber?: boolean;
}

interface Props<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T, index: number) => string | number;
  /** Said where there are no rows. */
  readonly empty: string;
}

/** A table that scrolls by itself, with fixed columns. */
export function Table<T>({ label, columns, rows, keyOf, empty }: Props<T>) {
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(({ title, of, isNumber }) => (
                <td key={title} class={isNumber ? 'number' : ''}>
                  {of(row)}
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
