import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

/*
 * A union of literals says what an enum says, without code that the compiler makes up. No rule of the linter
 * forbids enums, so this test does. A statement starts a line, because every file is formatted.
 */
const ENUM = /^ *(?:export +)?(?:declare +)?(?:const +)?enum +\w+.*/m;

void t.test('no file declares an enum', (t) => {
  const found = ['schemas', 'actors', 'src', 'bench', 'test'].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .flatMap((file) => {
        const declared = ENUM.exec(readFileSync(file, 'utf8'));
        return declared ? [`${file}: ${declared[0].trim()}`] : [];
      }),
  );
  t.same(found, [], 'a union of literals says the same');
  t.end();
});

void t.test('every form of an enum is found', (t) => {
  for (const prefix of ['', 'export ', 'const ', 'export const ', 'declare ', 'declare const '])
    t.match(`const a = 1;\n${prefix}` + 'enum Kind { A }', ENUM, prefix);
  t.notMatch('const kinds = { enum: 1 };\n// enum of kinds', ENUM);
  t.end();
});
