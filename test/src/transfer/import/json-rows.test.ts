import t from 'tap';
import fc from 'fast-check';
import { readRows, type TableRow } from '../../../../src/transfer/import/json-rows.js';
import { ArchiveError, tarFiles } from '../../../../src/transfer/import/tar.js';
import { entry } from '../../../fixtures/archives/tar.js';

async function* inPieces(text: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size);
}

async function rows(text: string, size = 7): Promise<TableRow[]> {
  const found: TableRow[] = [];
  for await (const row of readRows(inPieces(Buffer.from(text), size), 'x.json')) found.push(row);
  return found;
}

void t.test('rows are what JSON.parse makes of the whole, wherever it is cut', async () => {
  const table = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 3 });
  const name = fc.string({ minLength: 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, fc.oneof(table, fc.string(), fc.integer()), { maxKeys: 4 }),
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      async (tables, size, spaced) => {
        const text = JSON.stringify(tables, null, spaced ? 2 : 0);
        const parsed = JSON.parse(text) as Record<string, unknown>;
        const wanted = Object.entries(parsed).flatMap(([table, list]) =>
          Array.isArray(list) ? list.map((row) => ({ table, row: row as object })) : [],
        );
        t.strictSame(await rows(text, size), wanted);
      },
    ),
    { numRuns: 60 },
  );
  t.strictSame(await rows('[{"a":[{}]}, {"b":"]}"}]'), [
    { table: '', row: { a: [{}] } },
    { table: '', row: { b: ']}' } },
  ]);
});

void t.test('what stands in the place of rows, and is none, is told with its table', async () => {
  const strange = async (text: string, size: number, isList = false): Promise<string[]> => {
    const found: string[] = [];
    const reading = { isList, onStrange: (table: string) => void found.push(table) };
    const pieces = inPieces(Buffer.from(text), size);
    for await (const { table, row } of readRows(pieces, 'x', reading)) {
      found.push(`${table} ${JSON.stringify(row)}`);
    }
    return found;
  };
  const tables =
    '{"a":[ {"x":[1,"y"]}, null, -1.5e3,"]{", [{"b":1}], [] , {}],"version":3,"b":{"c":{"d":1}},"e":[],"f":null}';
  for (const size of [1, 3, 1000]) {
    t.strictSame(await strange(tables, size), [
      'a {"x":[1,"y"]}',
      'a',
      'a',
      'a',
      'a',
      'a',
      'a {}',
      'b',
    ]);
    t.strictSame(await strange('[true,{"a":1},"x"]', size, true), ['', ' {"a":1}', '']);
    t.strictSame(await strange('{"ok":false}', size, true), ['']);
  }
});

void t.test('what is no JSON, or is cut short, is named', async (t) => {
  await t.rejects(rows('{"t":[{"a":1'), new ArchiveError('x.json is cut short'));
  await t.rejects(rows('{"t":[{"a":}]}'), new ArchiveError('x.json is not JSON'));
  await t.rejects(rows(''), new ArchiveError('x.json is cut short'));
  const long = `[{"a":"${'x'.repeat(17 * 1024 * 1024)}"}]`;
  await t.rejects(
    rows(long, 1024 * 1024),
    new ArchiveError('x.json has a row above 16777216 bytes'),
  );
});

void t.test('a tar archive is read in pieces; links are left out', async (t) => {
  const pax = '30 path=folder/a name by pax\n';
  const archive = Buffer.concat([
    ...entry('one.txt', Buffer.from('first'), '0'),
    ...entry('link', Buffer.alloc(0), '2'),
    ...entry('header', Buffer.from(pax), 'x'),
    ...entry('short', Buffer.from('second'), '0'),
    ...entry('skipped', Buffer.alloc(2000, 'x'), '0'),
    ...entry('last', Buffer.alloc(0), '0'),
    Buffer.alloc(1024),
  ]);
  const found: [string, string][] = [];
  for await (const { name, content } of tarFiles(inPieces(archive, 100))) {
    if (name === 'skipped') continue;
    let text = '';
    for await (const piece of content) text += piece.toString();
    found.push([name, text]);
  }
  t.strictSame(found, [
    ['one.txt', 'first'],
    ['folder/a name by pax', 'second'],
    ['last', ''],
  ]);
  const all = async (bytes: Buffer): Promise<void> => {
    for await (const _file of tarFiles(inPieces(bytes, 100)));
  };
  await t.rejects(all(archive.subarray(0, 3000)), new ArchiveError('The archive is cut short'));
  const damaged = Buffer.from(archive);
  damaged[3] = 0x7a;
  await t.rejects(all(damaged), new ArchiveError('This is no tar archive, or it is damaged'));
});
