import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

void t.test('only the error catalogue makes refusals', (t) => {
  const makers = readdirSync('src', { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'utf8').includes('new ApiError('));
  t.same(makers, ['src/errors.ts'], 'code, status and fields stand in one place');
  t.end();
});
