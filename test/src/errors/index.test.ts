import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

void t.test('only the error catalogue makes refusals', (t) => {
  const makers = readdirSync('src', { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'utf8').includes('new ApiError('));
  t.ok(makers.length > 1, 'the catalogue was found');
  t.same(
    makers.filter((file) => !file.startsWith('src/errors/')),
    [],
    'code, status and fields stand in one place',
  );
  t.end();
});

void t.test('the catalogue gives out all its files', (t) => {
  const catalogue = readFileSync('src/errors/index.ts', 'utf8');
  for (const file of readdirSync('src/errors').filter((name) => name !== 'index.ts')) {
    t.ok(catalogue.includes(`'./${file.replace('.ts', '.js')}'`), file);
  }
  t.end();
});
