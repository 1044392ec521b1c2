/** The pages for operators have every option, command and metric that there is, and none that there is not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import t from 'tap';
import { commandTree } from '../src/cli/command-line.js';
import { OPTIONS } from '../src/config/options.js';

const OPERATIONS = join('docs', 'operations');

/** Paths of all Markdown files below a folder. */
function pagesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

/** Rows of the tables of a page, as their cells. */
function rowsOf(page: string): string[][] {
  return readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));
}

/** Names of the commands that do something, each with its parents'. */
function namesOf(node: Command, path: readonly string[] = []): string[] {
  if (node.commands.length === 0) return [path.join(' ')];
  return node.commands.flatMap((one) => namesOf(one, [...path, one.name()]));
}

void t.test('the page of the configuration has each option once, with its default', async (t) => {
  const rows = rowsOf(join(OPERATIONS, 'configuration.md'));
  const stated = rows.flatMap(([flag = '', fallback = '']) => {
    const name = /^`--([a-z-]+)`$/.exec(flag)?.[1];
    return name !== undefined && OPTIONS.some((one) => one.flag === name) ? [[name, fallback]] : [];
  });
  // The options that take a file have rows of their own, without a default.
  const options = stated.filter(([, fallback]) => !fallback!.startsWith('`--'));
  t.strictSame(options.map(([name]) => name).sort(), OPTIONS.map(({ flag }) => flag).sort());
  const wrong = OPTIONS.filter(({ flag, fallback }) => {
    const said = options.find(([name]) => name === flag)?.[1];
    return fallback !== '' && said !== `\`${fallback}\``;
  });
  t.strictSame(
    wrong.map(({ flag }) => flag),
    [],
    'another default than the server has',
  );
});

void t.test('the page of the configuration names no flag that there is not', async (t) => {
  const flags = new Set([
    ...OPTIONS.flatMap(({ flag, secret }) => (secret ? [flag, `${flag}-file`] : [flag])),
  ]);
  for (const page of ['README.md', join(OPERATIONS, 'configuration.md')]) {
    const named = rowsOf(page).flatMap((cells) =>
      cells.flatMap((cell) => [...cell.matchAll(/`--([a-z-]+)`/g)].map(([, name]) => name!)),
    );
    t.ok(named.length > 0, page);
    t.strictSame(
      named.filter((name) => !flags.has(name)),
      [],
      page,
    );
  }
});

void t.test('the variable of each option is its flag in capitals, as the page says', async (t) => {
  for (const { flag, variable } of OPTIONS) {
    t.equal(variable, `PARLEY_${flag.toUpperCase().replaceAll('-', '_')}`, flag);
  }
});

void t.test('each command is in a page for operators, or in a guide', async (t) => {
  const pages = [...pagesBelow(OPERATIONS), ...pagesBelow(join('docs', 'guides'))];
  const text = pages.map((page) => readFileSync(page, 'utf8')).join('\n');
  const names = namesOf(commandTree());
  t.ok(names.length > 40, `${names.length} commands`);
  t.strictSame(
    names.filter((name) => !new RegExp(`parley ${name}(?![a-z-])`).test(text)),
    [],
  );
});

/** Lines of a page that a shell takes, of blocks of code, whole. */
function typedLines(page: string): string[] {
  const fenced = /^```(?:sh)?\n([^]*?)^```$/gm;
  return [...readFileSync(page, 'utf8').matchAll(fenced)].flatMap(([, lines]) =>
    lines!.replaceAll('\\\n', ' ').split('\n'),
  );
}

/** The command that words begin with. */
function commandOf(words: readonly string[]): Command | undefined {
  let node = commandTree();
  for (const word of words) {
    const next = node.commands.find((one) => one.name() === word);
    if (!next) break;
    node = next;
  }
  return node.commands.length === 0 ? node : undefined;
}

void t.test(
  'every line of the pages that starts the program has a command and its flags',
  async (t) => {
    const pages = ['README.md', ...pagesBelow(OPERATIONS), ...pagesBelow(join('docs', 'guides'))];
    const lines = pages.flatMap((page) =>
      typedLines(page).flatMap((line) => {
        const typed = /(?:^|[;&|(=] *|\bnpx )parley ([a-z].*)/.exec(line)?.[1];
        return typed === undefined ? [] : [[page, typed.replace(/ #.*| [|&>].*/, '')] as const];
      }),
    );
    t.ok(lines.length > 40, `${lines.length} lines`);
    const wrong = lines.filter(([, line]) => {
      const words = line.split(/\s+/);
      const options = commandOf(words)?.options;
      if (!options) return true;
      const flags = words.filter((word) => word.startsWith('--'));
      return flags.some((flag) => !options.some(({ long }) => long === flag.split('=')[0]));
    });
    t.strictSame(wrong, []);
  },
);

void t.test('the page of the metrics has those of the server, and no others', async (t) => {
  const sources = readdirSync(join('src', 'host'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /metrics\.ts$/.test(name))
    .map((name) => readFileSync(join('src', 'host', name), 'utf8'));
  const quoted = sources.flatMap((text) => [...text.matchAll(/'(parley_[a-z_]+)'/g)]);
  const made = new Set(quoted.map(([, name]) => name!));
  const page = readFileSync(join(OPERATIONS, 'monitoring.md'), 'utf8');
  const stated = new Set([...page.matchAll(/`(parley_[a-z_]+)`/g)].map(([, name]) => name!));
  t.ok(made.size > 25, `${made.size} metrics`);
  t.strictSame([...stated].sort(), [...made].sort());
});

void t.test('the index has every page of the documentation', async (t) => {
  const index = readFileSync(join('docs', 'README.md'), 'utf8');
  const pages = pagesBelow('docs').map((page) => page.slice('docs/'.length));
  const missing = pages.filter(
    // The contract has an index of its own.
    (page) =>
      page !== 'README.md' && !/^contract\/(?!README)/.test(page) && !index.includes(`(${page})`),
  );
  t.strictSame(missing, []);
});

void t.test('pages that comments cite by name alone have different names', async (t) => {
  const names = ['docs', join('docs', 'contract'), OPERATIONS].flatMap((folder) =>
    readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md'),
  );
  t.strictSame(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

/** Rows of the tables of a page, each cell by the head of its column. */
function tablesOf(path: string): ReadonlyMap<string, string>[] {
  let head: readonly string[] = [];
  return rowsOf(path).flatMap((cells) => {
    // The head stands above a line of dashes, or follows what is no row.
    if (cells.includes('Parley')) {
      head = cells;
      return [];
    }
    return [new Map(cells.map((cell, i) => [head[i] ?? String(i), cell]))];
  });
}

void t.test('the costs in the README are those of the page of the performance', async (t) => {
  const whole = tablesOf(join('docs', 'performance.md'));
  const own = tablesOf('README.md').filter((row) => /^\d/.test(row.get('Parley') ?? ''));
  t.ok(own.length > 3, `${own.length} rows`);
  const figures = (row: ReadonlyMap<string, string>) => [...row].slice(1);
  t.strictSame(
    own.filter(
      (row) => !whole.some((one) => figures(row).every(([by, cost]) => one.get(by) === cost)),
    ),
    [],
  );
});

void t.test('the README stays a page that is read at once', async (t) => {
  const lines = readFileSync('README.md', 'utf8').split('\n').length;
  t.ok(lines <= 250, `${lines} lines; operations have pages in docs/operations`);
});
