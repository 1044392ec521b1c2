import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from '@messageformat/parser';
import t from 'tap';
import { LANGUAGES, languageFor, languageOfBrowser } from '../../../src/languages/languages.js';
import { fill } from '../../../src/languages/say.js';
import { texts } from '../../../src/languages/texts.js';

/* Every language has every message, with the same arguments and the plural forms that it needs. */

type Catalog = Readonly<Record<string, string>>;
type Tokens = ReturnType<typeof parse>;

interface Compiler {
  readonly catalogsOf: (root: string, language: string) => Readonly<Record<string, Catalog>>;
  readonly argumentsOf: (message: string) => Promise<ReadonlyMap<string, string>>;
  readonly valueTypes: (root: string) => Promise<ReadonlyMap<string, string>>;
}

const { catalogsOf, argumentsOf, valueTypes } = (await import(
  pathToFileURL(join('scripts', 'languages.js')).href
)) as Compiler;

const CODES = Object.keys(LANGUAGES);
const ENGLISH = catalogsOf('.', 'en');
/** Every message, with its place. */
const ALL = CODES.flatMap((language) =>
  Object.entries(catalogsOf('.', language)).flatMap(([area, messages]) =>
    Object.entries(messages).map(([id, message]) => ({
      language,
      message,
      english: ENGLISH[area]?.[id],
      place: `${language}/${area} ${id}`,
    })),
  ),
);

/** The forms that counts below a thousand take in a language; French and Spanish have another for millions. */
function formsOf(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 1000 }, (_, n) => rules.select(n)))].sort();
}

/** The forms of each plural in a message. */
function pluralsOf(tokens: Tokens): string[][] {
  return tokens.flatMap((token) => {
    if (!('cases' in token)) return [];
    const inner = token.cases.flatMap((one) => pluralsOf(one.tokens as Tokens));
    const own = token.type === 'plural' ? [token.cases.map(({ key }) => key)] : [];
    return [...own, ...inner];
  });
}

void t.test('there are catalogs of each language that is named, and of no other', async (t) => {
  const folders = readdirSync('src/languages', { withFileTypes: true });
  const found = folders
    .filter((one) => one.isDirectory())
    .map(({ name }) => name)
    .filter((name) => name !== 'values');
  t.strictSame(found.sort(), [...CODES].sort());
});

void t.test('each language has every message of English, in its order, and no other', async (t) => {
  const idsOf = (language: string) =>
    Object.fromEntries(
      Object.entries(catalogsOf('.', language)).map(([area, all]) => [area, Object.keys(all)]),
    );
  for (const language of CODES) t.strictSame(idsOf(language), idsOf('en'), language);
  const doubled = CODES.flatMap((language) =>
    Object.keys(ENGLISH).flatMap((area) => {
      const text = readFileSync(`src/languages/${language}/${area}.json`, 'utf8');
      const ids = [...text.matchAll(/^ {2}"([^"]+)":/gm)].map(([, id]) => id!);
      return ids.filter((id, i) => ids.indexOf(id) !== i);
    }),
  );
  t.strictSame(doubled, [], 'an id stands once in a catalog');
});

void t.test('a message is given the same in each language', async (t) => {
  for (const { message, english, place } of ALL) {
    const given = [...(await argumentsOf(message))].sort();
    const inEnglish = [...(await argumentsOf(english ?? ''))].sort();
    // Refusals in English name what the API names; the others may leave out what says nothing to people.
    const isRefusal = place.includes('/refusals ');
    const wanted = isRefusal
      ? inEnglish.filter(([name]) => given.some(([one]) => one === name))
      : inEnglish;
    t.strictSame(given, wanted, place);
  }
});

void t.test('plurals have every form that counts take in the language', async (t) => {
  t.strictSame(formsOf('ar'), ['few', 'many', 'one', 'other', 'two', 'zero']);
  t.strictSame(formsOf('ja'), ['other']);
  for (const { language, message, place } of ALL) {
    for (const forms of pluralsOf(parse(message))) {
      const missing = formsOf(language).filter((form) => !forms.includes(form));
      t.strictSame(missing, [], place);
    }
  }
});

void t.test(
  'no message has an apostrophe that begins a quotation, or a space at its ends',
  async (t) => {
    // The other apostrophe begins what is not read as an argument, d'{name}, and means itself before a letter alone.
    const strange = ALL.filter(({ message }) =>
      /'(?!\p{L})|^\s|\s$|^$|[\uE000-\uF8FF]/u.test(message),
    );
    t.strictSame(
      strange.map(({ place }) => place),
      [],
    );
  },
);

void t.test('the types of what messages are given are those of the catalogs', async (t) => {
  for (const [file, text] of await valueTypes('.')) {
    t.equal(readFileSync(file, 'utf8'), text, `${file} is made by any build`);
  }
});

void t.test('the nearest language that there is', async (t) => {
  t.equal(languageFor('de'), 'de');
  t.equal(languageFor('en-gb'), 'en');
  t.equal(languageFor('pt-br'), 'en', 'chosen, but without messages');
  t.equal(languageOfBrowser('ar-EG,ar;q=0.9,en;q=0.8'), 'ar');
  t.equal(languageOfBrowser('pt, fr;q=0.5'), 'fr');
  t.equal(languageOfBrowser('pt, *;q=0.5'), null);
});

void t.test('a part of a message that is no text stands where the language has it', async (t) => {
  const subject = (language: 'en' | 'ja') => {
    const say = texts('mails', language);
    return fill(say, 'test.subject', { organization: 7 });
  };
  t.strictSame(subject('en'), ['A test mail of ', 7]);
  t.strictSame(subject('ja'), [7, ' からのテストメール']);
});
