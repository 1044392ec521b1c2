import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isKnownWording } from './system/harness/refusals.js';

/*
 * Every refusal that stands in the sources has a wording of the contract. Random requests come across some of them
 * only (test/system/load/fuzz.test.ts), so a new wording would fail there on one run in several.
 */

/** A text given to `badRequest` and the like as it is. A text that is made elsewhere is left to random requests. */
const REFUSAL =
  /\b(?:badRequest|unauthorized|forbidden)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1\s*[,)]/g;
/** What stands for each value of a template: some wordings admit numbers only, others certain words. */
const VALUES = ['1', 'is', 'direct'];
/** Refuse nobody who sends requests to the API. */
const ELSEWHERE = new Set([
  // a request's head that no reply can follow: closes the connection (http/native)
  'Ambiguous request head',
  // a frame of the socket (socket.md)
  'Unknown frame type',
]);

function refusals(source: string): string[] {
  return [...source.matchAll(REFUSAL)].map((found) => found[2]!.replace(/\\(.)/g, '$1'));
}

function isKnown(refusal: string): boolean {
  return VALUES.some((value) =>
    isKnownWording(refusal.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, value)),
  );
}

void t.test('every refusal of the sources has a known wording', async (t) => {
  // The operator's commands are refused on a socket of their own; browsers and the client package refuse nothing.
  const serving = ['errors', 'http', 'resources', 'organization', 'journal', 'store', 'services'];
  const files = serving.flatMap((folder) =>
    readdirSync(join('src', folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const found = files.flatMap((file) => refusals(readFileSync(file, 'utf8')));
  t.ok(found.length > 300, 'the refusals were found');
  t.strictSame(
    found.filter((refusal) => !ELSEWHERE.has(refusal) && !isKnown(refusal)),
    [],
    'new ones belong in WORDINGS of test/system/harness/refusals.ts',
  );
});

// [c:product-named]
void t.test(
  'another product is named only where programs compare the text (errors.md#product-names)',
  async (t) => {
    const sources = ['src', 'schemas'].flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    );
    const naming = sources.flatMap(refusals).filter((refusal) => /zulip/i.test(refusal));
    t.strictSame(naming, ["'${apiEmail(org, user)}' is no longer using Zulip."]);
    const page = readFileSync('docs/contract/errors.md', 'utf8');
    for (const text of ["'{email}' is no longer using Zulip.", 'Basic realm="zulip"']) {
      t.ok(page.includes(text), text);
    }
  },
);

void t.test('a wording of no page is found', async (t) => {
  const source = `badRequest('Nobody wrote this down.');\nbadRequest(\n  "Nobody's",\n)`;
  t.strictSame(refusals(source), ['Nobody wrote this down.', "Nobody's"]);
  t.notOk(isKnown('Nobody wrote this down.'));
  t.ok(isKnown("Missing '${name}' argument"));
});
