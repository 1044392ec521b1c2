/** Rows as people read them on a terminal. */

type Row = Readonly<Record<string, unknown>>;

/** A table with a line of titles; numbers stand to the right. */
export function tableText(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return 'None';
  const names = Object.keys(first);
  const cells = rows.map((row) => names.map((name) => cell(row[name])));
  const widths = names.map((name, i) => Math.max(width(name), ...cells.map((c) => width(c[i]!))));
  const isNumber = names.map((name) => rows.every((row) => typeof row[name] === 'number'));
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => {
        const space = ' '.repeat(widths[i]! - width(text));
        return isNumber[i] ? space + text : text + space;
      })
      .join('  ')
      .trimEnd();
  return [line(names.map((name) => name.toUpperCase())), ...cells.map(line)].join('\n');
}

/** One thing, a line for each of its fields. */
export function recordText(row: Row): string {
  const names = Object.keys(row);
  const widest = Math.max(0, ...names.map(width));
  return names.map((name) => `${name.padEnd(widest)}  ${cell(row[name])}`).join('\n');
}

function cell(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  // What somebody chose as a name moves no cursor.
  return String(value).replace(/\p{Cc}/gu, '?');
}

/** Characters; wide ones of East Asia count as two places. */
function width(text: string): number {
  let places = 0;
  for (const one of text) {
    places += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(one)
      ? 2
      : 1;
  }
  return places;
}
