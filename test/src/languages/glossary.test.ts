import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { LANGUAGES } from '../../../src/languages/languages.js';

/* Each language has one word for one thing, and its own signs between words. */

interface Glossary {
  /** By English term: the word, and the forms of it that do not begin like it. */
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** Words for which there is another. */
  readonly never: readonly string[];
}

type Catalogs = Readonly<Record<string, Readonly<Record<string, string>>>>;

const { catalogsOf } = (await import(pathToFileURL(join('scripts', 'languages.js')).href)) as {
  readonly catalogsOf: (root: string, language: string) => Catalogs;
};

const OTHERS = Object.keys(LANGUAGES).filter((language) => language !== 'en');
const GLOSSARIES = OTHERS.map((language) => ({
  language,
  glossary: JSON.parse(readFileSync(`src/languages/${language}/glossary.json`, 'utf8')) as Glossary,
}));
const ENGLISH = catalogsOf('.', 'en');

/** English words that mean something else than the term that is in them. */
const OTHER_SENSES =
  /Welcome Bot|long poll|by poll|^Polls$|groups of people|setting who|\{\w+(?=[,}])/g;
/** Terms of more than one word in English. */
const ENGLISH_OF: Readonly<Record<string, string>> = { person: '(?:person|people)' };
/** Refusals name no more than what is to be done about them. */
const SHORTER = 'refusals';

void t.test('a term is the same word in all texts of a language', async (t) => {
  for (const { language, glossary } of GLOSSARIES) {
    const found: string[] = [];
    let checked = 0;
    for (const [area, messages] of Object.entries(catalogsOf('.', language))) {
      if (area === SHORTER) continue;
      for (const [id, message] of Object.entries(messages)) {
        const english = ENGLISH[area]![id]!.replace(OTHER_SENSES, '');
        for (const [term, words] of Object.entries(glossary.words)) {
          const named = new RegExp(`(?<![\\w-])${ENGLISH_OF[term] ?? term}s?(?![\\w-])`, 'i');
          if (!named.test(english)) continue;
          checked += 1;
          const text = message.toLowerCase();
          if (!words.some((word) => text.includes(word.toLowerCase()))) {
            found.push(`${area} ${id}: ${term} is ${words[0]}`);
          }
        }
      }
    }
    t.strictSame(found, [], language);
    t.ok(checked > 200, `${language}: ${checked} uses`);
  }
});

void t.test('glossaries have the same terms, and each is used', async (t) => {
  const english = Object.values(ENGLISH).flatMap((messages) => Object.values(messages));
  const terms = Object.keys(GLOSSARIES[0]!.glossary.words);
  for (const { language, glossary } of GLOSSARIES) {
    t.strictSame(Object.keys(glossary.words), terms, language);
  }
  for (const term of terms) {
    const named = new RegExp(ENGLISH_OF[term] ?? term, 'i');
    t.ok(
      english.some((message) => named.test(message)),
      term,
    );
  }
});

/** All texts of a language that are one of something, by place. */
function textsWith(language: string, wrong: RegExp): string[] {
  return Object.entries(catalogsOf('.', language)).flatMap(([area, messages]) =>
    Object.entries(messages)
      .filter(([, message]) => wrong.test(message))
      .map(([id, message]) => `${area} ${id}: ${message}`),
  );
}

void t.test('words for which there is another are in no text', async (t) => {
  for (const { language, glossary } of GLOSSARIES) {
    const never = new RegExp(`(?<!\\p{L})(?:${glossary.never.join('|')})`, 'iu');
    t.strictSame(textsWith(language, never), [], language);
  }
});

void t.test('no text names another product', async (t) => {
  for (const language of Object.keys(LANGUAGES)) {
    const named = textsWith(language, /zulip/i);
    // What a deactivated account is refused with, as the API says it (errors.md#product-names).
    const refused = named.filter((text) => !text.startsWith('refusals no-longer-using'));
    t.strictSame(refused, [], language);
  }
});

void t.test('signs between words are those of the language', async (t) => {
  // French puts a space that does not break before them, and inside of quotation marks.
  t.strictSame(
    textsWith('fr', /[ \p{L}\p{N}}](?<!\u00a0)[?!;](?!\w)| :|(?<=[\p{L}})]):(?=[\s]|$)|« | »/u),
    [],
  );
  t.strictSame(textsWith('es', /^[^¿]*\?(?:\s|$)|^[^¡]*!(?:\s|$)/), [], 'both ends of a question');
  t.strictSame(textsWith('ja', /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}][?!,;.]/u), []);
  t.strictSame(textsWith('ar', /\p{scx=Arab}[?,;]/u), []);
  t.strictSame(
    textsWith('de', /[“"][^„“"]*[“"]|\w…/u),
    [],
    'quotation marks, and a space before …',
  );
});
