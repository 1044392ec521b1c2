import { readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Result } from '../harness/measuring/figures.js';
import { readResults } from '../results.js';
import { renderPage } from './page.js';

/** Renders all result files of a folder as one page; returns where it is. */
export async function writeReport(folder: string, out: string | null): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  if (files.length === 0) throw new Error(`${folder} has no JSON files`);
  const results: Result[] = [];
  const names = new Map<Result, string>();
  for (const name of files) {
    for (const result of await readResults(join(folder, name))) {
      results.push(result);
      names.set(result, basename(name, '.json'));
    }
  }
  const target = out ?? join(folder, 'report.html');
  await writeFile(
    target,
    renderPage(results, (run) => names.get(run)!),
  );
  return target;
}
