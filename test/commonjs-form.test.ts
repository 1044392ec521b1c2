import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

/* What scripts/commonjs-form.js makes of chunks as the bundler emits them. */

const { commonJsForm } = (await import(
  pathToFileURL(join('scripts', 'commonjs-form.js')).href
)) as {
  readonly commonJsForm: (source: string) => string;
};

void t.test('chunks import each other, the modules of Node, and each other late', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-form-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const chunks = {
    'package.json': '{ "type": "commonjs" }',
    'late.js': 'export { told as default, told };\nvar told = "late";\n',
    'named.js': 'var a = 1;\nvar b = () => a + 1;\nexport {\n  a,\n  b as c\n};\n',
    'main.js': [
      '#!/usr/bin/env node',
      'import "./late.js";',
      'import {',
      '  a,',
      '  c as two',
      '} from "./named.js";',
      '// The bundler leaves other imports where a module began.',
      'import path, { join as put } from "node:path";',
      'import * as url from "node:url";',
      'var late = () => import("./late.js");',
      'var other = (name) => import(`node:${name}`);',
      'var here = import.meta.dirname;',
      'var self = [import.meta.filename, url.fileURLToPath(import.meta.url)];',
      'var line = new Error("for its line").stack;',
      'var strict = (function() { return this === undefined; })();',
      'export { a, here, late, line, other, path, put, self, strict, two };',
      '//# sourceMappingURL=main.js.map',
      '',
    ].join('\n'),
  };
  for (const [name, source] of Object.entries(chunks)) {
    writeFileSync(join(folder, name), name.endsWith('.js') ? commonJsForm(source) : source);
  }
  const main = createRequire(import.meta.url)(join(folder, 'main.js')) as Record<string, never> & {
    readonly two: () => number;
    readonly late: () => Promise<unknown>;
    readonly other: (name: string) => Promise<typeof import('node:os')>;
    readonly line: string;
    readonly self: readonly string[];
    readonly path: typeof import('node:path');
  };
  t.equal(main['a'], 1);
  t.equal(main.two(), 2);
  t.equal(main.path.sep, sep);
  t.equal(main['put'], join);
  t.equal(main['here'], folder);
  t.same(main.self, [join(folder, 'main.js'), join(folder, 'main.js')]);
  t.equal(main['strict'], true);
  t.same(await main.late(), { default: 'late', told: 'late' });
  t.equal((await main.other('os')).tmpdir, tmpdir);
  t.match(main.line, /main\.js:14:/, 'each line keeps its number');
});

void t.test('what would behave otherwise is refused', (t) => {
  for (const [source, message] of [
    ['var a = 1;\nfunction set() { a = 2; }\nexport { a };', 'a is exported and assigned again'],
    ['var a = 1;\nvar next = () => a++;\nexport { a };', 'a is exported and assigned again'],
    ['export * from "./other.js";', 'No form for: export * from "./other.js";'],
    ['export { a } from "./other.js";', 'No form for: export { a } from "./other.js";'],
    ['export default 1;', 'No form for: export default 1;'],
    ['var m = import.meta;', 'import.meta by itself has no form here'],
    ['var m = import.meta.env;', 'import.meta.env has no form here'],
  ] as const) {
    t.throws(() => commonJsForm(source), { message }, source);
  }
  t.end();
});
