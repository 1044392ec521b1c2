/** Reads the table of `parley users import`. */
import { decode } from '../../services/text/decode.js';
import type { ImportedUser } from './admin-request.js';

/** Most rows of one import: the largest organization that the bench measures. */
const MOST_ROWS = 100_000;

/**
 * The accounts of a CSV file (RFC 4180, comma or semicolon; UTF-8, UTF-16 with its mark, or windows-1252) with a first line that names `email`, `name` and, where
 * there is one, `role`; further columns are ignored.
 * @throws Error that names the line
 */
export function usersFrom(table: Uint8Array): ImportedUser[] {
  const [head, ...rows] = rowsOf(decode(table));
  const titles = head?.cells.map((title) => title.trim().toLowerCase()) ?? [];
  const [email, name, role] = ['email', 'name', 'role'].map((title) => titles.indexOf(title));
  if (email === -1 || name === -1)
    throw new Error('The first line names the columns: email, name, role');
  if (rows.length > MOST_ROWS) throw new Error(`There are more than ${MOST_ROWS} rows`);
  return rows.map(({ line, cells }) => {
    if (cells.length !== titles.length) {
      throw new Error(`Line ${line} has ${cells.length} cells, the first one ${titles.length}`);
    }
    const at = (place: number | undefined): string => cells[place ?? -1]?.trim() ?? '';
    return { line, email: at(email), name: at(name), role: at(role) };
  });
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows that are not empty. @throws Error for a quote that is not closed */
function rowsOf(text: string): Row[] {
  const separator = /^[^\n]*;/.test(text) && !/^[^\n]*,/.test(text) ? ';' : ',';
  const rows: Row[] = [];
  let [line, begun, cell, cells] = [1, 1, '', [] as string[]];
  let quoted = 0;
  const end = (): void => {
    cells.push(cell);
    if (cells.length > 1 || cell.trim() !== '') rows.push({ line: begun, cells });
    [cell, cells, begun] = ['', [], line];
  };
  for (let i = 0; i < text.length; i++) {
    const one = text[i]!;
    if (one === '\n') line += 1;
    if (quoted > 0) {
      if (one !== '"') cell += one;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = 0;
    } else if (one === '"' && cell.trim() === '') [quoted, cell] = [line, ''];
    else if (one === separator) [cell] = [(cells.push(cell), '')];
    else if (one === '\n') end();
    else if (one !== '\r') cell += one;
  }
  if (quoted > 0) throw new Error(`A quote of line ${quoted} is not closed`);
  if (cell !== '' || cells.length > 0) end();
  return rows;
}
