/** Every command of the program is run by a test, or by a guide that a test follows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import t from 'tap';
import { commandTree } from '../src/command-line.js';

/** Names of the commands that do something, with their parents'. */
function namesOf(node: Command, path: readonly string[] = []): string[] {
  if (node.commands.length === 0) return [path.join(' ')];
  return node.commands.flatMap((one) => namesOf(one, [...path, one.name()]));
}

/** All files below a folder whose names end so, as one text. */
function textOf(folder: string, ending: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

/** Lines of the pages that `guides.test.ts` types. */
function linesOfGuides(): string {
  const pages = textOf('docs/guides', '.md') + readFileSync('docs/upgrading.md', 'utf8');
  return [...pages.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, lines]) => lines!).join('\n');
}

void t.test('each command has a test that runs it', async (t) => {
  const ownTest = readFileSync('test/src/command-line.test.ts', 'utf8');
  const tests = textOf('test/system', '.ts') + textOf('test/src/app', '.ts') + ownTest;
  const guides = linesOfGuides();
  const names = namesOf(commandTree());
  t.ok(names.length > 40, `${names.length} commands`);
  const untested = names.filter((name) => {
    const words = name.split(' ');
    const list = new RegExp(words.map((word) => `'${word}'`).join(',\\s*'));
    return !list.test(tests) && !new RegExp(`\\bparley ${name}\\b`).test(guides);
  });
  t.strictSame(untested, []);
});
