import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import t from 'tap';

/*
 * Each time that an object literal with an accessor is evaluated, V8 makes a hidden class of its own for the object, which
 * holds the accessor's closure: all that it closes over lives until the next full collection, and whatever reads such objects
 * is never specialized. In a page of messages that was a third of its cost. A class has its accessors once, and a function is
 * a value like others.
 */
function withAccessors(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isAccessor = ts.isGetAccessor(node) || ts.isSetAccessor(node);
    if (isAccessor && ts.isObjectLiteralExpression(node.parent)) found.push(node.name.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** One for each part of the program: made once. */
const ONCE = 'actors/deadline-wheel.ts: size';

function parsed(name: string, text: string): ts.SourceFile {
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
}

void t.test('no object literal of the server has an accessor', (t) => {
  const found = ['schemas', 'actors', 'src'].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8');
        // Few files have the words at all, and to parse them all takes seconds.
        if (!/^ +[gs]et \w/m.test(text)) return [];
        return withAccessors(parsed(file, text)).map((name) => `${file}: ${name}`);
      }),
  );
  t.strictSame(found, [ONCE], 'a function, or a class');
  t.end();
});

void t.test('accessors of object literals are found, those of classes are none', (t) => {
  const text =
    'const a = { get b() { return 1; }, set c(d) {} }; class E { get f() { return 2; } }';
  t.strictSame(withAccessors(parsed('a.ts', text)), ['b', 'c']);
  t.end();
});
