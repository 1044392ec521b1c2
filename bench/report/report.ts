import { readdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Result } from '../harness/measuring/figures.js';
import { readResults } from '../results.js';
import { renderPage } from './page.js';

/**
 * Renders result files, and all JSON files of folders, as one page.
 * @param out absent: report.html beside the first
 * @returns where it is
 */
export async function writeReport(paths: readonly string[], out: string | null): Promise<string> {
  const results: Result[] = [];
  const names = new Map<Result, string>();
  for (const file of (await Promise.all(paths.map(filesOf))).flat()) {
    for (const result of await readResults(file)) {
      results.push(result);
      names.set(result, basename(file, '.json'));
    }
  }
  const [first = '.'] = paths;
  const folder = (await stat(first)).isDirectory() ? first : dirname(first);
  const target = out ?? join(folder, 'report.html');
  await writeFile(
    target,
    renderPage(results, (run) => names.get(run)!),
  );
  return target;
}

/** @throws Error for a folder without JSON files */
async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const files = (await readdir(path)).filter((name) => name.endsWith('.json')).sort();
  if (files.length === 0) throw new Error(`${path} has no JSON files`);
  return files.map((name) => join(path, name));
}
