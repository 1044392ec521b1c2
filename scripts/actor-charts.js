/*
 * Draws the chart of each machine into docs/actors.md, as Mermaid text, from the machines themselves:
 *
 *     node scripts/actor-charts.js
 *
 * A test compares the page with what this makes (test/actors/kinds.test.ts).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.js';

const ROOT = join(import.meta.dirname, '..');
export const PAGE = 'docs/actors.md';

/** A chart on the page: what stands between the marks of a machine. */
const CHART = /(<!-- chart of (.+) -->\n)(?:(?!<!--)[^])*(\n<!-- end of chart -->)/g;

/**
 * @param page text of the page
 * @param drawn Mermaid texts by the names of machines
 * @returns the page with the charts as they are drawn
 */
export function withCharts(page, drawn) {
  return page.replace(CHART, (_all, before, machine, after) => {
    const text = drawn.get(machine);
    if (text === undefined) throw new Error(`There is no machine ${machine}`);
    return `${before}\n\`\`\`mermaid\n${text}\n\`\`\`\n${after}`;
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await build('bench', (line) => process.stderr.write(`${line}\n`));
  const load = (name) => import(pathToFileURL(join(ROOT, 'dist/actors', name)).href);
  const [{ shownCharts }, { mermaidOf }] = [await load('kinds.js'), await load('state-chart.js')];
  const drawn = new Map(shownCharts().map((chart) => [chart.machine, mermaidOf(chart)]));
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  writeFileSync(join(ROOT, PAGE), withCharts(page, drawn));
}
