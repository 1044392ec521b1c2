import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';

/*
 * Links between the documents of the repository, and citations of the documents in code: each relative one leads to a
 * file that exists, and its fragment to an anchor of it. Anchors are those written out (`<a id="send-message"></a>`)
 * and those that GitHub makes of headings.
 */

const CODE = /^ *(```+)[^]*?^ *\1 *$|(`+)[^`][^]*?\2/gm;
const LINK =
  /\]\(<?([^)\s>]+)>?(?: +"[^"]*")?\)|^\[[^\]]+\]: +(\S+)|<(?:a|img)[^>]* (?:href|src)="([^"]+)"/gm;
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:|^\/\//i;

/** Targets of the links of a document, without those in code. */
function linksOf(markdown: string): string[] {
  const text = markdown.replace(CODE, '');
  return [...text.matchAll(LINK)].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

/** Ids written out in a document, in order. */
function idsOf(markdown: string): string[] {
  return [...markdown.replace(CODE, '').matchAll(/ id="([^"]*)"/g)].map((match) => match[1]!);
}

/** Fragments by which GitHub leads to the headings of a document. */
function headingAnchors(markdown: string): string[] {
  const seen = new Map<string, number>();
  const fenced = /^ *(```+)[^]*?^ *\1 *$/gm;
  return [...markdown.replace(fenced, '').matchAll(/^#{1,6} +(.+?) *$/gm)].map((match) => {
    const words = match[1]!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replace(/ /g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** What is wrong with a link; null where it is good. `file` and the answer's paths are from the root. */
function faultOf(file: string, link: string): string | null {
  if (ELSEWHERE.test(link)) return null;
  const [path, fragment] = link.split('#', 2) as [string, string?];
  const target = path === '' ? file : normalize(join(dirname(file), decodeURI(path)));
  if (path.startsWith('/') || target.startsWith('..'))
    return `${file}: ${link} leaves the repository`;
  if (!existsSync(target)) return `${file}: ${link}: there is no ${target}`;
  if (fragment === undefined || !target.endsWith('.md')) return null;
  if (statSync(target).isDirectory()) return `${file}: ${link}: a folder has no anchors`;
  const text = readFileSync(target, 'utf8');
  const known = [...idsOf(text), ...headingAnchors(text)];
  return known.includes(fragment) ? null : `${file}: ${link}: ${target} has no such anchor`;
}

/** Folders whose pages comments cite by name alone; no two of them have a page of the same name. */
const CITED = ['docs', join('docs', 'contract'), join('docs', 'operations')];

/**
 * A page of one of these folders and an anchor, as comments cite them: `errors.md#codes`,
 * `architecture.md#floors`. Pages of docs/ are cited with an anchor only.
 */
const CITATION =
  /(?<![\w/-])(?:docs\/(?:contract\/|operations\/)?)?((?:[a-z][a-z-]*\.md#[a-z0-9-]+)|(?:architecture|adding)\.md)/g;

/** What is wrong with the citations in a file of code. */
function citationFaults(file: string, code: string): string[] {
  return [...code.matchAll(CITATION)].flatMap((match) => {
    const [page, anchor] = match[1]!.split('#', 2) as [string, string?];
    if (anchor === undefined) return [`${file} cites ${page} without an anchor`];
    const folder = CITED.find((one) => existsSync(join(one, page))) ?? join('docs', 'contract');
    const fault = faultOf(join(folder, 'README.md'), match[1]!);
    return fault === null ? [] : [`${file} cites ${fault.slice(fault.indexOf(': ') + 2)}`];
  });
}

/** A name of code as the text of a link to its file: [`deliver`](../src/a.ts). */
const NAMED = /\[`#?(\w+)`\]\(([^)#]+\.(?:ts|js))\)/g;

/** Names of code that are not in the files a document links them to. */
function nameFaults(file: string, markdown: string): string[] {
  return [...markdown.matchAll(NAMED)].flatMap(([, name, link]) => {
    const target = normalize(join(dirname(file), link!));
    // A file that is not there is a fault of the link.
    if (!existsSync(target)) return [];
    const isThere = new RegExp(`\\b${name}\\b`).test(readFileSync(target, 'utf8'));
    return isThere ? [] : [`${file}: ${target} has no ${name}`];
  });
}

const DOCUMENTS = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name)),
];

void t.test('every relative link of a document leads to a file and an anchor that exist', (t) => {
  const faults = DOCUMENTS.flatMap((file) =>
    linksOf(readFileSync(file, 'utf8')).flatMap((link) => faultOf(file, link) ?? []),
  );
  t.same(faults, []);
  t.ok(DOCUMENTS.includes('README.md'));
  t.ok(DOCUMENTS.includes(join('docs', 'contract', 'README.md')));
  t.end();
});

void t.test('every page and anchor that code cites exists', (t) => {
  const faults = ['schemas', 'actors', 'src', 'bench', 'test', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(ts|js|lua)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => file !== join('test', 'docs-links.test.ts'))
      .flatMap((file) => citationFaults(file, readFileSync(file, 'utf8'))),
  );
  t.same(faults, []);
  t.end();
});

void t.test('what a document names in a file of code is there', (t) => {
  const faults = DOCUMENTS.flatMap((file) => nameFaults(file, readFileSync(file, 'utf8')));
  t.same(faults, [], 'renamed or moved: name it in the document as it is now');
  t.end();
});

void t.test('no document has an id twice', (t) => {
  for (const file of DOCUMENTS) {
    const ids = idsOf(readFileSync(file, 'utf8'));
    t.same(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
      file,
    );
  }
  t.end();
});

void t.test('every page of the contract is in its index', (t) => {
  const folder = join('docs', 'contract');
  const listed = linksOf(readFileSync(join(folder, 'README.md'), 'utf8'));
  const missing = readdirSync(folder).filter(
    (name) => name !== 'README.md' && !listed.includes(name),
  );
  t.same(missing, []);
  t.end();
});

void t.test('links are found in prose, tables, references and tags, and not in code', (t) => {
  const text = [
    'See [one](a.md#x), [`two`](b.md) and ![three](c.png "title").',
    '| [four](d.md) |',
    '[five]: e.md',
    '<a href="f.md">six</a>',
    '`[seven](g.md)` ``a ` [eight](h.md)``',
    '```sh\n[nine](i.md)\n```',
  ].join('\n');
  t.same(linksOf(text), ['a.md#x', 'b.md', 'c.png', 'd.md', 'e.md', 'f.md']);
  t.end();
});

void t.test('headings have the anchors that GitHub makes', (t) => {
  const text =
    '# The API\n\n## B.2 Sending: `POST /messages`\n\n## The API\n\n```\n# no heading\n```\n';
  t.same(headingAnchors(text), ['the-api', 'b2-sending-post-messages', 'the-api-1']);
  t.end();
});

void t.test('a citation of what does not exist is told', (t) => {
  const page = join('docs', 'contract', 'errors.md');
  t.same(
    citationFaults('a.ts', '/** See errors.md#codes and docs/contract/errors.md#codes. */'),
    [],
  );
  t.same(citationFaults('a.ts', '// (errors.md#none), none.md#codes'), [
    `a.ts cites errors.md#none: ${page} has no such anchor`,
    `a.ts cites none.md#codes: there is no ${join('docs', 'contract', 'none.md')}`,
  ]);
  t.same(citationFaults('a.ts', '// architecture.md#floors, docs/adding.md#setting'), []);
  t.same(citationFaults('a.ts', '// (architecture.md section 3), docs/architecture.md#none'), [
    'a.ts cites architecture.md without an anchor',
    `a.ts cites architecture.md#none: ${join('docs', 'architecture.md')} has no such anchor`,
  ]);
  t.end();
});

void t.test('a name that is not in its file is told', (t) => {
  const links = '[`nameFaults`](../test/docs-links.test.ts) [`#absent`](../test/docs-links.js)';
  t.same(nameFaults('docs/a.md', links), []);
  t.same(nameFaults('docs/a.md', '[`LINKER`](../scripts/structure.js)'), [
    `docs/a.md: ${join('scripts', 'structure.js')} has no LINKER`,
  ]);
  t.end();
});

void t.test('a broken link is told with what is wrong', (t) => {
  t.equal(faultOf('README.md', 'https://example.org/nothing'), null);
  t.equal(faultOf('README.md', 'docs/contract/README.md#pages'), null);
  t.equal(faultOf('docs/operations/proxies.md', '../README.md'), null);
  t.equal(faultOf('README.md', 'none.md'), 'README.md: none.md: there is no none.md');
  t.equal(
    faultOf('README.md', 'docs/contract/README.md#none'),
    `README.md: docs/contract/README.md#none: ${join('docs', 'contract', 'README.md')} has no such anchor`,
  );
  t.equal(faultOf('README.md', '../other'), 'README.md: ../other leaves the repository');
  t.end();
});
